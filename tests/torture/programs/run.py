"""Compiles a program, and sends packets to the result."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import weir
from torture.case import Case, Failed
from weir.errors import FileError, NetworkError, P4Error
from weir.program import EXECUTORS, Diagnostic
from weir.program.explain import ids
from weir.stf.bench import Bench

MAX_RENDERED = 200_000
"""Characters that all diagnostics together may have for a program."""


def text_case(kind: str, text: str | bytes, include: Sequence[Path] = ()) -> Case:
    """A program in one file."""
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text

    def run(folder: Path) -> str:
        path = folder / "main.p4"
        path.write_bytes(content)
        return check_program(path, include)[0]

    return Case(kind, run, {"main.p4": content})


def check_program(path: Path, include: Sequence[Path] = ()) -> tuple[str, list[Diagnostic]]:
    """Checks, compiles and runs a program with both executors.

    Returns:
        ``valid``, ``large`` (valid, but not for machine code), ``invalid`` or ``unreadable``, and
        the diagnostics.
    """
    try:
        diagnostics = weir.check(path, include)
    except FileError as error:
        if len(str(error)) > 2 * len(str(path)) + 500:
            raise Failed(f"a long message: {str(error)[:500]}") from None
        return "unreadable", []
    for diagnostic in diagnostics:
        _check_diagnostic(diagnostic)
    size = sum(len(diagnostic.rendered) for diagnostic in diagnostics)
    if size > MAX_RENDERED:
        raise Failed(f"{size} characters of diagnostics")
    errors = any(diagnostic.severity == "error" for diagnostic in diagnostics)
    try:
        programs = [weir.compile(path, include, executor=executor) for executor in EXECUTORS]
    except NetworkError as error:
        if errors or "too large for machine code" not in str(error):
            raise
        _compare([weir.compile(path, include, executor="interp")])
        return "large", diagnostics
    except FileError:
        # A brace begins JSON that carries a program.
        if errors and path.read_bytes().lstrip().startswith(b"{"):
            return "invalid", diagnostics
        raise
    except P4Error as error:
        if not errors and not any(
            diagnostic.severity == "note" or diagnostic.id == "no-main" for diagnostic in diagnostics
        ):
            raise Failed(f"check accepts the program, compile does not: {error}") from None
        return "invalid", diagnostics
    if errors:
        raise Failed("compile accepts a program that check refuses")
    _compare(programs)
    return "valid", diagnostics


def _check_diagnostic(diagnostic: Diagnostic) -> None:
    if not diagnostic.message or len(diagnostic.message) > 2000:
        raise Failed(f"a message of {len(diagnostic.message)} characters: {diagnostic.message[:500]}")
    if len(diagnostic.rendered) > 20_000:
        raise Failed(f"a diagnostic of {len(diagnostic.rendered)} characters: {diagnostic.rendered[:500]}")
    counted = diagnostic.id == "too-many"  # "and 12 more that are not shown"
    if not counted and (diagnostic.line < 1 or diagnostic.column < 1):
        raise Failed(f"a diagnostic without a place: {diagnostic.rendered}")
    if diagnostic.id == "compiler-bug" or not (counted or diagnostic.id in ids()):
        raise Failed(f"the id {diagnostic.id}: {diagnostic.message}")


def _compare(programs: list[weir.Program]) -> None:
    """Sends the same packets to all executors."""
    benches = [Bench(program, [1, 2], passes=20, block_steps=False) for program in programs]
    chance = random.Random(1)
    for packet in (b"", bytes(64), b"\xff" * 200, chance.randbytes(60), chance.randbytes(1400)):
        results = []
        for bench in benches:
            bench.send(1, packet)
            results.append([(output.port, output.packet) for output in bench.take_outputs()])
        if any(result != results[0] for result in results):
            raise Failed(f"executors differ on {packet.hex()}: {results}")
