"""The experiment "exchange": whether a change of rules is atomic, seen from each packet's
result."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import weir
from weir.lab import one_of
from weir.packets import UDP

from .frames import ethernet, ipv4, udp
from .network import packed_addresses, station
from .office import Office
from .policy import PolicyRule

WAYS: Final = ("whole set", "entry by entry")
_FIRST_PORT: Final = 6000


@weir.experiment(way=[*WAYS], rules=[10, 100], exchanges=[20], interval_us=[10])
def exchange(way: str, rules: int, exchanges: int, interval_us: int, seed: int) -> dict[str, Any]:
    """Two sets of rules alternate at s1: one permits even ports, the other odd ports.

    h1 sends to all ports in turn, so the result of each packet shows which set was applied. If an
    exchange is atomic, the applied set changes once; otherwise it changes several times.
    """
    one_of("way", way, *WAYS)
    sets = [_rules(rules, parity) for parity in (0, 1)]
    with Office(seed=seed, silence=None, rules=sets[0]) as office:
        net, controller = office.net, office.controller
        s1, writer = net.switch("s1"), controller.writer("s1")
        office.join("h1", "h2")
        # An exchange of the whole set writes all new rules and removes all old rules, which takes
        # twice as many writes and a pause.
        period_us = 50 * (2 * rules + 1) + 20 * rules * interval_us
        for number in range(1, exchanges + 1):
            change: Callable[[], object]
            if way == "whole set":
                change = partial(controller.exchange, "s1", sets[number % 2])
            else:
                modify = [
                    partial(s1.table("rules").modify, rule.match(0), rule.action, {}, rule.priority)
                    for rule in sets[number % 2]
                ]
                change = partial(writer.write, modify)
            net.after(f"{number * period_us}us", change)
        packets = (exchanges + 1) * period_us // interval_us
        (mac, address), (target, target_address) = (
            packed_addresses(station("h1")),
            packed_addresses(station("h2")),
        )
        sniffer = net.sniff("h2", "udp")
        frames = [
            ethernet(target, mac, ipv4(address, target_address, udp(4000, _FIRST_PORT + port, bytes(18))))
            for port in range(rules)
        ]
        for number in range(packets):
            net.host("h1").send(frames[number % rules])
            net.run_for(f"{interval_us}us")
        net.run_for("10ms")
        arrived = {
            frame.time_ns // (1000 * interval_us): int.from_bytes(frame.data[36:38], "big") - _FIRST_PORT
            for frame in sniffer.stop()
            if not frame.outbound
        }
    first = min(arrived) - next(iter(arrived.values()))
    judged = [
        number % rules % 2 if first + number in arrived else 1 - number % rules % 2
        for number in range(packets)
    ]
    changes = sum(a != b for a, b in itertools.pairwise(judged))
    return {
        "packets": packets,
        "passed": len(arrived),
        "changes": changes,
        "back_and_forth": changes - exchanges,
        "final_is_right": int(judged[-1] == exchanges % 2),
    }


def _rules(count: int, parity: int) -> list[PolicyRule]:
    return [
        PolicyRule(
            permit=number % 2 == parity, protocol=UDP, ports=(_FIRST_PORT + number, _FIRST_PORT + number)
        )
        for number in range(count)
    ]
