"""The effect of telemetry on hosts: compares a run with telemetry and a run without it byte by
byte."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import weir
from weir.lab import one_of
from weir.telemetry import DSCP_INT, PORT_INT

from .chain import chain, link_ends, packed_address, program
from .collector import collect
from .compare import ALL
from .metadata import watch

HOSTS: Final = ("h1", "h2", "h4", "h5")

Frame = tuple[int, bool, bytes]
"""A frame's time in ns, whether the frame leaves the node, and its bytes."""


@weir.experiment(
    mode=["MD", "MX", "XD"],
    links=["instant", "10Mbit"],
    mark=["dscp", "port"],
    switches=[5],
    seconds=[1],
)
def transparency(mode: str, links: str, mark: str, switches: int, seconds: int, seed: int) -> dict[str, Any]:
    """Does any host see a frame that differs from a run without telemetry?

    On ``instant`` links frames take no time, whatever their length, so even TCP connections are the
    same. On links with a rate, longer frames take longer, and only datagrams are compared.
    """
    one_of("mode", mode, "MD", "MX", "XD")
    one_of("mark", mark, "dscp", "port")
    rate = None if links == "instant" else links
    without_int, _, _ = _run("off", rate, mark, switches, seconds, seed)
    with_int, changed, reports = _run(mode, rate, mark, switches, seconds, seed)
    ends = [end for end in without_int if end in HOSTS]
    return {
        "host_frames": sum(len(without_int[end]) for end in ends),
        "host_frames_differ": sum(_differences(without_int[end], with_int[end]) for end in ends),
        "other_frames": sum(len(_other_flows(without_int[end])) for end in without_int if end not in HOSTS),
        "other_frames_differ": sum(
            _differences(_other_flows(without_int[end]), _other_flows(with_int[end]))
            for end in without_int
            if end not in HOSTS
        ),
        "shift_us": max(_shift_ns(without_int[end], with_int[end]) for end in ends) / 1e3,
        "frames_with_int": changed,
        "reports": reports,
    }


def _run(
    mode: str, rate: str | None, mark: str, switches: int, seconds: int, seed: int
) -> tuple[dict[str, list[Frame]], int, int]:
    """Runs the network; returns the frames at all ends of links, the number of frames with INT, and
    the number of reports."""
    entries = watch(mode, ALL)
    if mark == "port":
        for entry in entries:
            if "by_port" in entry["action_params"]:
                entry["action_params"]["by_port"] = 1
    topology = chain(switches, rate, watch=entries, cross=True, logical=True)
    with weir.Network(topology, program(), seed=seed) as net:
        collector = collect(net)
        ends = {end: net.sniff(end) for end in (*HOSTS, *link_ends(switches, cross=True))}
        for source, target, length in (("h1", "h2", 701), ("h4", "h5", 1000), ("h2", "h1", 400)):
            net.host(source).start_iperf(
                target,
                udp=True,
                rate="1Mbit",
                length=f"{length}B",
                duration=f"{seconds}s",
                interval=None,
                linger="100ms",
            )
        if rate is None:
            for source, target in (("h1", "h2"), ("h2", "h1"), ("h4", "h5")):
                net.host(source).start_iperf(target, size="200kB", mss="1200B", interval=None)
                net.host(source).start_ping(target, count=5, interval="100ms")
        net.run_for(f"{seconds + 1}s")
        frames_by_host = {
            end: [
                (frame.time_ns, frame.outbound, bytes(frame))
                for frame in sniffer.frames
                if bytes(frame)[30:34] != packed_address("h3")
            ]
            for end, sniffer in ends.items()
        }
        marked = sum(
            (data[15] >> 2 == DSCP_INT or data[36:38] == PORT_INT.to_bytes(2))
            for end, frames in frames_by_host.items()
            for _, outbound, data in frames
            if outbound and end not in HOSTS
        )
        return frames_by_host, marked, len(collector.reports)


def _other_flows(frames: list[Frame]) -> list[Frame]:
    """Returns the frames of flows that are not on the watchlist."""
    return [frame for frame in frames if frame[2][26:30] != packed_address("h1")]


def _differences(plain: list[Frame], with_int: list[Frame]) -> int:
    """Counts the frames that are in only one of two runs."""
    first, two = (Counter((out, data) for _, out, data in frames) for frames in (plain, with_int))
    return ((first - two) + (two - first)).total()


def _shift_ns(plain: list[Frame], with_int: list[Frame]) -> int:
    """Finds the largest difference in the arrival time of frames that are the same in both runs."""
    return max(
        (abs(one[0] - with_int_time[0]) for one, with_int_time in zip(plain, with_int, strict=False)),
        default=0,
    )
