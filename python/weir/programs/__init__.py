"""P4 programs that come with Weir. The programs' names can be used wherever a program's file is
expected.

>>> weir.Network(weir.topology.shapes.dumbbell(4), p4="router")       # doctest: +SKIP

``router``
    An IPv4 and IPv6 router with equal-cost multipath. It answers ARP and neighbour solicitations.
``l2_switch``
    An Ethernet switch that learns where hosts are.
``delay_line``
    An IPv4 router that recirculates every packet; the default action of its table
    ``recirculations`` sets how often. The program of the delay lab (in the repository, a link to
    the lab's file).

Networks compute their entries from the topology: see :attr:`weir.Topology.routes`.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Final

from weir.errors import FileError, shown
from weir.files import is_there
from weir.text.suggest import nearest

_PACKAGE: Final = Path(__file__).resolve().parent

PROGRAMS: Final = MappingProxyType(
    {
        "router": _PACKAGE / "router.p4",
        "l2_switch": _PACKAGE / "l2_switch.p4",
        "delay_line": _PACKAGE / "delay_line.p4",
    }
)
"""The files of the programs that come with Weir, by name."""


def find(path: str | Path) -> str | Path:
    """Finds a program's file by name; returns any other name or path unchanged.

    A file of that name in the current folder comes first. ``-`` counts as ``_``.

    Raises:
        FileError: the argument is a misspelt name, or is not a name, such as the text of a program.
    """
    if not isinstance(path, (str, Path)):
        raise FileError(f"expected the name of a P4 program, found {shown(path)}")
    if isinstance(path, str) and "{" in path:
        raise FileError("expected the name of a P4 program's file, found the text of a program")
    if isinstance(path, str) and not is_there(path):
        name = path.replace("-", "_")
        if name not in PROGRAMS and name.isidentifier() and (suggestion := nearest(name, PROGRAMS)):
            raise FileError(
                "no such file, and no program that comes with Weir", file=path, suggestion=suggestion
            )
        return PROGRAMS.get(name, path)
    return path


def is_program(path: str) -> bool:
    """Returns whether a string names a program: a file ``….p4`` or ``….json``, or one of
    :data:`PROGRAMS`."""
    return path.endswith((".p4", ".json")) or find(path) != path
