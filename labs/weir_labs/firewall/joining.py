"""The experiment "joining": the times to join, to move to another port, and to be excluded."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

import weir
from weir import units
from weir.network import profiles

from .frames import ethernet, ipv4, udp
from .messages import MESSAGE_BYTES
from .network import packed_addresses, station
from .office import Office

_PORT: Final = 7001
_PROBES: Final = 10
_SILENT_TIME: Final = "2s"
_REQUEST_NS: Final = 100_000
_WRITE_NS: Final = 50_000
_RATE: Final = 1_000_000_000


@weir.experiment(control_delay=["100us", "1ms", "5ms", "10ms"])
def joining(control_delay: str, seed: int) -> dict[str, Any]:
    """How long does it take to join and to be excluded, depending on the delay to the
    controller?"""
    rows: list[dict[str, Any]] = []
    with Office(seed=seed, control_delay=control_delay, silence=_SILENT_TIME) as office:
        net, controller = office.net, office.controller

        def note(event: str, host: str, since_ns: int, until_ns: int, writes: int) -> None:
            rows.append(
                {"event": event, "host": host, "ms": (until_ns - since_ns) / 1e6,
                 "writes": controller.writes - writes}
            )  # fmt: skip

        for name in ("h1", "h2", "h3", "h4"):
            writes = controller.writes
            office.join(name)
            agent = office.agents[name]
            assert agent.asked_ns is not None and agent.joined_ns is not None
            note("join", name, agent.asked_ns, agent.joined_ns, writes)
        # h4 is unplugged at s2, and plugged in at a port of s1.
        moved = office.agent("h4", "x1")
        writes = controller.writes
        moved.join()
        net.run_for("100ms")
        if moved.asked_ns is None or moved.joined_ns is None:
            raise RuntimeError("h4 was not admitted at its new port")
        note("move", "h4", moved.asked_ns, moved.joined_ns, writes)
        at_new = _arrivals(net, "x1")
        last_ns = net.now_ns - 1_000_000
        at_old = _arrivals(net, "h4")
        writes, since = controller.writes, net.now_ns
        office.agents["h2"].leave()
        net.run_for("100ms")
        note("leave", "h2", since, controller.settled_ns, writes)
        # h4 is silent from now on. h1 sends to h3, whose stack answers that the port is closed.
        writes = controller.writes
        for number in range(40):
            net.after(f"{100 * number}ms", lambda: _probe(net, "h1"))
        net.run_for("4s")
        remaining = sorted(controller.members)
        note("silence", "h4", last_ns, controller.settled_ns, writes)
    joins = [row["ms"] for row in rows if row["event"] in ("join", "move")]
    return {
        "join_max_ms": max(joins),
        "first_ms": joins[0],
        "first_predicted_ms": _predicted_ns(control_delay) / 1e6,
        "probes": _PROBES,
        "from_new_port": at_new,
        "from_old_port": at_old,
        "silence_is_right": int(remaining == ["h1", "h3"]),
        "events": pl.DataFrame(rows),
    }


def _predicted_ns(control_delay: str) -> int:
    """Predicts the time of the first join, which needs four messages, each with a pass, and three
    writes."""
    link = MESSAGE_BYTES * 8 * 1_000_000_000 // _RATE
    one_way = link + profiles()["default"].pass_latency_ns + units.time_ns(control_delay, "delay")
    return 4 * one_way + 2 * _REQUEST_NS + 3 * _WRITE_NS


def _probe(net: weir.Network, host: str, claimed: str | None = None) -> None:
    """Sends a datagram from a host to h3, with its own addresses or those of another host."""
    (mac, address), (target, target_address) = (
        packed_addresses(station(claimed or host)),
        packed_addresses(station("h3")),
    )
    net.host(host).send(ethernet(target, mac, ipv4(address, target_address, udp(4000, _PORT, bytes(18)))))


def _arrivals(net: weir.Network, host: str) -> int:
    """Sends datagrams with h4's addresses from a host; returns the number that arrive at h3."""
    sniffer = net.sniff("h3")
    for _ in range(_PROBES):
        _probe(net, host, "h4")
        net.run_for("1ms")
    return sum(not frame.outbound for frame in sniffer.stop())
