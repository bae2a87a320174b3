"""The experiment "flooding": whether hosts can join during a flood of requests."""

from __future__ import annotations

from typing import Any, Final

import weir

from .messages import CONTROLLER_MAC, HELLO, Message
from .network import packed_addresses, station
from .office import Office

_PAUSE: Final = "20ms"


class _Flood(weir.HostProgram):
    """A program that sends requests to join as h1 at a fixed rate until it is stopped."""

    def __init__(self, interval_ns: int) -> None:
        self.sent = 0
        self._interval_ns = interval_ns

    def start(self) -> None:
        """Starts to send."""
        self.on_timer(None)

    def on_timer(self, token: object) -> None:
        """Sends a request. The controller knows the host, so it makes a challenge for each
        request."""
        mac, address = packed_addresses(station("h1"))
        self.send(bytes(Message(CONTROLLER_MAC, mac, HELLO, address, self.sent.to_bytes(16, "big"))))
        self.sent += 1
        self.after(f"{self._interval_ns}ns")


@weir.experiment(limited=[True, False], per_second=[0, 1000, 5000, 9000, 20_000, 50_000], joins=[20])
def flooding(limited: bool, per_second: int, joins: int, seed: int) -> dict[str, Any]:
    """How long do joins of h2 take while x1, at the same switch, sends requests?

    The controller needs 100 µs per request, so it can handle at most 10 000 requests per second.
    """
    times: list[float] = []
    with Office(seed=seed, limited=limited) as office:
        net, agent, controller = office.net, office.agents["h2"], office.controller
        flood = net.host("x1").run(_Flood(1_000_000_000 // per_second)) if per_second else None
        net.run_for("200ms")
        for _ in range(joins):
            # The port of h2 may send only 20 requests per second, too, so h2 waits after each
            # membership.
            net.run_for("200ms" if limited else _PAUSE)
            agent.join()
            net.run_for(_PAUSE)
            for _ in range(50):
                if agent.joined_ns is not None:
                    break
                net.run_for(_PAUSE)
            if agent.joined_ns is None:
                break
            assert agent.asked_ns is not None
            times.append((agent.joined_ns - agent.asked_ns) / 1e6)
            agent.leave()
        return {
            "flood_sent": flood.sent if flood is not None else 0,
            "requests": controller.requests,
            "lost": controller.lost,
            "joined": len(times),
            "join_mean_ms": sum(times) / len(times) if times else None,
            "join_max_ms": max(times) if times else None,
        }
