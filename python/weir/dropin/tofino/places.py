"""The folders and files of Tofino's software."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from weir.dropin.options import UsageError
from weir.errors import FileError
from weir.files.textfile import read_text

_CHIPS: Final = {
    "tofino": "tofino", "tf1": "tofino", "tofino2": "tofino2", "tf2": "tofino2", "tofino2m": "tofino2", "tf2m": "tofino2",
}  # fmt: skip
"""The names of the chips' folders, by the names that options accept."""

_FIRST_PORTS: Final = {"tofino": 0, "tofino2": 8}
_CPU_PORTS: Final = {"tofino": 64, "tofino2": 2}
_PORTS: Final = 17
"""The number of ports with interfaces if no file lists them."""
_CPU_INTERFACE: Final = "veth250"


def chip(name: str | None) -> str:
    """Returns the chip of an option ``--arch`` or ``--target``.

    Raises:
        UsageError: there is no such chip.
    """
    folder_name = _CHIPS.get((name or "tofino").lower())
    if folder_name is None:
        chips = ", ".join(_CHIPS)
        raise UsageError(f"there is no chip {name} here; there are {chips}")
    return folder_name


def install_folder() -> Path:
    """Returns the folder of installed programs (``SDE_INSTALL``).

    Raises:
        UsageError: the environment names none.
    """
    folder = os.environ.get("SDE_INSTALL")
    if not folder:
        raise UsageError("SDE_INSTALL is not set: set it to a folder for compiled programs (any empty one)")
    return Path(folder)


def program_folder(install: Path, name: str, of_chip: str) -> Path:
    """Returns the folder of a compiled program."""
    return install / "share" / f"{of_chip}pd" / name


def configuration_file(install: Path, name: str, of_chip: str) -> Path:
    """Returns the file that names the parts of a compiled program."""
    return install / "share" / "p4" / "targets" / of_chip / f"{name}.conf"


def port_file(install: Path) -> Path:
    """Returns the file in which the stand-in for the model lists ports for the switch."""
    return install / "share" / "weir-ports.json"


def default_interfaces(of_chip: str) -> dict[int, str]:
    """Returns the interfaces by port that Tofino's scripts make: ``veth0``, ``veth2`` and so on."""
    first = _FIRST_PORTS[of_chip]
    interfaces = {first + number: f"veth{2 * number}" for number in range(_PORTS)}
    return {**interfaces, _CPU_PORTS[of_chip]: _CPU_INTERFACE}


def read_interfaces(file: str | Path) -> dict[int, str]:
    """Reads the interfaces of ports from a file with ``PortToVeth`` or ``PortToIf``.

    Raises:
        FileError: the file cannot be read, or has another form.
    """
    document = read_json(file)
    try:
        veths = {port["device_port"]: f"veth{port['veth1']}" for port in document.get("PortToVeth", ())}
        interfaces = {port["device_port"]: port["if"] for port in document.get("PortToIf", ())}
    except (AttributeError, KeyError, TypeError):
        form = '{"PortToVeth": [{"device_port": 0, "veth1": 0, "veth2": 1}]}'
        raise FileError(f"does not list ports: expected {form}", file=file) from None
    if not veths and not interfaces:
        raise FileError("lists no ports in PortToVeth or PortToIf", file=file)
    return {**veths, **interfaces}


def read_json(file: str | Path) -> Mapping[str, Any]:
    """Reads a JSON object.

    Raises:
        FileError: the file cannot be read, or is not JSON.
    """
    try:
        document = json.loads(read_text(file))
    except ValueError as e:
        raise FileError(f"is not JSON: {e}", file=file) from None
    if not isinstance(document, dict):
        raise FileError("is not a JSON object", file=file)
    return document
