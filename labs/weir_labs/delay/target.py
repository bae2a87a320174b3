"""Experiments with target delays ("delay this flow by d ms"), which are set at run time by two
methods."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

import weir

from .chain import H2, network
from .exits import Exits
from .machines import machine

PORT: Final = 6000
"""The UDP destination port of the delayed flow."""

CALIBRATION_X: Final = 8

CROSS_PORT: Final = 5201
"""The UDP destination port of cross traffic."""


def set_passes(net: weir.Network, x: int) -> None:
    """Configures the switch to delay the flow by X recirculations."""
    _write_entry(net, "by_passes", {"x": x})


def set_time(net: weir.Network, d_ms: float) -> None:
    """Configures the switch to delay the flow's packets until their age is d milliseconds."""
    _write_entry(net, "by_time", {"delay_us": round(d_ms * 1000)})


def calibrate(net: weir.Network) -> float:
    """Measures the pass time in milliseconds, from pings with and without recirculation."""
    delays = []
    for x in (0, CALIBRATION_X):
        set_passes(net, x)
        flow = net.host("h1").iperf("h2", udp=True, count=5, rate="100kbit", port=PORT)
        delays.append(flow.streams[0].delay_min_ms or 0.0)
    return (delays[1] - delays[0]) / CALIBRATION_X


def delay_by(net: weir.Network, way: str, d_ms: float) -> float:
    """Sets a delay of d milliseconds for the flow, calibrated or by timestamp; returns the pass
    time that was measured."""
    pass_ms = calibrate(net)
    if way == "calibrated":
        set_passes(net, max(0, round(d_ms / pass_ms) - 1))
    else:
        set_time(net, d_ms)
    return pass_ms


@weir.experiment(
    profile=["bmv2-vm", "modern"],
    cross=["none", "constant", "poisson"],
    way=["calibrated", "timestamp"],
    d_ms=[0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0],
    packets=[40],
)
def target_delay(profile: str, cross: str, way: str, d_ms: float, packets: int, seed: int) -> dict[str, Any]:
    """How accurately can a switch delay a flow by d ms?

    A packet can leave only when one of its passes ends, and other packets decide when that is. For
    each packet, the table ``delayed`` has its delay in the switch and the possible delay nearest to
    d. The delay d is out of reach for a packet if the nearest possible delay differs by more than a
    pass time.
    """
    model = machine(profile).switch_alone
    with network("target", model, seed=seed) as net:
        h1 = net.host("h1")
        pass_ms = delay_by(net, way, d_ms)
        # A datagram is sent every 20 ms or more, so that only one is delayed at a time, and not in
        # phase with the constant traffic.
        interval_ms = max(20.0, 1.5 * d_ms) + 0.3
        seconds = round(packets * interval_ms / 1e3 + 1, 3)
        if cross == "constant":
            h1.start_iperf("h2", udp=True, rate="2Mbit", duration=f"{seconds}s", interval=None)
        elif cross == "poisson":
            h1.start_poisson("h2", "2Mbit", duration=f"{seconds}s", interval=None)
        others, arriving, leaving = (
            net.sniff(place, f"udp dst port {port}")
            for place, port in (("s1-p1", CROSS_PORT), ("s1-p1", PORT), ("h2", PORT))
        )
        net.run_for("103.1ms")
        flow = h1.iperf(
            "h2",
            udp=True,
            count=packets,
            length="100B",
            rate=f"{round(100 * 8 / interval_ms * 1000)}bit",
            port=PORT,
        )
        exits = Exits(model, [frame.time_ns for frame in others.frames])
        delays, nearest = [], []
        for start, end in zip(arriving.frames, leaving.frames, strict=True):
            best_ns = exits.nearest(start.time_ns, end.time_ns, start.time_ns + round(d_ms * 1e6))
            delays.append((end.time_ns - start.time_ns) / 1e6)
            nearest.append((best_ns - start.time_ns) / 1e6)
    errors = [abs(delay - d_ms) for delay in delays]
    in_reach = [error for error, best in zip(errors, nearest, strict=True) if abs(best - d_ms) <= pass_ms]
    return {
        "received": flow.received,
        "pass_ms": pass_ms,
        "delay_mean_ms": sum(delays) / len(delays),
        "error_mean_ms": sum(delays) / len(delays) - d_ms,
        "error_max_ms": max(errors),
        "error_passes": max(errors) / pass_ms,
        "out_of_reach": len(errors) - len(in_reach),
        "in_reach_passes": max(in_reach) / pass_ms if in_reach else None,
        "delayed": pl.DataFrame({"delay_ms": delays, "nearest_ms": nearest}),
    }


@weir.experiment(
    profile=["bmv2-vm"],
    way=["calibrated", "timestamp"],
    mbps=[0.5, 1.0, 2.0, 4.0],
    d_ms=[1.0, 2.0, 5.0, 10.0],
    seconds=[5],
)
def target_price(profile: str, way: str, mbps: float, d_ms: float, seconds: int, seed: int) -> dict[str, Any]:
    """How much traffic can be delayed by d ms?"""
    with network("target", machine(profile).switch_alone, seed=seed) as net:
        delay_by(net, way, d_ms)
        passes_before = _count_passes(net)
        flow = net.host("h1").iperf(
            "h2", udp=True, rate=f"{mbps}Mbit", duration=f"{seconds}s", port=PORT, interval=None
        )
        passes = _count_passes(net) - passes_before
    return {
        "goodput_mbps": flow.goodput_mbps,
        "loss_percent": 100 * flow.loss,
        "delay_mean_ms": flow.streams[0].delay_mean_ms,
        "delay_max_ms": flow.streams[0].delay_max_ms,
        "passes_per_packet": passes / flow.sent,
    }


def _count_passes(net: weir.Network) -> int:
    return net.switch("s1").counter("passes").read(0).packets


def _write_entry(net: weir.Network, action: str, params: dict[str, int]) -> None:
    """Adds or changes the flow's table entry."""
    table = net.switch("s1").table("delays")
    table.clear()
    table.insert({"hdr.ipv4.dstAddr": H2[0], "hdr.udp.dstPort": PORT}, action, params)
