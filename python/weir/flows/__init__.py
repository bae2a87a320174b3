"""Flows: traffic that was started, with methods to wait for it, stop it and get its result."""

from weir.flows.exchange import ExchangeFlow
from weir.flows.flow import Flow
from weir.flows.ping import PingFlow
from weir.flows.plan import MAX_DATAGRAM, MIN_DATAGRAM, FlowOptions, FlowPlan, IperfOptions
from weir.flows.replay import ReplayFlow
from weir.flows.stream import Stream, sender_and_receiver
from weir.flows.tcp import TcpFlow
from weir.flows.tcp_options import CONGESTION
from weir.flows.udp import UdpFlow

__all__ = [
    "CONGESTION",
    "MAX_DATAGRAM",
    "MIN_DATAGRAM",
    "ExchangeFlow",
    "Flow",
    "FlowOptions",
    "FlowPlan",
    "IperfOptions",
    "PingFlow",
    "ReplayFlow",
    "Stream",
    "TcpFlow",
    "UdpFlow",
    "sender_and_receiver",
]
