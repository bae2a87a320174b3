"""Weir: run a P4 program as switches in a network, and measure it.

>>> import weir
>>> net = weir.Network.load("topology.json", p4="router.p4")   # doctest: +SKIP
>>> net.host("h1").ping("h2", count=3).rtt_avg_ms              # doctest: +SKIP
0.012

What there is: :class:`Topology` (hosts, switches, links), :class:`Network` (a topology that runs), :func:`check` and
:func:`compile` (P4 programs), and :class:`WeirError` with its kinds (every mistake that a caller can mend).
"""

from __future__ import annotations

# As type checkers know it; `typing` itself takes longer to load than all of this, and the command must soon be able to
# answer an interrupt.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from weir.control import Digest, IdleNotice, LogLine, Switch, Table, TableEntry
    from weir.errors import (
        CommandError,
        ControlError,
        FileError,
        NetworkError,
        P4Error,
        TopologyError,
        UnitError,
        WeirError,
    )
    from weir.host import Host
    from weir.link import Link
    from weir.measure import PingMatrix, PingReply, PingResult
    from weir.network import Network, Profile
    from weir.program import Diagnostic, Program, check, compile
    from weir.topology import Topology
    from weir.trace import Journey

# Loaded at first use: `weir check` must not wait for what only networks need.
_LAZY = {
    "CommandError": "weir.errors",
    "ControlError": "weir.errors",
    "Diagnostic": "weir.program",
    "Digest": "weir.control",
    "FileError": "weir.errors",
    "Host": "weir.host",
    "IdleNotice": "weir.control",
    "Journey": "weir.trace",
    "Link": "weir.link",
    "LogLine": "weir.control",
    "Network": "weir.network",
    "NetworkError": "weir.errors",
    "P4Error": "weir.errors",
    "PingMatrix": "weir.measure",
    "PingReply": "weir.measure",
    "PingResult": "weir.measure",
    "Profile": "weir.network",
    "Program": "weir.program",
    "Switch": "weir.control",
    "Table": "weir.control",
    "TableEntry": "weir.control",
    "Topology": "weir.topology",
    "TopologyError": "weir.errors",
    "UnitError": "weir.errors",
    "WeirError": "weir.errors",
    "check": "weir.program",
    "compile": "weir.program",
}

__all__ = [
    "CommandError",
    "ControlError",
    "Diagnostic",
    "Digest",
    "FileError",
    "Host",
    "IdleNotice",
    "Journey",
    "Link",
    "LogLine",
    "Network",
    "NetworkError",
    "P4Error",
    "PingMatrix",
    "PingReply",
    "PingResult",
    "Profile",
    "Program",
    "Switch",
    "Table",
    "TableEntry",
    "Topology",
    "TopologyError",
    "UnitError",
    "WeirError",
    "__version__",
    "check",
    "compile",
]


def __getattr__(name: str) -> Any:
    import importlib

    if name == "__version__":
        return importlib.import_module("weir._core").__version__
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'weir' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
