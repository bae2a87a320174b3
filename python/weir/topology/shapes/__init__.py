"""Generators of topologies in common shapes, with addresses.

>>> topo = weir.topology.shapes.dumbbell(10, rate="1Gbit", edge_delay="1ms")  # doctest: +SKIP
>>> net = weir.Network(topo)                                                 # doctest: +SKIP

Each host has an IPv4 and an IPv6 address, and a permanent neighbour entry for its gateway. A
network computes the entries of the switches: see :attr:`weir.Topology.routes`.
"""

from weir.topology.shapes.fabrics import fat_tree, leaf_spine, random_regular, ring
from weir.topology.shapes.lines import chain, dumbbell, parking_lot, star, tree
from weir.topology.shapes.plan import GATEWAY_MAC
from weir.topology.shapes.text import SHAPES, from_text, is_shape

__all__ = [
    "GATEWAY_MAC",
    "SHAPES",
    "chain",
    "dumbbell",
    "fat_tree",
    "from_text",
    "is_shape",
    "leaf_spine",
    "parking_lot",
    "random_regular",
    "ring",
    "star",
    "tree",
]
