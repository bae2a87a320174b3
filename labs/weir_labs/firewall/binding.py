"""The thesis's test, with spoofed frames and a host that is excluded until its entries are
written."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

import weir

from .frames import ethernet, ipv4, udp
from .network import MEMBERS, NEIGHBOURS, identities, network, packed_addresses, refusals
from .policy import OPEN, load
from .rules import Rule, Writer, required_rules

_LATE_HOST: Final = "h4"
"""The host that is excluded at first, as in the thesis."""


@weir.experiment(pings=[20], spoofed=[1000])
def binding(pings: int, spoofed: int, seed: int) -> dict[str, Any]:
    """Which hosts reach each other before and after h4's entries are written? Do spoofed frames
    pass?"""
    with network(seed=seed) as net:
        return measure_binding(net, pings, spoofed, seed)


def measure_binding(
    net: weir.Network, pings: int, spoofed: int, seed: int, interval: str = "1ms", timeout: str = "50ms"
) -> dict[str, Any]:
    """Measures the results of :func:`binding` in a network without admitted hosts.

    Args:
        net: the network.
        pings: the number of pings from each member to each other member.
        spoofed: the number of frames with wrong addresses in each of two stages.
        seed: the seed of the keys.
        interval: the time between pings.
        timeout: the time after which a ping is lost.
    """
    identity_by_name = identities(seed)
    places = {member.name: (member.switch, member.port) for member in MEMBERS}
    rows, counts = [], []
    leaked = 0
    written: dict[str, dict[str, Rule]] = {name: {} for name in NEIGHBOURS}
    for stage, names in (("shut out", ["h1", "h2", "h3"]), ("admitted", ["h1", "h2", "h3", _LATE_HOST])):
        new = required_rules(
            {name: (identity_by_name[name], places[name], False) for name in names}, NEIGHBOURS
        )
        for switch, rules in new.items():
            writer = Writer(net, net.switch(switch), 0)
            for name, rule in rules.items():
                if name not in written[switch]:
                    for write in writer.admission_writes(rule, None):
                        write()
            if not written[switch]:
                load(net.switch(switch), OPEN)
        written = new
        refusals_before = refusals(net)
        for source in MEMBERS:
            for target in MEMBERS:
                if source is not target:
                    trips = net.host(source.name).ping(
                        target.address, count=pings, interval=interval, timeout=timeout
                    )
                    rows.append(
                        {"stage": stage, "source": source.name, "target": target.name, "sent": pings,
                         "received": trips.received}
                    )  # fmt: skip
        counts.append(_difference_rows(stage, "pings", refusals_before, refusals(net)))
        refusals_before = refusals(net)
        leaked += _spoof(net, spoofed)
        counts.append(_difference_rows(stage, "spoofed frames", refusals_before, refusals(net)))
    reached = pl.DataFrame(rows)
    are_members = pl.col("source").ne(_LATE_HOST) & pl.col("target").ne(_LATE_HOST)
    first, last = (reached.filter(pl.col("stage") == stage) for stage in ("shut out", "admitted"))
    return {
        "members_lost": int(
            (reached.filter(are_members)["sent"] - reached.filter(are_members)["received"]).sum()
        ),
        "late_before": int(first.filter(~are_members)["received"].sum()),
        "late_lost": int((last.filter(~are_members)["sent"] - last.filter(~are_members)["received"]).sum()),
        "entries": sum(len(net_rules) for net_rules in written.values()) * 2,
        "spoofed_sent": 2 * spoofed,
        "spoofed_leaked": leaked,
        "reached": reached,
        "refused": pl.concat(counts),
    }


def _spoof(net: weir.Network, count: int) -> int:
    """Sends frames from x1 with the addresses of members; returns how many leave s1."""
    hosts = [packed_addresses(member) for member in MEMBERS]
    sniffer = net.sniff([*(member.name for member in MEMBERS), "s3-p1"])
    for number in range(count):
        (mac, address), (target, target_address) = (
            hosts[number % 4],
            hosts[(number + 1 + number // 4 % 3) % 4],
        )
        net.host("x1").send(ethernet(target, mac, ipv4(address, target_address, udp(4000, 7000, bytes(18)))))
        net.run_for("2us")
    net.run_for("10ms")
    return len(sniffer.stop())


def _difference_rows(stage: str, what: str, before: dict[str, int], after: dict[str, int]) -> pl.DataFrame:
    differences = [(name, after[name] - before[name]) for name in after if after[name] != before[name]]
    return pl.DataFrame(
        [{"stage": stage, "of": what, "reason": name, "packets": number} for name, number in differences],
        schema={"stage": pl.String, "of": pl.String, "reason": pl.String, "packets": pl.Int64},
    )
