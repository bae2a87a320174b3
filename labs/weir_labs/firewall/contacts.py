"""The experiment "contacts": a new host may only answer, until the controller trusts it."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

import weir

from .network import refusals
from .office import Office

_PORT: Final = 7000
SPEAKS_S: Final = (10, 60)
"""The times in seconds at which h1 sends a datagram to h4."""

TRUSTED_S: Final = 100
"""The time in seconds from which the controller trusts h4."""

SECONDS: Final = 110


class _Newcomer(weir.HostProgram):
    """A program that sends a datagram to each of two hosts every half second."""

    def __init__(self) -> None:
        self.sent = 0

    def start(self) -> None:
        """Starts to send."""
        self.on_timer(None)

    def on_timer(self, token: object) -> None:
        """Sends the next datagrams."""
        for peer in ("h1", "h2"):
            self.send_udp(peer, _PORT, self.sent.to_bytes(4, "big"))
        self.sent += 1
        self.after("0.5s")


class _Listener(weir.HostProgram):
    """A program that records the numbers of the datagrams that arrive."""

    def __init__(self) -> None:
        self.numbers: set[int] = set()

    def on_datagram(self, datagram: weir.Datagram) -> None:
        """Records the number of a datagram."""
        self.numbers.add(int.from_bytes(datagram.payload, "big"))


@weir.experiment()
def contacts(seed: int) -> dict[str, Any]:
    """The new host h4 sends to h1 and h2 all the time; h1 sends to h4 twice, h2 never does."""
    with Office(seed=seed, new=["h4"], silence=None) as office:
        net = office.net
        office.join("h1", "h2", "h3", "h4")
        listeners = {name: net.host(name).run(_Listener(), udp=_PORT) for name in ("h1", "h2")}
        start_ns = net.now_ns
        newcomer = net.host("h4").run(_Newcomer(), udp=_PORT)
        for second in SPEAKS_S:
            net.after(f"{second}s", lambda: listeners["h1"].send_udp("h4", _PORT, bytes(4)))
        net.after(f"{TRUSTED_S}s", lambda: office.controller.trust("h4"))
        # The newcomer stops before the end of the run, so that no packet is in flight at the end.
        net.run_for(f"{SECONDS - 0.1}s")
        rows = [
            {"target": name, "time_s": number / 2, "passed": number in listener.numbers}
            for name, listener in listeners.items()
            for number in range(newcomer.sent)
        ]
        passed = pl.DataFrame(rows)
        early = passed.filter(pl.col("time_s") < TRUSTED_S)
        return {
            "start_ms": start_ns / 1e6,
            "sent": len(rows),
            "to_contact": int(early.filter(pl.col("target") == "h1")["passed"].sum()),
            "to_other": int(early.filter(pl.col("target") == "h2")["passed"].sum()),
            "after_trust": int(passed.filter(pl.col("time_s") > TRUSTED_S)["passed"].sum()),
            "refused": refusals(net)["not_contacted"],
            "passed": passed,
        }
