"""Calls functions for the messages of a switch, at their virtual time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from weir.errors import ControlError
from weir.errors.checks import check_call

if TYPE_CHECKING:
    from weir import _core_contracts as cores
    from weir.clock import Clock
    from weir.control.messages import Message
    from weir.control.owner import Reporter

Kind = Literal["digest", "log", "idle"]


class Listeners:
    """The callbacks for the messages of a switch.

    Args:
        core: the network.
        clock: the network's clock.
        switch: the switch.

    Attributes:
        served: whether digests and idle notices go to P4Runtime controllers.
    """

    def __init__(self, core: cores.Network, clock: Clock, switch: Reporter) -> None:
        self._core, self._clock, self._switch = core, clock, switch
        self._callbacks: dict[Kind, Callable[[Any], object]] = {}
        self.served = False
        self._waiting: deque[tuple[Message, Callable[[Any], object]]] = deque()

    def serve(self) -> None:
        """Hands over digests and idle notices to P4Runtime controllers from now on."""
        self.served = True

    def check_unserved(self) -> None:
        """Checks that digests and idle notices go to the callbacks, and not to P4Runtime
        controllers.

        Raises:
            ControlError: digests and idle notices go to P4Runtime controllers.
        """
        if self.served:
            raise ControlError(
                f"{self._switch.name} is served by P4Runtime: its digests and idle notices go to its "
                "controllers. Read them there, such as with weir.p4runtime.Client(…).digests(); log() "
                "still returns lines of log_msg"
            )

    def set(self, kind: Kind, callback: Callable[[Any], object] | None) -> None:
        """Sets the function to call for messages of a kind; ``None`` removes it."""
        if callback is not None:
            check_call("callback", callback)
            if kind != "log":
                self.check_unserved()
        had_callbacks = bool(self._callbacks)
        if callback is None:
            self._callbacks.pop(kind, None)
        else:
            self._callbacks[kind] = callback
        after = bool(self._callbacks)
        if after and not had_callbacks:
            self._clock.add_delivery(self._deliver)
        if had_callbacks and not after:
            self._clock.remove_delivery(self._deliver)
        kinds = {kind: kind in self._callbacks for kind in ("digest", "log", "idle")}
        if self.served:
            kinds |= {"digest": True, "idle": True}
        self._core.subscribe(self._switch.name, kinds["digest"], kinds["log"], kinds["idle"])

    def _deliver(self) -> None:
        new: list[tuple[Message, Callable[[Any], object]]] = []
        take: dict[Kind, Callable[[], Sequence[Message]]] = {
            "digest": self._switch.digests,
            "log": self._switch.log,
            "idle": self._switch.idle_notices,
        }
        for kind, callback in self._callbacks.items():
            new += [(message, callback) for message in take[kind]()]
        self._waiting.extend(sorted(new, key=lambda one: one[0].time_ns))
        while self._waiting:
            message, callback = self._waiting.popleft()
            if message.time_ns > self._clock.now_ns:
                # A switch processes a packet before its time if this has no observable effect.
                self._clock.at(message.time_ns, partial(callback, message))
            else:
                callback(message)
