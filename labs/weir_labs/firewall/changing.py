"""The experiment "changing": traffic and attacks while hosts join and leave and rules change."""

from __future__ import annotations

import random
from typing import Any, Final

import polars as pl

import weir
from weir.packets import UDP

from .attack import count_leaks
from .attacks import ATTACKS
from .network import STATIONS, SWITCHES, refusals
from .office import Office, Talker
from .policy import PolicyRule

_PAUSE_MS = 20
ATTACKER: Final = "x1"
WINDOW_MS: Final = 10
"""The length of the time windows in which the table ``windows`` counts packets, in milliseconds of
virtual time."""


class _Attacker(weir.HostProgram):
    """Sends ten frames every millisecond, most of them with the address of an admitted host."""

    def __init__(self, seed: int, until_ns: int) -> None:
        self.sent: list[int] = []
        self._frames = ATTACKS["spoofing"].frames(random.Random(f"changing {seed}"), [])
        self._until_ns = until_ns

    def start(self) -> None:
        """Starts to send."""
        self.on_timer(None)

    def on_timer(self, token: object) -> None:
        """Sends the next ten frames."""
        if self.now_ns < self._until_ns:
            for _ in range(10):
                self.send(next(self._frames))
                self.sent.append(self.now_ns)
            self.after("1ms")


@weir.experiment(rules=[10, 100, 1000], seconds=[5])
def changing(rules: int, seconds: int, seed: int) -> dict[str, Any]:
    """Do members lose packets, or do spoofed packets pass, while hosts join and leave and rules
    change?

    h1 and h3 exchange packets all the time, h2 and h4 join and leave, and x1 spoofs all four hosts.
    """
    sets = [_rules(rules, parity) for parity in (0, 1)]
    with Office(seed=seed, silence=None, limited=False, rules=sets[0]) as office:
        net, controller = office.net, office.controller
        office.join("h1", "h3")
        start_ns = net.now_ns
        until_ns = start_ns + seconds * 1_000_000_000
        other_stations = [other.name for other in STATIONS if other.name != ATTACKER]
        sniffer = net.sniff([*other_stations, "s3-p1", "s3-p2"])
        talkers = [
            net.host(sender).run(Talker(receiver, "1ms", until_ns), udp=Talker.PORT)
            for sender, receiver in (("h1", "h3"), ("h3", "h1"))
        ]
        attacker = net.host(ATTACKER).run(_Attacker(seed, until_ns))
        writes, exchanges = controller.writes, 0
        joins: list[float] = []
        moments: list[dict[str, Any]] = []

        def note(event: str, where: str, time_ns: int) -> None:
            moments.append({"event": event, "where": where, "time_ms": (time_ns - start_ns) / 1e6})

        def exchange(switch: str, number: int = 1) -> None:
            nonlocal exchanges
            if number > 1:
                note("exchange", switch, net.now_ns)
            if net.now_ns < until_ns:
                exchanges += 1
                controller.exchange(switch, sets[number % 2], lambda: exchange(switch, number + 1))

        for switch in SWITCHES:
            exchange(switch)
        while net.now_ns < until_ns:
            for name in ("h2", "h4"):
                agent = office.agents[name]
                if agent.joined_ns is None:
                    agent.join()
                else:
                    assert agent.asked_ns is not None
                    joins.append((agent.joined_ns - agent.asked_ns) / 1e6)
                    note("join", name, agent.joined_ns)
                    note("leave", name, net.now_ns)
                    agent.leave()
            net.run_for(f"{_PAUSE_MS}ms")
        net.run_for("1s")
        sent = sum(talker.sent for talker in talkers)
        leaked = count_leaks(sniffer.stop(), other_stations, ("h2", "h4"))
        refused = sum(refusals(net).values())
        arrivals = [time for talker in talkers for time in talker.received.values()]
        return {
            "joins": len(joins),
            "join_max_ms": max(joins, default=None),
            "exchanges": exchanges,
            "writes": controller.writes - writes,
            "sent": sent,
            "lost": sent - sum(len(talker.received) for talker in talkers),
            "attack_sent": len(attacker.sent),
            "attack_leaked": leaked,
            "unexplained": len(attacker.sent) - refused,
            "moments": pl.DataFrame(
                moments, schema={"event": pl.String, "where": pl.String, "time_ms": pl.Float64}
            ),
            "windows": _windows(start_ns, seconds, arrivals, attacker.sent),
        }


def _windows(start_ns: int, seconds: int, arrivals: list[int], attacks: list[int]) -> pl.DataFrame:
    """Counts, for each time window, the members' packets that arrive and the attack packets that
    are sent."""
    count = 1000 * seconds // WINDOW_MS
    arrival_counts, other = [0] * count, [0] * count
    for times, counts in ((arrivals, arrival_counts), (attacks, other)):
        for time in times:
            # Packets that were sent at the very end arrive in the last window.
            counts[min(count - 1, (time - start_ns) // (1_000_000 * WINDOW_MS))] += 1
    times_ms = [number * WINDOW_MS for number in range(count)]
    return pl.DataFrame({"time_ms": times_ms, "members_received": arrival_counts, "attack_sent": other})


def _rules(count: int, denied_port: int) -> list[PolicyRule]:
    """Builds a set of rules that lets the hosts exchange packets and denies a range of ports."""
    first = 10_000 + denied_port * 20_000
    return [
        *(
            PolicyRule(permit=False, priority=2, protocol=UDP, ports=(first + n, first + n))
            for n in range(count - 1)
        ),
        PolicyRule(permit=True, priority=1),
    ]
