"""Weir: run a P4 program as switches in a network, and measure it.

>>> import weir
>>> net = weir.Network.load("topology.json", p4="router.p4")   # doctest: +SKIP
>>> net.host("h1").ping("h2", count=3).rtt_avg_ms              # doctest: +SKIP
0.012

The main parts are :class:`Topology` (hosts, switches, links), :class:`Network` (a running
topology), :func:`check` and :func:`compile` (P4 programs), and :class:`WeirError` with its
subclasses (every mistake that a caller can correct).
"""

from __future__ import annotations

from weir import hints

# As type checkers know it; `typing` itself takes longer to load than all of this, and the command
# must soon be able to answer an interrupt.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from weir import impairments, measure, programs, qdisc
    from weir.capture import Capture
    from weir.connection import Connection
    from weir.control import Digest, IdleNotice, LogLine, Switch, Table, TableEntry
    from weir.errors import (
        CommandError,
        ControlError,
        ExperimentError,
        FileError,
        MeasureError,
        MissingExtraError,
        NetworkError,
        P4Error,
        TopologyError,
        UnitError,
        WeirError,
        WeirWarning,
    )
    from weir.experiments import Experiment, experiment, when, zipped
    from weir.flows import Flow
    from weir.host import Host
    from weir.hostprogram import Datagram, Frame, HostProgram, Sniffer
    from weir.interface import Interface
    from weir.link import Link
    from weir.measure import (
        Account,
        EndSamples,
        Fct,
        FlowResult,
        PingMatrix,
        PingReply,
        PingResult,
        Series,
        UdpResult,
    )
    from weir.meter import progress
    from weir.network import Network, Profile
    from weir.program import Diagnostic, Program, check, compile
    from weir.realtime import RealTime
    from weir.sampler import Sampler
    from weir.topology import Topology
    from weir.trace import Journey

# Loaded at first use: `weir check` must not wait for what only networks need.
_LAZY = {
    "Account": "weir.measure",
    "Capture": "weir.capture",
    "CommandError": "weir.errors",
    "Connection": "weir.connection",
    "ControlError": "weir.errors",
    "Datagram": "weir.hostprogram",
    "Diagnostic": "weir.program",
    "Digest": "weir.control",
    "EndSamples": "weir.measure",
    "Experiment": "weir.experiments",
    "ExperimentError": "weir.errors",
    "Fct": "weir.measure",
    "FileError": "weir.errors",
    "Flow": "weir.flows",
    "FlowResult": "weir.measure",
    "Frame": "weir.hostprogram",
    "Host": "weir.host",
    "HostProgram": "weir.hostprogram",
    "IdleNotice": "weir.control",
    "Interface": "weir.interface",
    "Journey": "weir.trace",
    "Link": "weir.link",
    "LogLine": "weir.control",
    "MeasureError": "weir.errors",
    "MissingExtraError": "weir.errors",
    "Network": "weir.network",
    "NetworkError": "weir.errors",
    "P4Error": "weir.errors",
    "PingMatrix": "weir.measure",
    "PingReply": "weir.measure",
    "PingResult": "weir.measure",
    "Profile": "weir.network",
    "Program": "weir.program",
    "RealTime": "weir.realtime",
    "Sampler": "weir.sampler",
    "Series": "weir.measure",
    "Sniffer": "weir.hostprogram",
    "Switch": "weir.control",
    "Table": "weir.control",
    "TableEntry": "weir.control",
    "Topology": "weir.topology",
    "TopologyError": "weir.errors",
    "UdpResult": "weir.measure",
    "UnitError": "weir.errors",
    "WeirError": "weir.errors",
    "WeirWarning": "weir.errors",
    "check": "weir.program",
    "compile": "weir.program",
    "experiment": "weir.experiments",
    "progress": "weir.meter",
    "when": "weir.experiments",
    "zipped": "weir.experiments",
}

__all__ = [
    "Account",
    "Capture",
    "CommandError",
    "Connection",
    "ControlError",
    "Datagram",
    "Diagnostic",
    "Digest",
    "EndSamples",
    "Experiment",
    "ExperimentError",
    "Fct",
    "FileError",
    "Flow",
    "FlowResult",
    "Frame",
    "Host",
    "HostProgram",
    "IdleNotice",
    "Interface",
    "Journey",
    "Link",
    "LogLine",
    "MeasureError",
    "MissingExtraError",
    "Network",
    "NetworkError",
    "P4Error",
    "PingMatrix",
    "PingReply",
    "PingResult",
    "Profile",
    "Program",
    "RealTime",
    "Sampler",
    "Series",
    "Sniffer",
    "Switch",
    "Table",
    "TableEntry",
    "Topology",
    "TopologyError",
    "UdpResult",
    "UnitError",
    "WeirError",
    "WeirWarning",
    "__version__",
    "check",
    "compile",
    "experiment",
    "impairments",
    "measure",
    "programs",
    "progress",
    "qdisc",
    "when",
    "zipped",
]

hints.install()


def __getattr__(name: str) -> Any:
    import importlib

    if name == "__version__":
        return importlib.import_module("weir._core").__version__
    if name in ("impairments", "measure", "programs", "qdisc"):
        return importlib.import_module(f"weir.{name}")
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'weir' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
