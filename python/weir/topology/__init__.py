"""Topologies: which hosts, switches and links a network has, read from the public tutorials' JSON or built by hand."""

from weir.topology import shapes
from weir.topology.addresses import HostAddress, Mac
from weir.topology.host import HostSpec, InterfaceSpec, Route
from weir.topology.model import Topology
from weir.topology.parts import Endpoint, LinkSpec, SwitchSpec

__all__ = [
    "Endpoint",
    "HostAddress",
    "HostSpec",
    "InterfaceSpec",
    "LinkSpec",
    "Mac",
    "Route",
    "SwitchSpec",
    "Topology",
    "shapes",
]
