"""A running switch: its program, tables and timing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir import _core, units
from weir.control.table import Table
from weir.errors import ControlError
from weir.program import Program

if TYPE_CHECKING:
    from weir.control.commands import Runtime
    from weir.network import Profile


class Switch:
    """A switch of a network. Got from :meth:`Network.switch`.

    Attributes:
        name: such as ``s1``.
        program: the P4 program it runs.
        profile: its timing profile.
        core: its control interface as the core has it, for the package's own use.
    """

    def __init__(self, core: _core.Switch, name: str, program: Program, profile: Profile) -> None:
        self.core = core
        self.name = name
        self.program = program
        self.profile = profile

    @property
    def pass_latency(self) -> str:
        """Time from the start of a pass through ingress and egress to its end, such as ``"5us"``."""
        return units.format_time(self.profile.pass_latency_ns)

    @property
    def tables(self) -> dict[str, Table]:
        """Its tables by control-plane name, in the program's order."""
        return {name: Table(self, info) for name, info in self.program.tables.items()}

    def table(self, name: str) -> Table:
        """The table of that control-plane name, or of that last part if only one has it.

        Raises:
            ControlError: there is none; the message names the nearest.
        """
        info = self.program.find_table(name)
        if info is None:
            message, suggestion = self.program.unknown_table(name)
            raise ControlError(message, suggestion=suggestion)
        return Table(self, info)

    def write(self, updates: Sequence[_core.Update]) -> None:
        """Makes changes, all or none.

        Raises:
            ControlError: one cannot be made.
        """
        failed = self.try_write(updates)
        if failed is not None:
            raise ControlError(failed[1])

    def try_write(self, updates: Sequence[_core.Update]) -> tuple[int, str] | None:
        """Makes changes, all or none: then the number of the one that cannot be made, and why."""
        return self.core.write(list(updates))[1]

    def insert(self, update: _core.Update) -> int:
        """Makes a change that adds an entry; the entry's handle.

        Raises:
            ControlError: it cannot be made.
        """
        handles, failed = self.core.write([update])
        if failed is not None:
            raise ControlError(failed[1])
        return handles[0] or 0

    def entries(self, table: str) -> list[tuple[int, _core.Entry]]:
        """A table's entries with their handles; ``table`` is its full name."""
        handles = [handle for handle, _, _ in self.core.entry_hits(table)]
        return list(zip(handles, self.core.entries(table), strict=True))

    @cached_property
    def runtime(self) -> Runtime:
        """The runtime command language of ``simple_switch_CLI`` on this switch."""
        from weir.control.commands import Runtime

        return Runtime(self)

    def run_commands(self, file: str | Path) -> list[str]:
        """Runs a file of runtime commands, up to the first that fails.

        Returns:
            The lines that they print.

        Raises:
            FileError: the file cannot be read.
            ControlError: a command failed; the message names file and line.
        """
        return self.runtime.load(file)

    def load_entries(self, entries: str | Path | Mapping[str, Any]) -> int:
        """Applies the public tutorials' runtime JSON: all of it, or nothing if anything in it is wrong.

        Args:
            entries: a file, or the same document as Python objects.

        Returns:
            How many entries and defaults were set.

        Raises:
            FileError: the file cannot be read or is not JSON.
            ControlError: it does not fit the program; the message names the JSON path.
        """
        from weir.control.runtime import load

        return load(self, entries)

    def __repr__(self) -> str:
        return f"<weir.Switch {self.name}>"
