"""Hosts of a running network, and the traffic they send."""

from weir.host.host import Host

__all__ = ["Host"]
