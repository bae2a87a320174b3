"""Functions that start traffic at a host. Each becomes a method of :class:`weir.Host`."""

from weir.host.traffic.iperf import iperf, start_iperf
from weir.host.traffic.ping import start_ping
from weir.host.traffic.replay import start_replay
from weir.host.traffic.requests import start_requests
from weir.host.traffic.shaped import start_on_off, start_poisson
from weir.host.traffic.traceroute import traceroute
from weir.host.traffic.transfers import start_transfers

__all__ = [
    "iperf",
    "start_iperf",
    "start_on_off",
    "start_ping",
    "start_poisson",
    "start_replay",
    "start_requests",
    "start_transfers",
    "traceroute",
]
