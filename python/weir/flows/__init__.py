"""Traffic that has been started: what can be waited for, stopped, and asked for its result."""

from weir.flows.exchange import ExchangeFlow
from weir.flows.flow import Flow, Progress
from weir.flows.ping import PingFlow
from weir.flows.replay import ReplayFlow
from weir.flows.streams import Stream, turned
from weir.flows.tcp import TcpFlow
from weir.flows.udp import UdpFlow

__all__ = [
    "ExchangeFlow",
    "Flow",
    "PingFlow",
    "Progress",
    "ReplayFlow",
    "Stream",
    "TcpFlow",
    "UdpFlow",
    "turned",
]
