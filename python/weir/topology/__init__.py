"""Topologies: hosts, switches and links, read from the tutorials' JSON or built in Python."""

from weir._core import Endpoint, HostAddress, Route
from weir.topology import shapes
from weir.topology.host_spec import HostSpec, InterfaceSpec, Mac, ProgramSpec
from weir.topology.link_spec import LinkSpec
from weir.topology.route_table import RouteTable
from weir.topology.shapes import GATEWAY_MAC
from weir.topology.switch_spec import SwitchSpec
from weir.topology.topology import Topology

__all__ = [
    "GATEWAY_MAC",
    "Endpoint",
    "HostAddress",
    "HostSpec",
    "InterfaceSpec",
    "LinkSpec",
    "Mac",
    "ProgramSpec",
    "Route",
    "RouteTable",
    "SwitchSpec",
    "Topology",
    "shapes",
]
