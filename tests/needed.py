"""Programs that tests need. Tests without them are skipped and listed in the last line."""

from __future__ import annotations

import collections
import importlib
import os
import re
import shutil
from collections.abc import Iterable
from typing import NoReturn

import pytest

APT = {
    "apt-get": "apt", "cc": "gcc", "chromium": "chromium", "dpkg-deb": "dpkg", "ip": "iproute2", "mnexec": "mininet", "ping": "iputils-ping",
    "qemu-system-aarch64": "qemu-system-arm", "qemu-system-x86_64": "qemu-system-x86", "readelf": "binutils",
    "fish": "fish", "tshark": "tshark", "unshare": "util-linux", "vtysh": "frr", "zsh": "zsh",
}  # fmt: skip
"""The package of Debian that has each program."""

PIP = {
    "numpy": "p4weir[lab]", "pyroute2": "pyroute2", "starlette": "p4weir[ui]", "thriftpy2": "p4weir[bmv2]",
    "uvicorn": "p4weir[ui]", "websockets": "p4weir[ui]",
}  # fmt: skip
"""The package of Python that has each module."""

_MISSING = re.compile(
    r'needs (?:the program )?"?(?P<needed>[\w-]+)"?'
    r"|failed to execute (?P<run>[\w-]+): No such file"
    r"|No such file or directory: '(?P<file>[\w-]+)'"
)


def skip(reason: str, required: str | None = None) -> NoReturn:
    """Skips the test; if the environment variable ``required`` is set, it fails."""
    if required and os.environ.get(required):
        pytest.fail(f"{reason}, but {required} is set")
    pytest.skip(reason)


def need(*programs: str, required: str | None = None) -> None:
    """Skips the test if a program is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            skip(f"needs {program}, which is not installed", required)


def module(name: str, required: str | None = None) -> object:
    """The module; skips the test, or the module of tests, if it is not installed."""
    if required and os.environ.get(required):
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"needs {name}, which is not installed")


def _cause(reason: str) -> str:
    match = _MISSING.search(reason)
    return next(filter(None, match.groups())) if match else reason.partition(":")[0]


def line(reasons: Iterable[str]) -> str | None:
    """One line about all skipped tests and what to install for them; None without skipped tests."""
    counted = collections.Counter(_cause(reason.removeprefix("Skipped: ")) for reason in reasons)
    if not counted:
        return None
    causes = ", ".join(f"{cause} ({count})" for cause, count in counted.most_common())
    commands = []
    for command, packages in (("apt-get install", APT), ("pip install", PIP)):
        if wanted := sorted({packages[cause] for cause in counted if cause in packages}):
            commands.append(" ".join([command, *wanted]))
    install = f"; to run them: {' && '.join(commands)}" if commands else ""
    return f"{counted.total()} skipped: {causes}{install}"
