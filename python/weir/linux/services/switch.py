"""A ``weir switch`` that forwards between the interfaces of its node, in a process of its own."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from weir import _core
from weir.errors import WeirError
from weir.linux.services.service import Service, run
from weir.qdisc import Qdisc, core

if TYPE_CHECKING:
    from weir._core import Switch


class Queues(Service):
    """A service that sets the switch's queues, for which P4Runtime has no requests.

    Args:
        control: the connection to the network's process.
        switch: the switch.
    """

    def __init__(self, control: Connection[Any, Any], switch: Switch) -> None:
        super().__init__(control, 0)
        self._switch = switch

    def set(self, port: int, rate_bps: int | None, packets: int) -> None:
        """Sets the rate of a port's queues, and the maximum number of packets in each."""
        self._switch.set_queue_rate(rate_bps, True, port, None)
        self._switch.set_queue_depth(packets, port, None)

    def discipline(self, qdisc: Qdisc | str | None, port: int | None, priority: int | None) -> str | None:
        """Sets the queueing discipline of a queue; returns the reason if the switch refuses it."""
        try:
            self._switch.set_queue_discipline(None if qdisc is None else core(qdisc), port, priority)
        except WeirError as error:
            return str(error)
        return None


def serve(control: Connection[Any, Any], _name: str, arguments: Sequence[str]) -> int:
    """Runs the switch until it receives a signal; returns its exit code."""

    def started(switch: Switch, _interfaces: Mapping[int, str]) -> None:
        threading.Thread(target=run, args=(Queues, control, switch), daemon=True).start()

    return _core.run_switch(["weir switch", *arguments], started)
