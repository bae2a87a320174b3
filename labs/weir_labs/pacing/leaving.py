"""The experiment "leaving": a host leaves, and the others get its share."""

from __future__ import annotations

from typing import Any, Final

import weir
from weir import units

from .middle import BIN_NS, prepare_run
from .reset import reset_after
from .sending import all_settled_ns, binned_goodput, goodput_table, share_of_kbps
from .star import star

WAYS: Final = ("fin", "rst", "silence")
"""The ways in which a host leaves: FIN, RST, or a link that goes down."""

FIN_RST: Final = 0x05
"""The flags of TCP that end a connection."""


@weir.experiment(
    way=list(WAYS),
    mode=["htb", "fq"],
    hosts=[4],
    rate=["50Mbit"],
    rtt=["20ms"],
    silence=["500ms"],
    seconds=[4],
    reserve_percent=[0.5],
    seeds=2,
)
def leaving(
    way: str,
    mode: str,
    hosts: int,
    rate: str,
    rtt: str,
    silence: str,
    seconds: int,
    reserve_percent: float,
    seed: int,
) -> dict[str, Any]:
    """How soon do the others get the share of a host that leaves by FIN, by RST, or silently?

    All hosts send from the beginning; h1 leaves in the middle.
    """
    if way not in WAYS:
        raise ValueError(f"way={way}: expected {', '.join(WAYS)}")
    topology = star(hosts, rate=rate, rtt=rtt, silence=silence)
    with prepare_run(topology, mode, hosts, rate, seconds, reserve_percent, seed) as run:
        net, senders = run.net, run.senders
        for name in run.names:
            senders.start(name, run.middle_ns if name == "h1" and way == "fin" else run.end_ns)
        net.run_for(f"{run.middle_ns - 100_000_000}ns")
        sniffer = net.sniff(["h1", "s1-p1"], "tcp")
        net.run_for("110ms" if way == "rst" else "100ms")
        if way == "rst":
            sent = [frame.data for frame in sniffer.frames if frame.end == "h1" and frame.outbound]
            net.host("h1").send(reset_after(sent[-1]))
        elif way == "silence":
            net.link("h1", "s1").up = False
        net.run_for(f"{run.end_ns - net.now_ns}ns")
        streams = senders.streams()
        events = net.switch("s1").register("events").cells()
        shares = net.switch("s1").register("port_shares").read(hosts + 1)
    # The switch detects the end of the flow from the FIN or RST or, if there is neither, some time
    # after the last packet.
    frames = [frame for frame in sniffer.frames if frame.end == "s1-p1" and not frame.outbound]
    if way == "silence":
        gone_ns = frames[-1].time_ns + units.time_ns(silence, "silence")
    else:
        gone_ns = next(frame.time_ns for frame in frames if frame.data[47] & FIN_RST)
    kbps = share_of_kbps(rate, hosts - 1, reserve_percent)
    late = all_settled_ns([senders.agents[name] for name in run.names[1:]], kbps, gone_ns, run.end_ns)
    rtt_ns = min(stream.rtt_min_ms or 0.0 for stream in streams.values()) * 1e6
    bins = run.bins
    rates = [binned_goodput(stream, BIN_NS, bins) for stream in streams.values()]
    settled_ms = None if late is None else (late - gone_ns) / 1e6
    return {
        "settled_ms": settled_ms,
        "settled_rtts": None if settled_ms is None else settled_ms * 1e6 / rtt_ns,
        "shares": shares,
        "before_mbps": sum(float(rate[bins // 4 : bins // 2].mean()) for rate in rates),
        "after_mbps": sum(float(rate[3 * bins // 4 : bins - 1].mean()) for rate in rates),
        "notices": events[3],
        "rates": goodput_table(streams, BIN_NS, bins),
    }
