"""The interface of a switch that its objects, its controller and its listeners use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weir import _core
    from weir._core import Digest, LogLine
    from weir.control.messages import IdleNotice
    from weir.program import DeclaredObjects, Program


class Owner(Protocol):
    """The switch of tables, counters and other objects, here or elsewhere."""

    name: str
    _core: _core.Switch

    @property
    def program(self) -> DeclaredObjects:
        """The declarations of its program."""

    @property
    def ports(self) -> list[int]:
        """The numbers of its ports."""


class ProgrammedSwitch(Owner, Protocol):
    """The switch of a controller, or of a runtime for commands."""

    @property
    def program(self) -> Program:
        """The program that it runs."""


class Reporter(Protocol):
    """The switch of listeners."""

    name: str

    def digests(self) -> Sequence[Digest]:
        """The digests since the last call."""

    def log(self) -> Sequence[LogLine]:
        """The lines of ``log_msg`` since the last call."""

    def idle_notices(self) -> Sequence[IdleNotice]:
        """The notices of idle entries since the last call."""
