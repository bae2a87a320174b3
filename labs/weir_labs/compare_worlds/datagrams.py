"""The fate of datagrams below and above the rate of a link."""

from __future__ import annotations

from typing import Any

import weir
from weir import units

from .network import network


@weir.experiment(
    world=["virtual", "linux"],
    load_percent=[50, 90, 120, 200],
    rate=["20Mbit"],
    delay=["5ms"],
    seconds=[5],
    switch=["weir"],
    seeds=3,
)
def datagrams(
    world: str, load_percent: int, rate: str, delay: str, seconds: int, switch: str, seed: int
) -> dict[str, Any]:
    """What share of the datagrams is lost, depending on the load of the link in the middle?

    Frames have 1514 bytes: 1472 of them are payload.
    """
    frame_bps = units.rate_bps(rate) * load_percent / 100
    payload_bps = round(frame_bps * 1472 / 1514)
    with network(world, seed, rate, delay, switch=switch) as net:
        result = net.host("h1").iperf(
            "h3", udp=True, rate=f"{payload_bps}bit", length="1472B", duration=f"{seconds}s"
        )
    stream = result.streams[0]
    # The share of datagrams that exceed the link's rate. At the end, 100 packets still wait in the
    # queue.
    expected = max(0.0, 1 - 100 / load_percent)
    return {
        "sent": stream.sent,
        "loss_percent": 100 * stream.loss,
        "expected_percent": 100 * expected,
        "delay_mean_ms": stream.delay_mean_ms,
        "delay_max_ms": stream.delay_max_ms,
        "jitter_ms": stream.jitter_ms,
        "reordered": stream.reordered,
    }
