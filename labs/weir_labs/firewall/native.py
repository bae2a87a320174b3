"""Measures the cost of 0 to 10 000 rules in native code on this computer.

Run the measurement with ``python -m weir_labs.firewall.native``. It is not an experiment of the
lab, because measured times differ from run to run, whereas the lab's results are the same
everywhere, byte for byte.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from ipaddress import IPv4Address, IPv4Network
from typing import Final

from weir.bench import time_pipeline
from weir.control import Switch
from weir.lab import one_of
from weir.packets import UDP

from .frames import ethernet, ipv4, udp
from .network import program
from .policy import PolicyRule, insert, select_rule_set

COUNTS: Final = (0, 10, 100, 1000, 10_000)
"""The numbers of rules to measure; without rules, everything is permitted."""

KINDS: Final = ("exact", "ranges")
"""The kinds of rules: two hosts and a port, or prefixes of addresses and ranges of ports."""

_SENDERS: Final = range(1, 31)
_RECEIVERS: Final = range(33, 63)
_IN, _OUT = 1, 2
_FRAME_BYTES: Final = 128
_FLOWS: Final = 16_384
"""The number of different packets, which is far larger than the 512 keys whose lookups native code
caches."""

_ROUNDS: Final = 3
_SECONDS: Final = 1.0
"""The length of a turn in seconds; its first part is spent on compiling."""


def rules(kind: str, count: int) -> list[PolicyRule]:
    """Draws distinct rules that permit UDP between hosts. The draw depends only on the arguments.

    Args:
        kind: one of :data:`KINDS`.
        count: the number of rules.

    Raises:
        WeirError: there is no such kind.
    """
    one_of("kind", kind, *KINDS)
    rnd = random.Random(kind)
    unique: dict[PolicyRule, None] = {}
    while len(unique) < count:
        lengths = (32, 32) if kind == "exact" else rnd.choices((None, 27, 28, 29, 30, 31, 32), k=2)
        first = rnd.randrange(1, 0x10000)
        last = first if kind == "exact" else min(0xFFFF, first + rnd.choice((0, 1, 9, 99, 999)))
        rule = PolicyRule(
            permit=True,
            priority=1 if kind == "exact" else rnd.randrange(1, 100),
            source=_prefix(rnd.choice(_SENDERS), lengths[0]),
            target=_prefix(rnd.choice(_RECEIVERS), lengths[1]),
            protocol=UDP,
            ports=(first, last),
        )
        unique.setdefault(rule)
    return list(unique)


def packets(permitted_by: Sequence[PolicyRule], count: int) -> list[bytes]:
    """Builds shuffled packets of 128 bytes that match the rules in turn, so that a rule permits
    each packet.

    Args:
        permitted_by: the rules.
        count: the number of packets.
    """
    rnd = random.Random("packets")
    frames = []
    for number in range(count):
        rule = permitted_by[number % len(permitted_by)]
        source = rnd.choice([host for host in _SENDERS if _matches(rule.source, host)])
        target = rnd.choice([host for host in _RECEIVERS if _matches(rule.target, host)])
        data = udp(rnd.randrange(1, 0x10000), rnd.randint(*rule.ports), bytes(_FRAME_BYTES - 42))
        packet = ipv4(bytes((10, 0, 0, source)), bytes((10, 0, 0, target)), data)
        frames.append(ethernet(_mac(target), _mac(source), packet))
    rnd.shuffle(frames)
    return frames


def load(switch: Switch, policy: Sequence[PolicyRule]) -> None:
    """Admits 30 hosts at each of two ports, and writes the rules.

    Without rules, everything is permitted.
    """
    for host in _SENDERS:
        switch.table("sources").insert(
            {"hdr.ethernet.srcAddr": _mac(host).hex(":"), "standard_metadata.ingress_port": _IN},
            "admit",
            {"number": host, "address": f"10.0.0.{host}", "is_new": 0},
        )
    for host in _RECEIVERS:
        mac = _mac(host).hex(":")
        switch.table("routes").insert(
            {"hdr.ipv4.dstAddr": f"10.0.0.{host}"}, "forward", {"dstAddr": mac, "port": _OUT}
        )
        switch.table("targets").insert(
            {"hdr.ethernet.dstAddr": mac, "standard_metadata.egress_spec": _OUT}, "reach", {"number": host}
        )
    if not policy:
        switch.table("rules").set_default("permit")
    for rule in policy:
        insert(switch, rule, 0)
    select_rule_set(switch, 0)


def measure(
    counts: Sequence[int] = COUNTS, *, flows: int = _FLOWS, rounds: int = _ROUNDS, seconds: float = _SECONDS
) -> list[tuple[str, int, float]]:
    """Measures the time per packet of 128 bytes that passes all checks, by kind and number of
    rules.

    The packets differ in hosts and ports, and each rule applies to some of them. The case without
    rules uses the packets of the case with the most rules.

    The cases take turns, and the fastest of several turns counts, so other work on the computer
    affects all cases equally.

    Args:
        counts: the numbers of rules; the first is the reference.
        flows: the number of different packets.
        rounds: the number of turns of each case.
        seconds: the length of each turn in real time.

    Returns:
        Kind, number of rules, and nanoseconds per packet.

    Raises:
        RuntimeError: a packet was dropped.
    """
    cases = []
    for kind in KINDS:
        most = rules(kind, max(counts))
        for count in counts:
            policy = rules(kind, count)
            cases.append((kind, count, partial(load, policy=policy), packets(policy or most, flows)))
    fastest = [float("inf")] * len(cases)
    for _ in range(rounds):
        for place, (kind, count, filled, sent) in enumerate(cases):
            speed = time_pipeline(program(), load=filled, packets=sent, ports=(_IN,), seconds=seconds)
            if speed.dropped:
                raise RuntimeError(f"{kind}, {count}: {speed.dropped} packets were dropped")
            fastest[place] = min(fastest[place], speed.ns_undisturbed)
    return [(kind, count, ns) for (kind, count, _, _), ns in zip(cases, fastest, strict=True)]


def _mac(host: int) -> bytes:
    return bytes((8, 0, 0, 0, 0, host))


def _prefix(host: int, length: int | None) -> str | None:
    """Returns the prefix of a length that contains a host, as address and mask; ``None`` for any
    host."""
    if length is None:
        return None
    network = IPv4Network(f"10.0.0.{host}/{length}", strict=False)
    return f"{network.network_address} &&& {int(network.netmask):#x}"


def _matches(prefix: str | None, host: int) -> bool:
    if prefix is None:
        return True
    address, mask = prefix.split(" &&& ")
    return int(IPv4Address(f"10.0.0.{host}")) & int(mask, 0) == int(IPv4Address(address))


def main() -> None:
    """Prints the times, each also as a multiple of the first time of its kind."""
    times = measure()
    print(f"{'rules':<7} {'number':>7} {'ns/packet':>10} {'Mpackets/s':>11} {'ratio':>6}")
    base = {kind: ns for kind, _, ns in reversed(times)}
    for kind, count, ns in times:
        print(f"{kind:<7} {count:>7} {ns:>10.1f} {1000 / ns:>11.2f} {ns / base[kind]:>6.2f}")


if __name__ == "__main__":
    main()
