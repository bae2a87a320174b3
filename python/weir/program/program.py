"""A compiled P4 program."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from weir import _core
from weir.program.diagnostic import Diagnostic, diagnostic
from weir.program.executor import known_executor
from weir.program.info import KeyInfo, ObjectInfo, ProfileInfo, TableInfo, ValueSetInfo, table_info

_PLACES: Final = re.compile(
    r"""^file ".*"\n|("(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`)| @(?:\d+/)?\d+:\d+""", re.MULTILINE
)
"""In the text of the IR: lines that name files, and places. Texts and names are its group."""


class Program:
    """A compiled P4 program, ready to run in switches. Made by :func:`compile`."""

    def __init__(self, core: _core.Program, path: str) -> None:
        self._core = core
        self.path = path

    @cached_property
    def tables(self) -> Mapping[str, TableInfo]:
        """Its tables by control-plane name, in the program's order."""
        return {table.name: table for table in map(table_info, self._core.tables())}

    @cached_property
    def _port_params(self) -> Mapping[str, list[str]]:
        """By action, the parameters that choose the port where a packet leaves.

        Each action is there by its control-plane name and by the last part of it.
        """
        found: dict[str, list[str]] = {}
        for action, param in self._core.port_params():
            for name in {action, action.rpartition(".")[2]}:
                found.setdefault(name, []).append(param)
        return found

    def objects(self, kind: str) -> Mapping[str, ObjectInfo]:
        """Its counters, registers or meters by control-plane name, indexed ones before direct ones.

        Args:
            kind: ``counter``, ``register`` or ``meter``.
        """
        found = {
            name: ObjectInfo(name, size, width, counts)
            for what, name, size, width, counts in self._core.objects()
            if what == kind
        }
        for table in self.tables.values():
            direct = {"counter": table.direct_counter, "meter": table.direct_meter}.get(kind)
            if direct is not None:
                name, counts = direct
                found[name] = ObjectInfo(name, 0, 0, counts, table.name)
        return found

    def register_fields(self, name: str) -> Sequence[tuple[str, int]]:
        """The fields of a register's cells with their widths in bits.

        The first field has the upper bits. For cells of one value: one field without a name.

        Args:
            name: the register's control-plane name in full.
        """
        return self._core.register_fields(name)

    @cached_property
    def value_sets(self) -> Mapping[str, ValueSetInfo]:
        """Its parser value sets by control-plane name."""
        found = {}
        for name, size, fields in self._core.value_sets():
            # A set of plain values has one field without a name.
            last = name.rpartition(".")[2]
            infos = tuple(KeyInfo(field or last, width, kind) for field, width, kind in fields)
            found[name] = ValueSetInfo(name, size, infos)
        return found

    @cached_property
    def profiles(self) -> Mapping[str, ProfileInfo]:
        """Its action profiles and selectors by control-plane name."""
        return {profile[0]: ProfileInfo(*profile) for profile in self._core.profiles()}

    @cached_property
    def headers(self) -> Mapping[str, Sequence[tuple[str, int, bool]]]:
        """Its header instances by name.

        For each field: the name, the width in bits (the maximum of a varbit), and whether it is a
        varbit.
        """
        return dict(self._core.headers())

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits that identify what it does: a digest of the IR that runs.

        Comments, formatting, and the names and folders of files do not change it.
        """
        text = _PLACES.sub(lambda found: found[1] or "", self._core.text())
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def executor(self) -> str:
        """What runs it: ``native`` or ``interp``."""
        return self._core.executor()

    def with_executor(self, name: str) -> Program:
        """The same program, run by another executor.

        Args:
            name: ``native`` (machine code) or ``interp`` (the reference interpreter).

        Raises:
            NetworkError: there is no executor of that name, or no machine code for this processor.
        """
        return (
            self
            if name == self.executor
            else Program(self._core.with_executor(known_executor(name)), self.path)
        )

    @property
    def warnings(self) -> list[Diagnostic]:
        """What the compiler found worth a word."""
        return [diagnostic(d) for d in self._core.warnings()]

    def _repr_html_(self) -> str:
        """The tables with keys and actions, other objects, and the warnings, for notebooks."""
        from weir.display import grid, shown

        tables = [
            (
                table.name,
                ", ".join(f"{key.name} ({key.match_kind}, {key.width} bits)" for key in table.keys),
                ", ".join(action.name for action in table.actions),
                table.size,
            )
            for table in self.tables.values()
        ]
        parts = [grid(["table", "keys", "actions", "size"], tables, words=(0, 1, 2))] if tables else []
        objects = [
            (kind, one.name, one.size or (f"an entry of {one.table}" if one.table else None))
            for kind in ("counter", "register", "meter")
            for one in self.objects(kind).values()
        ]
        parts += [grid(["object", "name", "cells"], objects, words=(0, 1))] if objects else []
        parts += [warning._html() for warning in self.warnings]
        return shown(f"{self.path}, run by {self.executor}", *parts)

    def __repr__(self) -> str:
        warnings = len(self.warnings)
        warned = f", {warnings} warning{'' if warnings == 1 else 's'}" if warnings else ""
        tables = len(self.tables)
        return f"<weir.Program {self.path}: {tables} table{'' if tables == 1 else 's'}{warned}>"
