"""Interfaces of a running network: the sending sides of link ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir import qdisc

if TYPE_CHECKING:
    from collections.abc import Callable

    from weir import _core_contracts as cores


class Interface:
    """The sending side of a link end, from :meth:`Network.interface` or :meth:`Host.interface`."""

    __slots__ = ("_core", "_follow", "_name")

    def __init__(self, core: cores.Interface, name: str, follow: Callable[[], None] | None = None) -> None:
        self._core = core
        self._name = name
        # A function that updates the queue in the switch if packets wait there for this interface.
        self._follow = follow

    @property
    def name(self) -> str:
        """The interface's name, such as ``h1-eth0`` or ``s1-p2``."""
        return self._name

    @property
    def qdisc(self) -> str:
        """The queueing discipline, such as ``"pfifo limit 1000"`` or ``"fq limit 10000 …"``."""
        return self._core.queue

    @qdisc.setter
    def qdisc(self, value: qdisc.Qdisc | str) -> None:
        """Replaces the queue by a discipline of :mod:`weir.qdisc` or by a limit such as ``"100p"``.

        If the kind of discipline stays the same, waiting packets stay in the queue; otherwise they
        are dropped, and counted as dropped.
        """
        self._core.set_queue(qdisc.core(value))
        if self._follow is not None:
            self._follow()

    def __repr__(self) -> str:
        return f"<weir.Interface {self.name}: {self.qdisc}>"
