"""The stand-ins for ``bf_switchd`` and ``run_switchd.sh``, which run ``weir switch``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from weir import _core
from weir.dropin.options import (
    GivenOptions,
    Option,
    UsageError,
    ignored_option,
    option,
    read,
    refused_option,
    write_help,
)
from weir.dropin.running import run
from weir.dropin.tofino.places import (
    chip,
    configuration_file,
    default_interfaces,
    install_folder,
    port_file,
    read_interfaces,
    read_json,
)
from weir.errors import FileError
from weir.files.opening import open_log

_SHARED: Final[list[Option]] = [
    option("--help -h", "Show this text."),
    option("--bfrt-grpc-port", "The TCP port of BfRt. By default 50052.", "PORT"),
    option("--p4rt-server", "Also serve P4Runtime at this address.", "ADDRESS"),
    ignored_option("--status-port", "the switch is ready when its BfRt server answers.", "PORT"),
    ignored_option("--no-status-srv --local-only", "there is no status server."),
    ignored_option("--server-listen-local-only", "the server listens at 127.0.0.1 anyway."),
    ignored_option("--init-mode", "switches always start empty.", "MODE"),
    ignored_option("--skip-hld", "there are no drivers.", "NAMES"),
    ignored_option("--kernel-pkt --skip-dma --skip-port-add", "interfaces are the ports."),
    ignored_option("--shell-no-wait --ucli", "`weir bfrt` opens the shell."),
    refused_option("--skip-p4", "a switch starts with its program"),
]

_SWITCHD: Final[list[Option]] = [
    *_SHARED,
    option("--conf-file", "The file that names the program.", "FILE"),
    option("--install-dir", "The folder to which its paths belong. By default $SDE_INSTALL.", "DIR"),
    ignored_option("--background", "it runs in the foreground, as in a container."),
    ignored_option("--tcp-port-base", "there is no model to connect to.", "PORT"),
]

_RUN: Final[list[Option]] = [
    *_SHARED,
    option("-p", "The name of the program.", "NAME"),
    option("-c", "The file that names the program.", "FILE"),
    option("-f", "The file that lists the ports, as run_tofino_model.sh takes it.", "FILE"),
    option("-r", "Write messages into this file.", "FILE"),
    option("--arch", "The chip: tofino (tf1) or tofino2 (tf2).", "NAME"),
    ignored_option("-C", "`weir bfrt` opens the shell."),
    refused_option("-g -s --gdb-server", "there is no debugger for it; `weir trace` shows packets"),
]

_ABOUT: Final = """Runs a compiled program as a switch between interfaces, with BfRt at 127.0.0.1:50052, as `weir switch` does. The
interfaces are those of run_tofino_model.sh -f, or veth0, veth2 and so on for the ports from 0 (Tofino 2: 8)."""


def bf_switchd(arguments: Sequence[str] | None = None) -> int:
    """Runs the stand-in for ``bf_switchd`` until a signal ends it; returns its exit code."""
    return run("bf_switchd", lambda given: _run("bf_switchd", _SWITCHD, given), arguments)


def run_switchd(arguments: Sequence[str] | None = None) -> int:
    """Runs the stand-in for ``run_switchd.sh`` until a signal ends it; returns its exit code."""
    return run("run_switchd.sh", lambda given: _run("run_switchd.sh", _RUN, given), arguments)


def _run(name: str, options: list[Option], arguments: Sequence[str]) -> int:
    given = read([word for word in arguments if word not in ("--", "")], options)
    if "--help" in given:
        write_help(f"{name} [OPTION]…", _ABOUT, {"Options": options})
        return 0
    line = command_line(given)
    if (log := given.last("-r")) is not None:
        os.dup2(open_log(Path(log)), 2)
    else:
        sys.stderr.write(" ".join(["weir", "switch", *line[1:]]) + "\n")
    sys.stderr.flush()
    return _core.run_switch(line, None)


def command_line(given: GivenOptions) -> list[str]:
    """Translates the options to the equivalent command line of ``weir switch``.

    Raises:
        UsageError: an option is wrong or missing.
        FileError: a file cannot be read.
    """
    of_chip = chip(given.last("--arch"))
    program = _program(given, of_chip)
    port = given.number("--bfrt-grpc-port", 1, 65535) or 50052
    words = ["weir switch", program, "--end-at-hangup", "--bfrt", f"127.0.0.1:{port}"]
    if (address := given.last("--p4rt-server")) is not None:
        words += ["--p4runtime", address.replace("localhost", "127.0.0.1")]
    for number, interface in _interfaces(given, of_chip).items():
        words += ["-i", f"{number}@{interface}"]
    return words


def _program(given: GivenOptions, of_chip: str) -> str:
    """Finds the compiled program."""
    install = given.last("--install-dir")
    file = given.last("--conf-file") or given.last("-c")
    if file is None:
        name = given.last("-p")
        if name is None:
            raise UsageError("no program is given: expected -p NAME or -c FILE")
        file = str(configuration_file(install_folder(), name, of_chip))
        if not Path(file).exists():
            raise UsageError(f"{name} is not built: there is no {file}; build it with p4_build.sh {name}.p4")
    folder = Path(install) if install else None
    document = read_json(file)
    try:
        programs = [program for device in document["p4_devices"] for program in device["p4_programs"]]
        paths = [pipeline["config"] for program in programs for pipeline in program["p4_pipelines"]]
        name = programs[0]["program-name"]
    except (KeyError, IndexError, TypeError):
        raise FileError("does not name a program in p4_devices", file=file) from None
    if len(programs) > 1:
        raise UsageError(f"{file} has {len(programs)} programs, and a switch runs one")
    # Paths belong to the folder of installed programs, or to that of the file.
    folders = [
        place for place in (folder, Path(os.environ.get("SDE_INSTALL") or "."), Path(file).parent) if place
    ]
    program_file = next((place / paths[0] for place in folders if (place / paths[0]).exists()), None)
    if program_file is None:
        raise UsageError(f"{file} names {paths[0]}, which is not in {folders[0]}")
    return str(_named_file(program_file, name))


def _named_file(program: Path, name: str) -> Path:
    """Returns a file with these contents and the program's name, which clients see."""
    try:
        json.loads(program.read_text(encoding="utf-8"))
    except (ValueError, OSError):
        raise FileError("is not a program that Weir's p4_build.sh has built", file=program) from None
    file = program.with_name(f"{name}.json")
    if not file.exists() or file.stat().st_mtime < program.stat().st_mtime:
        file.write_bytes(program.read_bytes())
    return file


def _interfaces(given: GivenOptions, of_chip: str) -> dict[int, str]:
    file = given.last("-f")
    install = os.environ.get("SDE_INSTALL")
    listed = None if install is None else port_file(Path(install))
    if file is None and listed is not None and listed.exists():
        file = str(listed)
    interfaces = default_interfaces(of_chip) if file is None else read_interfaces(file)
    existing = {number: name for number, name in interfaces.items() if Path("/sys/class/net", name).exists()}
    if not existing:
        names = ", ".join(list(interfaces.values())[:3])
        raise UsageError(f"there are no interfaces {names}, …: make them with veth_setup.sh first")
    return existing
