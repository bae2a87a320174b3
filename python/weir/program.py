"""P4 programs: checked and compiled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from weir import _core
from weir.errors import CommandError, NetworkError, P4Error
from weir.jsonfile import read_text
from weir.suggest import listing, nearest

EXECUTORS = ("native", "interp")
"""What can run a program: machine code made of it, or the reference interpreter."""

_MAX_SOURCE = 16 << 20
"""Bytes that a source file may have; included files have the same limit."""


@dataclass(frozen=True)
class Label:
    """A place of a finding, with words.

    Attributes:
        place: the file, first line and column, line and column of the end (exclusive), all counted from 1.
        message: what is said about it; may be empty.
        primary: whether it is the mistake's own place, not one that helps to understand it.
    """

    place: tuple[str, int, int, int, int]
    message: str
    primary: bool


@dataclass(frozen=True)
class Suggestion:
    """A change of the text that may mend a mistake.

    Attributes:
        place: the text to replace, as a label's place; an empty range to insert.
        message: what to do, in words.
        replacement: the text to put there; empty to delete.
    """

    place: tuple[str, int, int, int, int]
    message: str
    replacement: str


@dataclass(frozen=True)
class Diagnostic:
    """One finding about a P4 program.

    Attributes:
        severity: ``error`` or ``warning``.
        id: the kind's stable name.
        message: what is wrong, in one sentence.
        file: the file it stands in; None if it has no place.
        line: 1-based line; 0 if it has no place.
        column: 1-based column in characters; 0 if it has no place.
        rendered: the whole finding with its source lines, for people; several lines.
        labels: its places, the main one first.
        notes: further sentences.
        suggestions: possible corrections.
    """

    severity: str
    id: str
    message: str
    file: str | None
    line: int
    column: int
    rendered: str
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.message}"


@dataclass(frozen=True)
class KeyInfo:
    """A table's key: its control-plane name, width in bits, and match kind such as ``lpm``."""

    name: str
    width: int
    match_kind: str


@dataclass(frozen=True)
class ParamInfo:
    """A parameter that the control plane gives to an action: its name and width in bits."""

    name: str
    width: int


@dataclass(frozen=True)
class ActionInfo:
    """An action of a table: its control-plane name, its parameters, and whether entries or the default may not have it."""

    name: str
    params: tuple[ParamInfo, ...]
    default_only: bool
    table_only: bool


@dataclass(frozen=True)
class TableInfo:
    """A table as the program declares it.

    Attributes:
        name: control-plane name, such as ``MyIngress.ipv4_lpm``.
        keys: in order.
        actions: in order.
        size: how many entries the program asks room for; None if it does not say.
        const_entries: whether the control plane may not change the entries.
        const_default: whether the control plane may not change the default action.
        needs_priority: whether entries need a priority: a key is ternary, range or optional, or two are lpm.
        support_timeout: whether entries may have an idle time-out.
        direct_counter: its direct counter's name, if it has one, and what that counts: ``packets and bytes``.
        direct_meter: its direct meter's name, if it has one, and what that meters: ``packets`` or ``bytes``.
        profile: its action profile's name, if it has one: entries lead to members or groups then.
    """

    name: str
    keys: tuple[KeyInfo, ...]
    actions: tuple[ActionInfo, ...]
    size: int | None
    const_entries: bool
    const_default: bool
    needs_priority: bool
    support_timeout: bool
    direct_counter: tuple[str, str] | None
    direct_meter: tuple[str, str] | None
    profile: str | None

    def find_action(self, name: str) -> ActionInfo | None:
        """The action of that control-plane name, or of that last part if only one has it."""
        exact = [action for action in self.actions if action.name == name]
        short = [action for action in self.actions if action.name.endswith(f".{name}")]
        found = exact or short
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True)
class ObjectInfo:
    """A counter, register or meter as the program declares it.

    Attributes:
        name: control-plane name.
        size: cells; 0 for a direct one, which has a cell an entry.
        width: bits of a register's cell, else 0.
        counts: ``packets``, ``bytes``, ``packets and bytes``; empty for registers.
        table: the table of a direct one.
    """

    name: str
    size: int
    width: int
    counts: str
    table: str | None = None


@dataclass(frozen=True)
class ProfileInfo:
    """An action profile as the program declares it.

    Attributes:
        name: control-plane name.
        size: members that fit; 0 for no limit.
        is_selector: whether it has groups.
        tables: the tables that use it.
    """

    name: str
    size: int
    is_selector: bool
    tables: Sequence[str]


@dataclass(frozen=True)
class ValueSetInfo:
    """A parser value set as the program declares it.

    Attributes:
        name: control-plane name.
        size: members that fit.
        fields: what a member says something of, in order.
    """

    name: str
    size: int
    fields: Sequence[KeyInfo]


class Program:
    """A compiled P4 program, ready to run in switches. Made by :func:`compile`."""

    def __init__(self, core: _core.Program, path: str) -> None:
        self._core = core
        self.path = path

    @cached_property
    def tables(self) -> Mapping[str, TableInfo]:
        """Its tables by control-plane name, in the program's order."""
        return {table.name: table for table in map(_table_info, self._core.tables())}

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
        """The fields of a register's cells with their bits, the first one in the upper bits; one without name for cells of one value.

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
        """Its header instances by name; each field's name, bits (the most a varbit can have), and whether it is a varbit."""
        return dict(self._core.headers())

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
        return self if name == self.executor else Program(self._core.with_executor(_known(name)), self.path)

    @property
    def warnings(self) -> list[Diagnostic]:
        """What the compiler found worth a word."""
        return [_diagnostic(d) for d in self._core.warnings()]

    def find_table(self, name: str) -> TableInfo | None:
        """The table of that control-plane name, or of that last part if only one has it."""
        if name in self.tables:
            return self.tables[name]
        short = [table for key, table in self.tables.items() if key.endswith(f".{name}")]
        return short[0] if len(short) == 1 else None

    def unknown_table(self, name: str) -> tuple[str, str | None]:
        """What to say of a table name that is not there: the message and the nearest right name."""
        suggestion = nearest(name, self.tables, dotted=True)
        known = "" if suggestion else f" (its tables: {listing(self.tables)})"
        return f'the program {Path(self.path).name} has no table "{name}"{known}', suggestion

    def __repr__(self) -> str:
        return f"<weir.Program {self.path}>"


def check(
    path: str | Path,
    include: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    *,
    colour: bool = False,
) -> list[Diagnostic]:
    """Checks a P4 program.

    Args:
        path: the program's file.
        include: folders to look for included files in, before Weir's own (``core.p4``, ``v1model.p4``, …).
        defines: macros, as ``-D`` gives them.
        colour: whether the findings' ``rendered`` has terminal colours.

    Returns:
        Errors and warnings in the order of the text; no error among them means that the program is valid.

    Raises:
        FileError: the file cannot be read.
    """
    text = read_text(path, _MAX_SOURCE)
    found = _core.check(str(path), text, _include_path(include), _defines(defines), colour)
    return [_diagnostic(d) for d in found]


def compile(
    path: str | Path,
    include: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    *,
    executor: str | None = None,
    colour: bool = False,
) -> Program:
    """Compiles a P4 program.

    Args:
        path: the program's file.
        include: folders to look for included files in, before Weir's own.
        defines: macros, as ``-D`` gives them.
        executor: what runs it: ``native`` or ``interp``; by default machine code wherever there is some for the processor.
        colour: whether the error's text has terminal colours.

    Raises:
        FileError: the file cannot be read.
        P4Error: it has errors.
        NetworkError: there is no such executor, or no machine code for this processor.
    """
    runs = None if executor is None else _known(executor)
    text = read_text(path, _MAX_SOURCE)
    core, found = _core.compile(str(path), text, _include_path(include), _defines(defines), runs, colour)
    if core is None:
        raise P4Error(_diagnostic(d) for d in found)
    return Program(core, str(path))


def _known(executor: str) -> str:
    """The executor's name, if there is one of that name."""
    if executor not in EXECUTORS:
        raise NetworkError(
            f'there is no executor "{executor}": expected {" or ".join(EXECUTORS)}',
            suggestion=nearest(executor, EXECUTORS),
        )
    return executor


def compile_stages(
    path: str | Path,
    include: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    *,
    executor: str | None = None,
) -> Mapping[str, float]:
    """Compiles a P4 program and takes one packet through it.

    Returns:
        Seconds of each stage, in order: ``parse`` (preprocessing too), ``check`` (warnings too), ``lower``, ``passes``, ``executor``
        (what runs the program is made ready), ``first packet`` (a switch is made, its blocks become one piece of machine code, unless it is
        the interpreter, and one packet goes through).

    Raises:
        FileError: the file cannot be read.
        P4Error: it has errors.
        NetworkError: there is no such executor, no machine code for this processor, or the program's architecture is not known.
    """
    runs = None if executor is None else _known(executor)
    text = read_text(path, _MAX_SOURCE)
    stages = _core.compile_stages(str(path), text, _include_path(include), _defines(defines), runs)
    if stages is None:
        # It says what is wrong.
        compile(path, include, defines, executor=executor)
        raise NetworkError(f"{path} compiles, but not stage by stage")
    return dict(stages)


def ir_stages() -> Mapping[str, str]:
    """The stages that a program's IR goes through, in order, and what each does."""
    return dict(_core.ir_stages())


def ir(
    path: str | Path,
    include: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    *,
    after: str = "lower",
    colour: bool = False,
) -> str:
    """A P4 program's intermediate representation as text (docs/ir.md says what it means).

    Args:
        path: the program's file. It need not instantiate ``main``.
        include: folders to look for included files in, before Weir's own.
        defines: macros, as ``-D`` gives them.
        after: the stage to show it after, one of :func:`ir_stages`.
        colour: whether the error's text has terminal colours.

    Raises:
        CommandError: there is no such stage.
        FileError: the file cannot be read.
        P4Error: it has errors.
        NetworkError: Weir does not have the program's architecture, and the stage needs it.
    """
    stages = ir_stages()
    if after not in stages:
        suggestion = nearest(after, stages)
        known = "" if suggestion else f" (there are: {listing(stages)})"
        raise CommandError(f'there is no pass "{after}"{known}', suggestion=suggestion)
    text = read_text(path, _MAX_SOURCE)
    shown, found = _core.ir(str(path), text, _include_path(include), _defines(defines), after, colour)
    if shown is None:
        raise P4Error(_diagnostic(d) for d in found)
    return shown


def p4include() -> Path:
    """The folder of Weir's own ``core.p4``, ``v1model.p4`` and their like."""
    return Path(__file__).with_name("p4include")


def _include_path(include: Iterable[str | Path]) -> list[str]:
    return [*(str(folder) for folder in include), str(p4include())]


def _defines(defines: Mapping[str, str] | None) -> list[tuple[str, str]]:
    return list((defines or {}).items())


def _diagnostic(d: _core.Diagnostic) -> Diagnostic:
    return Diagnostic(
        d.severity,
        d.id,
        d.message,
        d.file,
        d.line,
        d.column,
        d.rendered,
        tuple(Label(*label) for label in d.labels),
        tuple(d.notes),
        tuple(Suggestion(*suggestion) for suggestion in d.suggestions),
    )


def _table_info(table: _core.TableInfo) -> TableInfo:
    def action(a: _core.ActionInfo) -> ActionInfo:
        return ActionInfo(a.name, _params(a.params), a.default_only, a.table_only)

    return TableInfo(
        table.name,
        tuple(KeyInfo(*key) for key in table.keys),
        tuple(action(a) for a in table.actions),
        table.size,
        table.const_entries,
        table.const_default,
        table.needs_priority,
        table.support_timeout,
        table.direct_counter,
        table.direct_meter,
        table.profile,
    )


def _params(params: Sequence[tuple[str, int]]) -> tuple[ParamInfo, ...]:
    return tuple(ParamInfo(*param) for param in params)
