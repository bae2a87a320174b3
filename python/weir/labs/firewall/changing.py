"""What admitted hosts lose while hosts come and go and rules are exchanged: nothing."""

from __future__ import annotations

from typing import Any

import weir

from .frames import UDP
from .network import SWITCHES, refusals
from .office import Office, Talker
from .policy import PolicyRule

_PAUSE_MS = 20


@weir.experiment(rules=[10, 100, 1000], seconds=[5])
def changing(rules: int, seconds: int, seed: int) -> dict[str, Any]:
    """Do h1 and h3 lose packets while h2 and h4 join and leave, and all rules are exchanged?"""
    sets = [_rules(rules, which) for which in (0, 1)]
    with Office(seed=seed, silence=None, limited=False, rules=sets[0]) as office:
        net, controller = office.net, office.controller
        office.join("h1", "h3")
        until_ns = net.now_ns + seconds * 1_000_000_000
        talkers = [
            net.host(a).run(Talker(b, "1ms", until_ns), udp=Talker.PORT)
            for a, b in (("h1", "h3"), ("h3", "h1"))
        ]
        writes, exchanges = controller.writes, 0
        joins: list[float] = []

        def exchange(switch: str, number: int = 1) -> None:
            nonlocal exchanges
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
                    agent.leave()
            net.run_for(f"{_PAUSE_MS}ms")
        net.run_for("1s")
        sent = sum(talker.sent for talker in talkers)
        return {
            "joins": len(joins),
            "join_max_ms": max(joins, default=None),
            "exchanges": exchanges,
            "writes": controller.writes - writes,
            "sent": sent,
            "lost": sent - sum(len(talker.received) for talker in talkers),
            "refused": sum(refusals(net).values()),
        }


def _rules(count: int, which: int) -> list[PolicyRule]:
    """A set of rules: both let the hosts talk, and deny different ports."""
    first = 10_000 + which * 20_000
    return [
        *(
            PolicyRule(permit=False, priority=2, protocol=UDP, ports=(first + n, first + n))
            for n in range(count - 1)
        ),
        PolicyRule(permit=True, priority=1),
    ]
