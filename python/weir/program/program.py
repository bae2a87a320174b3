"""A compiled P4 program."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, Literal

from weir import _core
from weir.errors import P4Error
from weir.errors.diagnostic import Diagnostic, diagnostic
from weir.program.choices import known_executor
from weir.program.declared import DeclaredObjects
from weir.program.own_files import is_own

_PLACES: Final = re.compile(
    r"""^file ".*"\n|("(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`)| @(?:\d+/)?\d+:\d+""", re.MULTILINE
)
"""Matches places and lines with file names in the text of the IR.

The group matches strings and names, which stay in the text unchanged.
"""

_MAX_PORTS = 65_536


class Program(DeclaredObjects):
    """A compiled P4 program, ready to run in switches; from :func:`compile`."""

    def __init__(self, core: _core.Program, path: str) -> None:
        super().__init__(core.declarations())
        self._core = core
        self.path = path

    @cached_property
    def _port_params(self) -> Mapping[str, list[str]]:
        """The action parameters that choose the port at which a packet leaves, by action.

        Each action is included under its control-plane name and under the last part of that name.
        """
        params: dict[str, list[str]] = {}
        for action, param in self._core.port_params():
            for name in {action, action.rpartition(".")[2]}:
                params.setdefault(name, []).append(param)
        return params

    @cached_property
    def _drop_port(self) -> int | None:
        """The port number that drops packets instead of sending them."""
        return self._core.port_space()[1]

    @cached_property
    def _ports(self) -> range:
        """All ports of the program, at most the first 65 536."""
        return range(min(self._last_port, _MAX_PORTS - 1) + 1)

    @cached_property
    def _last_port(self) -> int:
        """The largest number of a port."""
        return self._core.port_space()[0]

    @cached_property
    def _copies_vanish(self) -> bool:
        """Whether copies for a port without a link are lost, because they cannot recirculate."""
        return not self._core.recirculates()

    @cached_property
    def _controller_headers(self) -> Mapping[str, Sequence[tuple[str, int]]]:
        """The fields of controller headers, by the text of ``@controller_header``.

        The fields are in wire order, as names and numbers of bits.
        """
        return dict(self._core.controller_headers())

    @cached_property
    def headers(self) -> Mapping[str, Sequence[tuple[str, int, bool]]]:
        """The header instances by name.

        For each field: the name, the width in bits (the maximum of a varbit), and whether it is a
        varbit.
        """
        return dict(self._core.headers())

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """The contents of the files from which the program was compiled, by name; Weir's own files
        are left out."""
        return {name: text for name, text in self._core.sources() if not is_own(name)}

    @cached_property
    def digest(self) -> str:
        """16 hexadecimal digits that identify what the program does: a digest of the IR that runs.

        Comments, formatting, and the names and folders of files do not change it.
        """
        text = _PLACES.sub(lambda found: found[1] or "", self._core.text())
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def p4info(self, format: Literal["text", "json", "binary"] = "text") -> bytes:
        """Writes the P4Info message, which describes the program to P4Runtime controllers.

        Args:
            format: protocol buffers' ``text`` format, ``json``, or ``binary``.

        Raises:
            NetworkError: there is no such format.
            P4Error: P4Info cannot express the program: ``@id`` or ``@alias`` annotations conflict,
                or a type with ``@p4runtime_translation`` is not a ``bit<W>``.
        """
        written, diagnostics = self._core.p4info(format)
        if written is None:
            raise P4Error(diagnostic(d) for d in diagnostics)
        return written

    def bfrt_json(self) -> str:
        """Returns the program's tables as BfRt describes them: the text of ``bf-rt.json``.

        Raises:
            P4Error: BfRt cannot express the program: ``@id`` or ``@alias`` annotations conflict.
        """
        written, diagnostics = self._core.bfrt_json()
        if written is None:
            raise P4Error(diagnostic(d) for d in diagnostics)
        return written

    @property
    def executor(self) -> str:
        """The executor that runs the program: ``native`` or ``interp``."""
        return self._core.executor()

    def whole_frames(self) -> list[str]:
        """Describes how ``weir switch --gso auto`` treats GSO frames and partial checksums.

        Each sentence says that such frames pass the program unchanged, or which of them are
        segmented or completed before the program runs, and why: what the program could observe,
        with its place.
        """
        return self._core.whole_frames()

    def with_executor(self, name: str) -> Program:
        """Returns the program for another executor.

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
        """The compiler's warnings."""
        return [diagnostic(d) for d in self._core.warnings()]

    def _repr_html_(self) -> str:
        """Renders the tables with keys and actions, other objects, and the warnings as HTML, for
        notebooks."""
        from weir.display import grid, titled_output

        tables = [
            (
                table.name,
                ", ".join(f"{key.name} ({key.match_kind}, {key.width} bits)" for key in table.keys),
                ", ".join(action.name for action in table.actions),
                table.default_action,
                table.size,
            )
            for table in self.tables.values()
        ]
        parts = (
            [grid(["table", "keys", "actions", "default action", "size"], tables, words=(0, 1, 2, 3))]
            if tables
            else []
        )
        objects = [
            (kind, info.name, info.size or (f"an entry of {info.table}" if info.table else None))
            for kind in ("counter", "register", "meter")
            for info in self.objects(kind).values()
        ]
        parts += [grid(["object", "name", "cells"], objects, words=(0, 1))] if objects else []
        parts += [warning._html() for warning in self.warnings]
        return titled_output(f"{self.path}, run by {self.executor}", *parts)

    def __repr__(self) -> str:
        warnings = len(self.warnings)
        warned = f", {warnings} warning{'' if warnings == 1 else 's'}" if warnings else ""
        tables = len(self.tables)
        return f"<weir.Program {self.path}: {tables} table{'' if tables == 1 else 's'}{warned}>"
