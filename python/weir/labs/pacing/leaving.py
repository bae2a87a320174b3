"""A host leaves: when do the others have its share?"""

from __future__ import annotations

from typing import Any, Final

import polars as pl

import weir
from weir import units

from .reset import reset_after
from .sending import Senders, binned, settled_ns
from .star import manage, program, star

WAYS: Final = ("fin", "rst", "silence")
"""How a host leaves: it ends, it is reset, or its link goes down."""

FIN_RST: Final = 0x05
"""The flags of TCP that end a connection."""

_BIN_NS: Final = 100_000_000


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

    All hosts send from the begin; h1 leaves in the middle.
    """
    if way not in WAYS:
        raise ValueError(f"way={way}: expected {', '.join(WAYS)}")
    if hosts < 2 or mode not in ("htb", "fq"):
        raise ValueError("expected 2 or more hosts, and mode htb or fq")
    if seconds < 2:
        raise ValueError(f"seconds={seconds}: expected 2 or more")
    end_ns, middle_ns = seconds * 10**9, seconds * 10**9 // 2
    names = [f"h{number}" for number in range(1, hosts + 1)]
    topology = star(hosts, rate=rate, rtt=rtt, silence=silence)
    with weir.Network(topology, program(), seed=seed, noise="realistic") as net:
        manage(net, "s1", hosts + 1, rate)
        senders = Senders(net, names, mode, reserve_percent=reserve_percent, interval=f"{_BIN_NS}ns")
        for name in names:
            senders.start(name, middle_ns if name == "h1" and way == "fin" else end_ns)
        net.run_for(f"{middle_ns - 100_000_000}ns")
        seen = net.sniff(["h1", "s1-p1"], "tcp")
        net.run_for("110ms" if way == "rst" else "100ms")
        if way == "rst":
            sent = [frame.data for frame in seen.frames if frame.end == "h1" and frame.outbound]
            net.host("h1").send(reset_after(sent[-1]))
        elif way == "silence":
            net.link("h1", "s1").up = False
        net.run_for(f"{end_ns - net.now_ns}ns")
        streams = senders.streams()
        events = net.switch("s1").register("events").cells()
        shares = net.switch("s1").register("port_shares").read(hosts + 1)
    # The switch knows with the FIN or RST, and, if there is none, some time after the last packet.
    frames = [frame for frame in seen.frames if frame.end == "s1-p1" and not frame.outbound]
    if way == "silence":
        gone_ns = frames[-1].time_ns + units.time_ns(silence, "silence")
    else:
        gone_ns = next(frame.time_ns for frame in frames if frame.data[47] & FIN_RST)
    kbps = units.rate_bps(rate) / 1000 / (hosts - 1) * (1 - reserve_percent / 100)
    times = [settled_ns(senders.agents[name], kbps, gone_ns, end_ns) for name in names[1:]]
    late = None if None in times else max(time for time in times if time is not None)
    rtt_ns = min(stream.rtt_min_ms or 0.0 for stream in streams.values()) * 1e6
    bins = end_ns // _BIN_NS
    rates = {name: binned(streams[name], _BIN_NS, bins) for name in names}
    settled_ms = None if late is None else (late - gone_ns) / 1e6
    return {
        "settled_ms": settled_ms,
        "settled_rtts": None if settled_ms is None else settled_ms * 1e6 / rtt_ns,
        "shares": shares,
        "before_mbps": sum(float(rate[bins // 4 : bins // 2].mean()) for rate in rates.values()),
        "after_mbps": sum(float(rate[3 * bins // 4 : bins - 1].mean()) for rate in rates.values()),
        "notices": events[3],
        "rates": pl.DataFrame(
            [
                (name, step * _BIN_NS / 1e9, float(mbps))
                for name in names
                for step, mbps in enumerate(rates[name])
            ],
            schema={"host": pl.String, "time_s": pl.Float64, "mbps": pl.Float64},
            orient="row",
        ),
    }
