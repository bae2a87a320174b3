"""``weir switch``: runs a switch between real interfaces, like ``weir-switchd``, which needs no
Python."""

from __future__ import annotations

from weir import _core
from weir.cli.service import ServiceCommand
from weir.errors.linux import require_linux


def _run(arguments: tuple[str, ...]) -> int:
    require_linux("weir switch", "`weir run` runs switches in a virtual network")
    from weir.programs import find

    return _core.run_switch(["weir switch", *arguments], find=find)


command = ServiceCommand(
    "switch", _run, metavar="[PROGRAM]", short_help="Run a program between network interfaces."
)
