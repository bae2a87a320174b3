"""The programs and Python modules of p4lang that the comparison needs."""

from __future__ import annotations

import argparse
import importlib
import os
import resource
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_MODULES = ("thrift.Thrift", "bm_runtime.standard.Standard", "sswitch_runtime.SimpleSwitch", "sswitch_CLI")

_SECONDS = 120
"""Processor time after which the compiler counts as endless."""


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))


class MissingTool(Exception):
    """A program or module of p4lang is missing; the message says which, and how to name its
    place."""


@dataclass(frozen=True)
class Tools:
    """The parts of p4lang's packages that the comparison uses.

    Attributes:
        p4c: the compiler ``p4c-bm2-ss``.
        include: the folder with p4lang's ``v1model.p4``; None if the compiler finds it itself.
        simple_switch: the switch.
    """

    p4c: Path
    include: Path | None
    simple_switch: Path

    def compile(self, program: Path, output: Path) -> str | None:
        """Compiles a program to ``output``; returns the compiler's messages if it refuses it."""
        options = ["-I", str(self.include)] if self.include else []
        command = [str(self.p4c), "--Wdisable", *options, "-o", str(output), str(program)]
        ended = subprocess.run(command, capture_output=True, text=True, preexec_fn=_limit, check=False)
        if ended.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return f"error: p4c did not finish in {_SECONDS} s of processor time"
        return None if ended.returncode == 0 else ended.stderr.strip() or f"ended with {ended.returncode}"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that name p4lang's programs."""
    where = "; otherwise from the environment variable {} or the search path"
    parser.add_argument("--p4c", help="the compiler p4c-bm2-ss" + where.format("P4C"))
    parser.add_argument("--p4include", help="the folder of its v1model.p4 (P4C_INCLUDE)")
    parser.add_argument("--simple-switch", help="the switch" + where.format("SIMPLE_SWITCH"))
    parser.add_argument(
        "--python-modules", help="folders with its Python modules, as in PYTHONPATH (BMV2_PYTHON)"
    )


def find(options: argparse.Namespace) -> Tools:
    """Finds all programs and modules.

    Raises:
        Missing: a program or module is missing; the message lists all.
    """
    missing: list[str] = []

    def program(path: str | None, variable: str, name: str, option: str) -> Path:
        named = path or os.environ.get(variable) or name
        found = shutil.which(named)
        if found is None:
            missing.append(f"the program {named}: put it on PATH, or name it by {option} or {variable}")
        return Path(found or named).resolve()

    p4c = program(options.p4c, "P4C", "p4c-bm2-ss", "--p4c")
    switch = program(options.simple_switch, "SIMPLE_SWITCH", "simple_switch", "--simple-switch")
    folder = options.p4include or os.environ.get("P4C_INCLUDE")
    if folder and not Path(folder, "v1model.p4").is_file():
        missing.append(f"v1model.p4 in {folder}: name its folder by --p4include or P4C_INCLUDE")
    sys.path[:0] = (options.python_modules or os.environ.get("BMV2_PYTHON") or "").split(os.pathsep)
    for module in _MODULES:
        try:
            importlib.import_module(module)
        except ImportError as error:
            missing.append(
                f"the Python module {module} ({error}): name its folder by --python-modules, BMV2_PYTHON or PYTHONPATH"
            )
    if missing:
        raise MissingTool("\n".join(f"missing: {one}" for one in missing))
    return Tools(p4c, Path(folder).resolve() if folder else None, switch)
