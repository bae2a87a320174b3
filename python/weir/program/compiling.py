"""Compiles P4 programs: diagnostics, the executable program, and the IR."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from weir import _core, programs
from weir.errors import CommandError, NetworkError, P4Error, WeirWarning
from weir.errors.diagnostic import Diagnostic, diagnostic
from weir.files.textfile import read_source
from weir.program.choices import known_executor, known_target
from weir.program.own_files import NO_PROGRAM, is_own, p4include
from weir.program.program import Program
from weir.text.suggest import listing, nearest

_MAX_SOURCE = 16 << 20
"""The maximum size of a source file or included file, in bytes."""


def check(
    path: str | Path,
    include: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    *,
    target: str | None = None,
    colour: bool = False,
) -> list[Diagnostic]:
    """Checks a P4 program. A program for an architecture that Weir implements is also loaded.

    Args:
        path: the program's file, or the name of one of :mod:`weir.programs`.
        include: folders to search for included files, before Weir's own (``core.p4``,
            ``v1model.p4``, …).
        defines: macros, as in ``-D``.
        target: another switch, such as ``bmv2``: warnings say what that switch would refuse or do
            differently.
        colour: whether the findings' ``rendered`` has terminal colours.

    Returns:
        Errors, warnings and notes in source order. The program is valid if there is no error. A
        note says if the program cannot be loaded because it has no ``main``, or because Weir does
        not implement its architecture.

    Raises:
        FileError: the file cannot be read.
        NetworkError: there is no such target.
    """
    other = None if target is None else known_target(target)
    path = programs.find(path)
    text = read_source(path, _MAX_SOURCE)
    diagnostics = _core.check(str(path), text, _include_path(include), _defines(defines), other, colour)
    return [diagnostic(d) for d in diagnostics]


def compile(
    path: str | Path,
    include: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    *,
    executor: str | None = None,
    colour: bool = False,
    externs: Mapping[str, Callable[..., Any]] | None = None,
) -> Program:
    """Compiles a P4 program.

    Args:
        path: the program's file, JSON that contains a program (from Weir's ``p4c``), p4c's own JSON
            for BMv2, or the name of one of :mod:`weir.programs`.
        include: folders to search for included files, before Weir's own.
        defines: macros, as in ``-D``.
        executor: what runs the program: ``native`` or ``interp``; by default machine code if Weir
            supports it on the processor.
        colour: whether the error's text has terminal colours.
        externs: the code of externs that the program declares itself, by name: a function for an
            extern function, a class for a type of extern objects. See the guide "Externs of your
            own" for what the code gets and returns. Such programs run in the virtual world only.

    Warns:
        WeirWarning: the program is too large for machine code, and no executor was chosen.

    Raises:
        FileError: the file cannot be read.
        P4Error: the program has errors, or cannot be loaded into its architecture.
        NetworkError: there is no such executor, or no machine code for this processor or program;
            ``externs`` has a name that the program does not use, or a value that is neither a
            function nor a class.
    """
    runs = None if executor is None else known_executor(executor)
    path = programs.find(path)
    text = read_source(path, _MAX_SOURCE)
    core, diagnostics = _core.compile(
        str(path), text, _include_path(include), _defines(defines), runs, colour, dict(externs or {})
    )
    if core is None:
        raise P4Error(diagnostic(d) for d in diagnostics)
    if refusal := core.refusal():
        text = f"{path} runs in the interpreter, which is slower: {refusal}"
        warnings.warn(text, WeirWarning, stacklevel=2)
    return Program(core, str(path))


def preprocess(
    path: str | Path,
    include: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
) -> tuple[str, Sequence[str]]:
    """Runs the preprocessor on a P4 program; its output has ``#line`` directives.

    Returns:
        The text, and the names of the files that were read, without Weir's own.

    Raises:
        FileError: the file cannot be read.
        P4Error: a directive has an error.
    """
    text = read_source(path, _MAX_SOURCE)
    preprocessed, files, diagnostics = _core.preprocess(
        str(path), text, _include_path(include), _defines(defines), False
    )
    if any(one.severity == "error" for one in diagnostics):
        raise P4Error(diagnostic(d) for d in diagnostics)
    return preprocessed, [file for file in files if not is_own(file)]


def compile_stages(
    path: str | Path,
    include: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    *,
    executor: str | None = None,
) -> Mapping[str, float]:
    """Compiles a P4 program and runs one packet through it, with the time of each stage.

    Returns:
        Seconds of each stage, in order: ``parse`` (preprocessing too), ``check`` (warnings too),
            ``lower``, ``passes``, ``executor`` (the executor is prepared), ``first packet`` (a
            switch is created, its blocks become one piece of machine code unless the interpreter
            runs them, and one packet passes).

    Raises:
        FileError: the file cannot be read.
        P4Error: the program has errors, or cannot be loaded into its architecture.
        NetworkError: there is no such executor, or no machine code for this processor.
    """
    runs = None if executor is None else known_executor(executor)
    path = programs.find(path)
    text = read_source(path, _MAX_SOURCE)
    stages = _core.compile_stages(str(path), text, _include_path(include), _defines(defines), runs)
    if stages is None:
        # This call raises the error with its diagnostics.
        compile(path, include, defines, executor=executor)
        raise NetworkError(f"{path} compiles, but not stage by stage")
    return dict(stages)


def ir_stages() -> Mapping[str, str]:
    """Returns the stages of a program's IR in order, each with a description.

    The IR of the last stage is what executors run.
    """
    return dict(_core.ir_stages())


def ir(
    path: str | Path,
    include: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    *,
    after: str = "bind",
    colour: bool = False,
) -> str:
    """Compiles a P4 program to its intermediate representation as text (docs/explanation/ir.md
    defines it).

    Args:
        path: the program's file. For the stage ``lower``, the program need not instantiate
            ``main``.
        include: folders to search for included files, before Weir's own.
        defines: macros, as in ``-D``.
        after: the stage after which the IR is shown, from :func:`ir_stages`; by default the last
            one.
        colour: whether the error's text has terminal colours.

    Raises:
        CommandError: there is no such stage.
        FileError: the file cannot be read.
        P4Error: the program has errors, or the stage needs an architecture that Weir does not
            implement.
    """
    stages = ir_stages()
    if after not in stages:
        suggestion = nearest(after, stages)
        alternatives = "" if suggestion else f" (there are: {listing(stages)})"
        raise CommandError(f'there is no pass "{after}"{alternatives}', suggestion=suggestion)
    path = programs.find(path)
    text = read_source(path, _MAX_SOURCE)
    text_of_ir, diagnostics = _core.ir(
        str(path), text, _include_path(include), _defines(defines), after, colour
    )
    if text_of_ir is None:
        raise P4Error(diagnostic(d) for d in diagnostics)
    return text_of_ir


def dissector(
    path: str | Path,
    include: Iterable[str | Path] = (),
    defines: Mapping[str, str] | None = None,
    *,
    colour: bool = False,
) -> str:
    """Writes a dissector, with which Wireshark shows what the parser of a P4 program extracts.

    The protocol's name comes from the file's: ``p4_router`` for ``router.p4``. PSA and PNA programs
    have dissectors, too.

    Args:
        path: the program's file.
        include: folders to search for included files, before Weir's own.
        defines: macros, as in ``-D``.
        colour: whether the error's text has terminal colours.

    Returns:
        A script in Lua for Wireshark and tshark.

    Raises:
        CommandError: captures do not contain what the parser needs, such as the result of an
            extern; the error names each place.
        FileError: the file cannot be read.
        P4Error: the program has errors.
    """
    path = programs.find(path)
    text = read_source(path, _MAX_SOURCE)
    source = str(path), text, _include_path(include), _defines(defines)
    script, diagnostics, refusals = _core.dissector(*source, Path(path).stem, colour)
    if script is not None:
        return script
    if refusals:
        raise CommandError("\n".join(["there is no dissector for this program:", *refusals]))
    raise P4Error(diagnostic(d) for d in diagnostics)


def no_program() -> Program:
    """Returns a placeholder for the program that a controller will send."""
    return Program(compile(NO_PROGRAM)._core, "(no program yet)")


def _include_path(include: Iterable[str | Path]) -> list[str]:
    return [*(str(folder) for folder in include), str(p4include())]


def _defines(defines: Mapping[str, str] | None) -> list[tuple[str, str]]:
    return list((defines or {}).items())
