"""The stand-ins for p4c's compilers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from weir.dropin.bmv2_json import bmv2_json
from weir.dropin.options import GivenOptions, Option, UsageError, read, write_help
from weir.dropin.p4c.flags import BM2_SS, P4C
from weir.dropin.running import run
from weir.errors import P4Error
from weir.program import Program, compile, preprocess
from weir.text.visible import own_stream, visible_but_colours

_Format = Literal["text", "json", "binary"]

_FORMATS: Final[dict[str, _Format]] = {
    ".txt": "text",
    ".txtpb": "text",
    ".json": "json",
    ".bin": "binary",
    ".binpb": "binary",
}

_DESCRIPTION = """Compiles a P4_16 program with Weir's compiler. The JSON contains the program, for Weir's switches
(`weir switch`, P4Runtime, and the stand-ins of `weir shims install`); BMv2 itself cannot run it."""


def bm2_ss(arguments: Sequence[str] | None = None) -> int:
    """Runs the stand-in for ``p4c-bm2-ss`` and returns its exit code, which is 1 after an error."""
    return run("p4c-bm2-ss", lambda given: _compile("p4c-bm2-ss", BM2_SS, given), arguments)


def p4c(arguments: Sequence[str] | None = None) -> int:
    """Runs the stand-in for the driver ``p4c`` and returns its exit code."""
    return run("p4c", lambda given: _compile("p4c", P4C, given), arguments)


@dataclass(frozen=True)
class _Job:
    """A program to compile, with the options for the compiler.

    Attributes:
        program: the program's file.
        include: the folders with included files.
        defines: the preprocessor's macros.
        given: the options of the command line.
        is_driver: whether the program is the driver ``p4c``, which writes its results into a
            folder.
    """

    program: str
    include: list[str]
    defines: dict[str, str]
    given: GivenOptions
    is_driver: bool

    @property
    def folder(self) -> Path:
        """The folder for the driver's results."""
        return Path(self.given.last("-o") or ".")

    @property
    def json(self) -> Path | None:
        """The file for the JSON; ``None`` if the command line does not ask for JSON."""
        if self.is_driver:
            return self.folder / f"{Path(self.program).stem}.json"
        out = self.given.last("-o")
        return None if out is None else Path(out)


def _compile(name: str, options: list[Option], arguments: Sequence[str]) -> int:
    given = _expanded_options(read(arguments, options))
    if "--help" in given:
        write_help(f"{name} [OPTION]… PROGRAM.p4", _DESCRIPTION, {"Options": options})
        return 0
    if "--version" in given:
        from weir import __version__

        sys.stdout.write(f"{name} stand-in of Weir {__version__}\n")
        return 0
    if "--help-targets" in given:
        sys.stdout.write("bmv2-v1model\n")
        return 0
    _check_target(given)
    job = _job(given, name == "p4c")
    _check_outputs(job)
    if job.is_driver:
        job.folder.mkdir(parents=True, exist_ok=True)
    if "-E" in given or "-M" in given:
        return _preprocess(job)
    program = compile(job.program, job.include, job.defines, colour=sys.stderr.isatty())
    _warn(program, given)
    _write(job, program)
    return 0


def _expanded_options(given: GivenOptions) -> GivenOptions:
    """Expands the driver's options that hold options for the compiler and the preprocessor."""
    passed_on = [*given.all_values("-Xp4c"), *given.all_values("-Xpreprocessor")]
    if passed_on:
        extra = read(passed_on, BM2_SS)
        for name, values in extra.values.items():
            given.values.setdefault(name, []).extend(values)
        given.words += extra.words
    return given


def _check_target(given: GivenOptions) -> None:
    target, arch = given.last("--target") or given.last("-b"), given.last("--arch") or given.last("-a")
    language = given.last("--std")
    if target not in (None, "bmv2"):
        raise UsageError(f'there is no target "{target}" here, only bmv2')
    if arch not in (None, "v1model", "psa", "pna"):
        raise UsageError(f'there is no architecture "{arch}" here, only v1model, psa and pna')
    if language is not None and language.replace("_", "-") not in ("16", "p4-16"):
        raise UsageError(f'there is no language "{language}" here, only p4-16')


def _job(given: GivenOptions, is_driver: bool) -> _Job:
    if not given.words:
        raise UsageError("no P4 program is given")
    if len(given.words) > 1:
        raise UsageError(f"expected one P4 program, found {', '.join(given.words)}")
    undone = set(given.all_values("-U"))
    pairs = (define.partition("=") for define in given.all_values("-D"))
    defines = {name: text if equals else "1" for name, equals, text in pairs if name not in undone}
    return _Job(given.words[0], given.all_values("-I"), defines, given, is_driver)


def _check_outputs(job: _Job) -> None:
    """Refuses two options that name the same file, and an output file that is the program.

    Raises:
        UsageError: a file would be overwritten.
    """
    given = job.given
    # The driver's -o is left out because it names a folder.
    files = [("-o", name) for name in given.all_values("-o")[-1:] if not job.is_driver]
    files += [
        (option, name) for option in ("--p4runtime-file", "-MF") for name in given.all_values(option)[-1:]
    ]
    files += [
        ("--p4runtime-files", name) for name in (given.last("--p4runtime-files") or "").split(",") if name
    ]
    claimed = {Path(job.program).resolve(): "the program"}
    for option, name in files:
        path = Path(name).resolve()
        if path.exists() and not path.is_file():
            continue
        if (other := claimed.setdefault(path, option)) != option:
            raise UsageError(f"{other} and {option} both name {name}: each needs its own file")


def _preprocess(job: _Job) -> int:
    text, files = preprocess(job.program, job.include, job.defines)
    if "-M" in job.given:
        text = _make_rule(job, files)
        if out := job.given.last("-MF"):
            Path(out).write_text(text, encoding="utf-8")
            return 0
    if job.is_driver:
        (job.folder / f"{Path(job.program).stem}.p4i").write_text(text, encoding="utf-8")
    else:
        # Other programs read the preprocessed text, so it is written unchanged, except to a
        # terminal.
        (sys.stdout if sys.stdout.isatty() else own_stream(sys.stdout)).write(text)
    return 0


def _make_rule(job: _Job, files: Sequence[str]) -> str:
    out = job.given.last("-MT") or f"{Path(job.program).stem}.o"
    return " \\\n ".join([f"{out}:", *files]) + "\n"


def _warn(program: Program, given: GivenOptions) -> None:
    """Shows the compiler's warnings, unless options suppress them.

    Raises:
        P4Error: there are warnings, and an option turns warnings into errors.
    """
    warnings = program.warnings
    if "" in given.all_values("--Werror") and warnings:
        raise P4Error(warnings)
    if "" not in given.all_values("--Wdisable"):
        for warning in warnings:
            own_stream(sys.stderr).write(visible_but_colours(warning.rendered.rstrip("\n")) + "\n")


def _write(job: _Job, program: Program) -> None:
    if (file := job.given.last("--p4runtime-file")) is not None:
        format = job.given.last("--p4runtime-format") or "binary"
        if format not in ("text", "json", "binary"):
            raise UsageError(f'there is no format "{format}" of P4Info (text, json, binary)')
        Path(file).write_bytes(program.p4info(format))  # type: ignore[arg-type]
    for file in (job.given.last("--p4runtime-files") or "").split(","):
        if not file:
            continue
        if (format_of_file := _FORMATS.get(Path(file).suffix)) is None:
            raise UsageError(f'"{file}" does not end in a format of P4Info: end it in {", ".join(_FORMATS)}')
        Path(file).write_bytes(program.p4info(format_of_file))
    if "-MD" in job.given or job.is_driver:
        text, files = preprocess(job.program, job.include, job.defines)
        if job.is_driver:
            (job.folder / f"{Path(job.program).stem}.p4i").write_text(text, encoding="utf-8")
        if "-MD" in job.given:
            out = job.given.last("-MF") or f"{Path(job.program).stem}.d"
            Path(out).write_text(_make_rule(job, files), encoding="utf-8")
    if (document := job.json) is not None:
        document.write_text(bmv2_json(program, job.include, job.defines), encoding="utf-8")
