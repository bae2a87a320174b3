"""Runs frames through the chain of the lab int, for its tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from handmade import Listener

import weir
from weir.telemetry import Collector
from weir_labs.int.chain import FROM_H1, chain, program, watch_entry
from weir_labs.int.collector import collect

MD = "embed_data"
MX = "embed_instructions"
XD = "export_data"


def embed_data(instructions: int, **more: int) -> dict[str, Any]:
    """An entry that makes packets from h1 use INT-MD."""
    defaults = {"max_hops": 8, "discard": 0, "by_port": 0}
    return watch_entry(MD, instructions, FROM_H1, **{**defaults, **more})


def embed_instructions(instructions: int, **more: int) -> dict[str, Any]:
    """An entry that makes packets from h1 use INT-MX."""
    return watch_entry(MX, instructions, FROM_H1, **{"discard": 0, "by_port": 0, **more})


def export_data(instructions: int) -> dict[str, Any]:
    """An entry that makes switches report packets from h1 with INT-XD."""
    return watch_entry(XD, instructions, FROM_H1)


def crossing(
    frames: Sequence[bytes],
    watch: Sequence[Mapping[str, Any]],
    switches: int = 3,
    *,
    change: Callable[[weir.Network], None] | None = None,
    **options: Any,
) -> tuple[list[list[bytes]], Collector]:
    """The frames that leave each switch towards h2 if h1 sends frames, and the collector.

    Links are unlimited. Reports are not among these frames.

    Args:
        frames: the frames, one of which is sent every 100 µs.
        watch: the entries of the watchlists.
        switches: the number of switches.
        change: a function that is applied to the network first.
        options: the options of :func:`chain`.
    """
    with weir.Network(chain(switches, None, watch=watch, **options), program()) as net:
        if change:
            change(net)
        ends = [net.sniff(f"s{number}-p2") for number in range(1, switches + 1)]
        collector = collect(net)
        net.host("h2").run(Listener(), udp=5000)
        for number, frame in enumerate(frames):
            net.at(f"{100 * number}us", lambda frame=frame: net.host("h1").send(frame))
        net.run_for(f"{100 * len(frames) + 1000}us")
        frames_of_ends = [[bytes(frame) for frame in end.frames if frame.outbound] for end in ends]
    return [[frame for frame in one if frame[26:28] != b"\x0a\x01"] for one in frames_of_ends], collector


def hosts_send_int(net: weir.Network) -> None:
    """Makes s1 treat packets from h1 as packets from another switch."""
    net.switch("s1").value_set("host_ports").clear()
