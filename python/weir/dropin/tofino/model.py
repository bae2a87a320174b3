"""The stand-ins for ``tofino-model`` and ``run_tofino_model.sh``.

The switch itself runs in ``bf_switchd``'s stand-in. This stand-in only passes on the interfaces of
the ports, and waits.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Sequence
from typing import Final

from weir.dropin.options import Option, ignored_option, option, read, write_help
from weir.dropin.running import run
from weir.dropin.tofino.places import chip, install_folder, port_file, read_interfaces

_OPTIONS: Final[list[Option]] = [
    option("--help -h", "Show this text."),
    option("-f", "The file that lists the ports with their interfaces.", "FILE"),
    option("--arch", "The chip: tofino (tf1) or tofino2 (tf2).", "NAME"),
    ignored_option("-p", "bf_switchd knows the program.", "NAME"),
    ignored_option("-c --p4-target-config", "bf_switchd knows the program.", "FILE"),
    ignored_option("-q --logs-disable", "there are no logs; `weir trace` shows packets."),
    ignored_option(
        "-d -k --int-port-loop --log-dir --pkt-log-len --chip-type", "there is no model.", "VALUE"
    ),
    ignored_option(
        "--conf-disable --json-logs-enable --use-pcie-veth --dod-test-mode --no-port-monitor --time-disable -g",
        "there is no model.",
    ),
]

_ABOUT: Final = """Passes the interfaces of ports to the stand-in for bf_switchd, which is the switch, and waits until a signal
ends it."""


def run_tofino_model(arguments: Sequence[str] | None = None) -> int:
    """Runs the stand-in for ``run_tofino_model.sh`` until a signal ends it."""
    return run("run_tofino_model.sh", _run, arguments)


def tofino_model(arguments: Sequence[str] | None = None) -> int:
    """Runs the stand-in for ``tofino-model`` until a signal ends it."""
    return run("tofino-model", _run, arguments)


def _run(arguments: Sequence[str]) -> int:
    given = read([word for word in arguments if word != "--"], _OPTIONS)
    if "--help" in given:
        write_help("run_tofino_model.sh [OPTION]…", _ABOUT, {"Options": _OPTIONS})
        return 0
    chip(given.last("--arch"))
    listed = port_file(install_folder())
    listed.parent.mkdir(parents=True, exist_ok=True)
    listed.unlink(missing_ok=True)
    if (file := given.last("-f")) is not None:
        interfaces = read_interfaces(file)
        document = {"PortToIf": [{"device_port": port, "if": name} for port, name in interfaces.items()]}
        listed.write_text(json.dumps(document) + "\n", encoding="utf-8")
    sys.stdout.write("The switch runs in run_switchd.sh. This program waits until Ctrl-C.\n")
    sys.stdout.flush()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        signal.pause()
    finally:
        listed.unlink(missing_ok=True)
    return 0
