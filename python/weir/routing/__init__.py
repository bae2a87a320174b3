"""Table entries computed from a topology: routes to all hosts, and groups of ports to flood.

A network computes entries for each switch for which the topology has neither entries nor commands:
see :attr:`weir.Topology.routes`.
"""

from weir.routing.fill import fill

__all__ = ["fill"]
