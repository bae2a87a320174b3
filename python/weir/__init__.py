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

# For type checkers only: `typing` takes longer to load than all of this, and the command must soon
# be able to handle an interrupt.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from weir import impairments, measure, programs, qdisc, topology
    from weir.clock.realtime import RealTime
    from weir.control import (
        ActionProfile,
        CloneSession,
        Count,
        Counter,
        Crc,
        Digest,
        GroupMember,
        IdleNotice,
        LogLine,
        Member,
        Meter,
        MeterCounts,
        PacketIn,
        Queue,
        Rates,
        Register,
        Replica,
        Switch,
        Table,
        TableEntry,
        ValueSet,
        WeightedAction,
    )
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
    from weir.host.program.connection import Connection
    from weir.hostprogram import Datagram, Frame, HostProgram, IcmpError, Sniffer
    from weir.links.capture import Capture
    from weir.links.interface import Interface
    from weir.links.link import Link
    from weir.links.sampler import Sampler
    from weir.measure import (
        Account,
        EndSamples,
        Fct,
        FlowResult,
        PingMatrix,
        PingReply,
        PingResult,
        Series,
        TracerouteResult,
        UdpResult,
    )
    from weir.network import Network, Noise, Profile
    from weir.p4runtime import ServerOptions, ServerTls
    from weir.program import Diagnostic, Program, check, compile
    from weir.system.meter import progress
    from weir.topology import HostSpec, LinkSpec, SwitchSpec, Topology
    from weir.trace import Journey

# Loaded at first use: `weir check` must not wait for what only networks need.
_LAZY = {
    "Account": "weir.measure",
    "ActionProfile": "weir.control",
    "Capture": "weir.links.capture",
    "CloneSession": "weir.control",
    "CommandError": "weir.errors",
    "Connection": "weir.host.program.connection",
    "ControlError": "weir.errors",
    "Count": "weir.control",
    "Counter": "weir.control",
    "Crc": "weir.control",
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
    "GroupMember": "weir.control",
    "Host": "weir.host",
    "HostProgram": "weir.hostprogram",
    "HostSpec": "weir.topology",
    "IcmpError": "weir.hostprogram",
    "IdleNotice": "weir.control",
    "Interface": "weir.links.interface",
    "Journey": "weir.trace",
    "Link": "weir.links.link",
    "LinkSpec": "weir.topology",
    "LogLine": "weir.control",
    "MeasureError": "weir.errors",
    "Member": "weir.control",
    "Meter": "weir.control",
    "MeterCounts": "weir.control",
    "MissingExtraError": "weir.errors",
    "Network": "weir.network",
    "NetworkError": "weir.errors",
    "Noise": "weir.network",
    "P4Error": "weir.errors",
    "PacketIn": "weir.control",
    "PingMatrix": "weir.measure",
    "PingReply": "weir.measure",
    "PingResult": "weir.measure",
    "Profile": "weir.network",
    "Program": "weir.program",
    "Queue": "weir.control",
    "Rates": "weir.control",
    "RealTime": "weir.clock.realtime",
    "Register": "weir.control",
    "Replica": "weir.control",
    "Sampler": "weir.links.sampler",
    "Series": "weir.measure",
    "ServerOptions": "weir.p4runtime",
    "ServerTls": "weir.p4runtime",
    "Sniffer": "weir.hostprogram",
    "Switch": "weir.control",
    "SwitchSpec": "weir.topology",
    "Table": "weir.control",
    "TableEntry": "weir.control",
    "Topology": "weir.topology",
    "TopologyError": "weir.errors",
    "TracerouteResult": "weir.measure",
    "UdpResult": "weir.measure",
    "UnitError": "weir.errors",
    "ValueSet": "weir.control",
    "WeightedAction": "weir.control",
    "WeirError": "weir.errors",
    "WeirWarning": "weir.errors",
    "check": "weir.program",
    "compile": "weir.program",
    "experiment": "weir.experiments",
    "progress": "weir.system.meter",
    "when": "weir.experiments",
    "zipped": "weir.experiments",
}

__all__ = [
    "Account",
    "ActionProfile",
    "Capture",
    "CloneSession",
    "CommandError",
    "Connection",
    "ControlError",
    "Count",
    "Counter",
    "Crc",
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
    "GroupMember",
    "Host",
    "HostProgram",
    "HostSpec",
    "IcmpError",
    "IdleNotice",
    "Interface",
    "Journey",
    "Link",
    "LinkSpec",
    "LogLine",
    "MeasureError",
    "Member",
    "Meter",
    "MeterCounts",
    "MissingExtraError",
    "Network",
    "NetworkError",
    "Noise",
    "P4Error",
    "PacketIn",
    "PingMatrix",
    "PingReply",
    "PingResult",
    "Profile",
    "Program",
    "Queue",
    "Rates",
    "RealTime",
    "Register",
    "Replica",
    "Sampler",
    "Series",
    "ServerOptions",
    "ServerTls",
    "Sniffer",
    "Switch",
    "SwitchSpec",
    "Table",
    "TableEntry",
    "Topology",
    "TopologyError",
    "TracerouteResult",
    "UdpResult",
    "UnitError",
    "ValueSet",
    "WeightedAction",
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
    "topology",
    "when",
    "zipped",
]

hints.install()


def __getattr__(name: str) -> Any:
    import importlib

    if name == "__version__":
        return importlib.import_module("weir._core").__version__
    if name in ("impairments", "measure", "programs", "qdisc", "topology"):
        return importlib.import_module(f"weir.{name}")
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    # Given the name and this module, Python looks for a similar name.
    raise AttributeError(
        f"module 'weir' has no attribute {name!r}", name=name, obj=importlib.import_module("weir")
    )


def __dir__() -> list[str]:
    return sorted(__all__)
