"""The stand-in for ``run_bfshell.sh``, which runs ``weir bfrt``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from weir.dropin.options import Option, UsageError, ignored_option, option, read, refused_option, write_help
from weir.dropin.running import run
from weir.files.textfile import read_text

_OPTIONS: Final[list[Option]] = [
    option("--help -h", "Show this text."),
    option("-b", "Run this script with the tables as Python objects.", "FILE"),
    option("-f", "Run the lines `bfrt_python FILE` of this file.", "FILE"),
    option("-i", "Open the prompt after the script."),
    ignored_option("-d", "there is one device.", "DEVICE"),
    ignored_option("--no-status-srv", "there is no status server."),
    ignored_option("--status-port", "there is no status server.", "PORT"),
    refused_option("-a", "the switch runs in this computer; `weir bfrt --address` names another", "ADDRESS"),
]

_ABOUT: Final = (
    "Runs a script with the tables of the switch at 127.0.0.1:50052, or opens a prompt, as `weir bfrt` does."
)


def run_bfshell(arguments: Sequence[str] | None = None) -> int:
    """Runs the stand-in for ``run_bfshell.sh`` and returns its exit code."""
    return run("run_bfshell.sh", _run, arguments)


def _run(arguments: Sequence[str]) -> int:
    from weir.bfrt import connect
    from weir.bfrt.script import namespace, read_lines, run_script

    given = read(arguments, _OPTIONS)
    if "--help" in given:
        write_help("run_bfshell.sh [OPTION]…", _ABOUT, {"Options": _OPTIONS})
        return 0
    scripts = [*given.all_values("-b"), *(one for file in given.all_values("-f") for one in _scripts(file))]
    with connect() as device:
        names = namespace(device)
        for script in scripts:
            run_script(script, names, [])
        if not scripts or "-i" in given:
            read_lines(names)
    return 0


def _scripts(file: str | Path) -> list[str]:
    """Returns the scripts that a file of commands runs."""
    scripts = []
    for line in read_text(file).splitlines():
        match line.split("#")[0].split():
            case [] | ["exit" | "end" | "quit"]:
                pass
            case ["bfrt_python", script, *_]:
                scripts.append(script)
            case [command, *_]:
                raise UsageError(
                    f"{file}: {command} is a command of the driver's shell; Weir has bfrt_python"
                )
    return scripts
