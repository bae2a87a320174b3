"""Topologies: which hosts, switches and links a network has, read from the public tutorials' JSON or built by hand."""

from weir.topology.addresses import HostAddress, Mac
from weir.topology.commands import Route
from weir.topology.model import Endpoint, HostSpec, LinkSpec, SwitchSpec, Topology

__all__ = ["Endpoint", "HostAddress", "HostSpec", "LinkSpec", "Mac", "Route", "SwitchSpec", "Topology"]
