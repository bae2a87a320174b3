"""What rules cost in native code, on this computer: 0 to 10 000 of them.

Run it with ``python -m weir.labs.firewall.native``. It is no experiment of the lab: measured times
differ from run to run, and the lab's results are the same to the byte everywhere.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from weir.bench import time_pipeline
from weir.control import Switch
from weir.labs import one_of

from .frames import UDP, ethernet, ipv4, udp
from .network import packed, program, station
from .policy import PolicyRule, bring_in_force, insert

COUNTS: Final = (0, 10, 100, 1000, 10_000)
"""How many rules are in force; without any, all is permitted."""

KINDS: Final = ("exact", "ranges")
"""Rules that name both hosts and a port, and rules with any hosts and ranges of ports."""

_LENGTH: Final = 128
_ROUNDS: Final = 3
_SECONDS: Final = 1.0
"""Of a turn; the first part of it goes into compiling."""


def rules(kind: str, count: int) -> list[PolicyRule]:
    """So many different rules for packets of h1 to h2, of which the packet matches one or more.

    Args:
        kind: one of :data:`KINDS`.
        count: 1 or more.

    Raises:
        WeirError: there is no such kind.
    """
    one_of("kind", kind, *KINDS)
    found = []
    for number in range(count):
        exact = kind == "exact"
        found.append(
            PolicyRule(
                permit=True,
                priority=1 + number,
                source="10.0.0.1 &&& 0xffffffff" if exact or number % 2 else None,
                target="10.0.0.2 &&& 0xffffffff" if exact or number % 3 else None,
                protocol=UDP,
                ports=(1 + number, 1 + number if exact else 20_000 + number),
            )
        )
    return found


def measure() -> list[tuple[str, int, float]]:
    """Times of a packet of 128 bytes that passes all checks, by kind and number of rules.

    It is the same packet each time, since the ports that rules look at are metadata, which the
    benchmark cannot vary. So this is a lower bound: packets that match different rules may take
    longer.

    The cases take turns, and the fastest of three turns counts, so other work on the computer
    disturbs all of them alike.

    Returns:
        Kind, number of rules, and nanoseconds per packet.

    Raises:
        RuntimeError: a packet was dropped.
    """
    (mac, address), (target, there) = packed(station("h1")), packed(station("h2"))
    packet = ethernet(target, mac, ipv4(address, there, udp(4000, 1, bytes(_LENGTH - 42))))
    cases = [(kind, count) for kind in KINDS for count in COUNTS]
    fastest = [float("inf")] * len(cases)
    for _ in range(_ROUNDS):
        for place, (kind, count) in enumerate(cases):
            load = partial(_load, kind=kind, count=count)
            found = time_pipeline(program(), load=load, packet=packet, flows=1, ports=(1,), seconds=_SECONDS)
            if found.dropped:
                raise RuntimeError(f"{kind}, {count}: {found.dropped} packets were dropped")
            fastest[place] = min(fastest[place], found.ns_undisturbed)
    return [(kind, count, ns) for (kind, count), ns in zip(cases, fastest, strict=True)]


def _load(switch: Switch, kind: str, count: int) -> None:
    # No more than the packet needs: the benchmark draws the fields of packets from the entries.
    h1, h2 = station("h1"), station("h2")
    switch.table("sources").insert(
        {"hdr.ethernet.srcAddr": h1.mac, "standard_metadata.ingress_port": h1.port},
        "admit",
        {"number": h1.number, "address": h1.address, "is_new": 0},
    )
    switch.table("routes").insert(
        {"hdr.ipv4.dstAddr": h2.address}, "forward", {"dstAddr": h2.mac, "port": h2.port}
    )
    switch.table("targets").insert(
        {"hdr.ethernet.dstAddr": h2.mac, "standard_metadata.egress_spec": h2.port},
        "reach",
        {"number": h2.number},
    )
    if count == 0:
        switch.table("rules").set_default("permit")
        return
    for rule in rules(kind, count):
        insert(switch, rule, 0)
    bring_in_force(switch, 0)


def main() -> None:
    """Prints the times, and each as a multiple of the first."""
    times = measure()
    print(f"{'rules':<7} {'number':>7} {'ns/packet':>10} {'Mpackets/s':>11} {'ratio':>6}")
    for kind, count, ns in times:
        print(f"{kind:<7} {count:>7} {ns:>10.1f} {1000 / ns:>11.2f} {ns / times[0][2]:>6.2f}")


if __name__ == "__main__":
    main()
