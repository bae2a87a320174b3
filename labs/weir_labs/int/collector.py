"""Starts the telemetry collector of the lab, on h3 by default."""

from __future__ import annotations

import weir
from weir.telemetry import Collector

from .chain import PORT_REPORT


def collect(net: weir.Network, host: str = "h3") -> Collector:
    """Starts a collector on a host of the network."""
    return net.host(host).run(Collector(), udp=PORT_REPORT)
