"""The stand-ins for Tofino's compiler ``bf-p4c``, and for the script ``p4_build.sh``."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from weir.dropin.bmv2_json import bmv2_json
from weir.dropin.options import GivenOptions, Option, UsageError, ignored_option, option, read, write_help
from weir.dropin.running import run
from weir.dropin.tofino.places import chip, configuration_file, install_folder, program_folder
from weir.program import Program, compile
from weir.text.visible import own_stream, visible_but_colours

_PREPROCESSOR: Final[list[Option]] = [
    option("-I", "A folder with included files. May be repeated.", "DIR"),
    option("-D", "A macro for the preprocessor. May be repeated.", "NAME[=TEXT]"),
    option("-U", "Undo an earlier -D.", "NAME"),
]

_COMPILER: Final[list[Option]] = [
    option("--help -h", "Show this text."),
    *_PREPROCESSOR,
    option("-o --output", "The folder for the results. By default PROGRAM.tofino.", "DIR"),
    option("--target -b", "The chip: tofino or tofino2.", "TARGET"),
    option("--bf-rt-schema", "Also write the tables as JSON into this file.", "FILE"),
    option("--p4runtime-files", "Write P4Info into this file, in text.", "FILE"),
    ignored_option("--arch -a", "the program says its architecture.", "NAME"),
    ignored_option("--std -x", "programs are P4_16.", "LANGUAGE"),
    ignored_option("-g --create-graphs --verbose --no-dead-code-elimination", "it changes no result."),
    ignored_option("--Wdisable", "Weir's warnings have other names.", "NAME", implied="", joined=True),
    ignored_option("--Werror", "Weir's warnings have other names.", "NAME", implied="", joined=True),
    ignored_option("--Xp4c -Xp4c", "Weir's compiler has other options.", "OPTION"),
    ignored_option(
        "--p4runtime-force-std-externs --disable-parse-depth-limit --p4-14", "it has no effect here."
    ),
    ignored_option("--parser-inline-opt", "Weir always expands sub-parsers once for each call."),
]

_ABOUT_COMPILER: Final = """Compiles a P4_16 program for Tofino with Weir's compiler. The folder of results has the files that
Tofino's compiler writes, for Weir's switches; the chip and its model cannot run them."""

_ABOUT_BUILD: Final = """Compiles a P4_16 program for Tofino and installs it in $SDE_INSTALL, where the stand-in for
run_switchd.sh finds it. Words such as P4_NAME=router and P4FLAGS="-I ..." are settings."""

_BUILD: Final[list[Option]] = [
    option("--help -h", "Show this text."),
    *_PREPROCESSOR,
    option("--with-tofino", "Build for Tofino 1, which is the default."),
    option("--with-tofino2", "Build for Tofino 2."),
    ignored_option("--with-p4c", "Weir's compiler builds the program.", "NAME", implied="", joined=True),
    ignored_option("--enable-thrift --without-tofino -j", "it changes no result."),
]

_PIPE: Final = "pipe"


def bf_p4c(arguments: Sequence[str] | None = None) -> int:
    """Runs the stand-in for ``bf-p4c`` and returns its exit code."""
    return run("bf-p4c", _compile, arguments)


def p4_build(arguments: Sequence[str] | None = None) -> int:
    """Runs the stand-in for ``p4_build.sh`` and returns its exit code."""
    return run("p4_build.sh", _build, arguments)


def _compile(arguments: Sequence[str]) -> int:
    given = read(arguments, _COMPILER)
    if "--help" in given:
        write_help("bf-p4c [OPTION]… PROGRAM.p4", _ABOUT_COMPILER, {"Options": _COMPILER})
        return 0
    file = _only_program(given.words)
    of_chip = chip(given.last("--target"))
    program, include, defines = _compiled(file, given, of_chip)
    folder = Path(given.last("-o") or f"{Path(file).stem}.tofino")
    _write(program, include, defines, folder, folder / f"{Path(file).stem}.conf", Path(file).stem, folder)
    for output in given.all_values("--bf-rt-schema"):
        Path(output).write_text(program.bfrt_json(), encoding="utf-8")
    for output in given.all_values("--p4runtime-files"):
        Path(output).write_bytes(program.p4info("text"))
    return 0


def _build(arguments: Sequence[str]) -> int:
    settings = dict(word.split("=", 1) for word in arguments if "=" in word and not word.startswith("-"))
    words = [word for word in arguments if "=" not in word or word.startswith("-")]
    flags = shlex.split(settings.get("P4FLAGS", "") + " " + settings.get("P4PPFLAGS", ""))
    given = read([word for word in words if word != "--"], _BUILD)
    if "--help" in given:
        write_help("p4_build.sh [OPTION]… PROGRAM.p4 [NAME=VALUE]…", _ABOUT_BUILD, {"Options": _BUILD})
        return 0
    flags_given = read(flags, _COMPILER)
    for name, values in flags_given.values.items():
        given.values.setdefault(name, []).extend(values)
    file = _only_program([*given.words, *flags_given.words])
    name = settings.get("P4_NAME", Path(file).stem)
    of_chip = "tofino2" if "--with-tofino2" in given else "tofino"
    program, include, defines = _compiled(file, given, of_chip)
    install = install_folder()
    folder = program_folder(install, name, of_chip)
    configuration = configuration_file(install, name, of_chip)
    _write(program, include, defines, folder, configuration, name, install)
    sys.stdout.write(f"{name} is built: run_switchd.sh -p {name}\n")
    return 0


def _only_program(words: Sequence[str]) -> str:
    if len(words) != 1:
        raise UsageError(f"expected one P4 program, found {', '.join(words) or 'none'}")
    return words[0]


def _compiled(file: str, given: GivenOptions, of_chip: str) -> tuple[Program, list[str], dict[str, str]]:
    undone = set(given.all_values("-U"))
    pairs = (define.partition("=") for define in given.all_values("-D"))
    defines = {name: text if equals else "1" for name, equals, text in pairs if name not in undone}
    defines.setdefault("__TARGET_TOFINO__", "2" if of_chip == "tofino2" else "1")
    include = given.all_values("-I")
    program = compile(file, include, defines, colour=sys.stderr.isatty())
    for warning in program.warnings:
        own_stream(sys.stderr).write(visible_but_colours(warning.rendered.rstrip("\n")) + "\n")
    return program, include, defines


def _write(
    program: Program,
    include: list[str],
    defines: dict[str, str],
    folder: Path,
    configuration: Path,
    name: str,
    root: Path,
) -> None:
    """Writes the files of a program into a folder, and the file that names them by paths below
    ``root``."""
    pipe = folder / _PIPE
    pipe.mkdir(parents=True, exist_ok=True)
    configuration.parent.mkdir(parents=True, exist_ok=True)
    tables = program.bfrt_json()
    (folder / "bf-rt.json").write_text(tables, encoding="utf-8")
    (folder / "bfrt.json").write_text(tables, encoding="utf-8")
    (folder / "p4info.pb.txt").write_bytes(program.p4info("text"))
    # The chip's driver reads placements from this file; Weir has none.
    (pipe / "context.json").write_text('{"tables": []}\n', encoding="utf-8")
    (pipe / "tofino.bin").write_text(bmv2_json(program, include, defines), encoding="utf-8")
    (pipe / "tofino2.bin").write_text(bmv2_json(program, include, defines), encoding="utf-8")
    below = folder.relative_to(root)
    pipeline = {
        "p4_pipeline_name": _PIPE,
        "context": str(below / _PIPE / "context.json"),
        "config": str(below / _PIPE / "tofino.bin"),
        "pipe_scope": [0, 1, 2, 3],
        "path": str(below),
    }
    programs = [{"program-name": name, "bfrt-config": str(below / "bf-rt.json"), "p4_pipelines": [pipeline]}]
    document = {
        "chip_list": [{"id": "asic-0", "instance": 0}],
        "p4_devices": [{"device-id": 0, "p4_programs": programs}],
    }
    configuration.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
