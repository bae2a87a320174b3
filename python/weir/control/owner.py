"""The interfaces through which objects, controllers and listeners use their switch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weir import _core
    from weir._core import Digest, LogLine
    from weir.control.messages import IdleNotice
    from weir.program import DeclaredObjects, Program


class Owner(Protocol):
    """The interface of a local or remote switch that tables, counters and other objects use."""

    name: str
    _core: _core.Switch

    @property
    def program(self) -> DeclaredObjects:
        """The declarations of the switch's program."""

    @property
    def ports(self) -> list[int]:
        """The numbers of the switch's ports."""


class ProgrammedSwitch(Owner, Protocol):
    """The interface of a switch that controllers and runtime commands use."""

    @property
    def program(self) -> Program:
        """The program that the switch runs."""


class Reporter(Protocol):
    """The interface of a switch that listeners use."""

    name: str

    def digests(self) -> Sequence[Digest]:
        """Returns the digests since the last call."""

    def log(self) -> Sequence[LogLine]:
        """Returns the lines of ``log_msg`` since the last call."""

    def idle_notices(self) -> Sequence[IdleNotice]:
        """Returns the notices of idle entries since the last call."""
