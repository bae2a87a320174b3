"""Weir: run a P4 program as switches in a network, and measure it.

>>> import weir
>>> net = weir.Network.load("topology.json", p4="router.p4")   # doctest: +SKIP
>>> net.host("h1").ping("h2", count=3).rtt_avg_ms              # doctest: +SKIP
0.012

The main parts are :class:`Topology` (hosts, switches, links), :class:`Network` (a running
topology), :func:`check` and :func:`compile` (P4 programs), and :class:`WeirError`, whose subclasses
report all mistakes that a caller can correct.
"""

from __future__ import annotations

from weir import hints

# For type checkers only: `typing` takes longer to load than all of this, and the command must soon
# be able to handle an interrupt.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from weir import (
        impairments as impairments,
        measure as measure,
        programs as programs,
        qdisc as qdisc,
        topology as topology,
    )
    from weir.clock.realtime import RealTime as RealTime
    from weir.control import (
        ActionProfile as ActionProfile,
        CloneSession as CloneSession,
        Count as Count,
        Counter as Counter,
        Crc as Crc,
        Digest as Digest,
        GroupMember as GroupMember,
        IdleNotice as IdleNotice,
        LogLine as LogLine,
        Member as Member,
        Meter as Meter,
        MeterCounts as MeterCounts,
        PacketIn as PacketIn,
        Queue as Queue,
        Rates as Rates,
        Register as Register,
        Replica as Replica,
        Switch as Switch,
        Table as Table,
        TableEntry as TableEntry,
        ValueSet as ValueSet,
        WeightedAction as WeightedAction,
    )
    from weir.errors import (
        CommandError as CommandError,
        ControlError as ControlError,
        ExperimentError as ExperimentError,
        FileError as FileError,
        MeasureError as MeasureError,
        MissingExtraError as MissingExtraError,
        NetworkError as NetworkError,
        P4Error as P4Error,
        TopologyError as TopologyError,
        UnitError as UnitError,
        WeirError as WeirError,
        WeirWarning as WeirWarning,
    )
    from weir.experiments import (
        Experiment as Experiment,
        experiment as experiment,
        when as when,
        zipped as zipped,
    )
    from weir.flows import Flow as Flow
    from weir.host import Host as Host
    from weir.host.program.connection import Connection as Connection
    from weir.hostprogram import (
        Datagram as Datagram,
        Frame as Frame,
        HostProgram as HostProgram,
        IcmpError as IcmpError,
        Sniffer as Sniffer,
    )
    from weir.links.capture import Capture as Capture
    from weir.links.interface import Interface as Interface
    from weir.links.link import Link as Link
    from weir.links.sampler import Sampler as Sampler
    from weir.measure import (
        Account as Account,
        EndSamples as EndSamples,
        Fct as Fct,
        FlowResult as FlowResult,
        PingMatrix as PingMatrix,
        PingReply as PingReply,
        PingResult as PingResult,
        Series as Series,
        TracerouteResult as TracerouteResult,
        UdpResult as UdpResult,
    )
    from weir.network import (
        Computer as Computer,
        Cost as Cost,
        Network as Network,
        Noise as Noise,
        Profile as Profile,
    )
    from weir.p4runtime import (
        ServerOptions as ServerOptions,
        ServerTls as ServerTls,
    )
    from weir.program import (
        Diagnostic as Diagnostic,
        OutArgument as OutArgument,
        Program as Program,
        check as check,
        compile as compile,
    )
    from weir.system.meter import progress as progress
    from weir.topology import (
        HostSpec as HostSpec,
        LinkSpec as LinkSpec,
        SwitchSpec as SwitchSpec,
        Topology as Topology,
    )
    from weir.trace import Journey as Journey

# These modules are loaded at first use, so that `weir check` does not wait for modules of networks.
_NAMES_BY_MODULE = {
    "clock.realtime": "RealTime",
    "control": """
        ActionProfile CloneSession Count Counter Crc Digest GroupMember IdleNotice LogLine
        Member Meter MeterCounts PacketIn Queue Rates Register Replica Switch Table TableEntry
        ValueSet WeightedAction
    """,
    "errors": """
        CommandError ControlError ExperimentError FileError MeasureError MissingExtraError
        NetworkError P4Error TopologyError UnitError WeirError WeirWarning
    """,
    "experiments": "Experiment experiment when zipped",
    "flows": "Flow",
    "host": "Host",
    "host.program.connection": "Connection",
    "hostprogram": "Datagram Frame HostProgram IcmpError Sniffer",
    "links.capture": "Capture",
    "links.interface": "Interface",
    "links.link": "Link",
    "links.sampler": "Sampler",
    "measure": """
        Account EndSamples Fct FlowResult PingMatrix PingReply PingResult Series
        TracerouteResult UdpResult
    """,
    "network": "Computer Cost Network Noise Profile",
    "p4runtime": "ServerOptions ServerTls",
    "program": "Diagnostic OutArgument Program check compile",
    "system.meter": "progress",
    "topology": "HostSpec LinkSpec SwitchSpec Topology",
    "trace": "Journey",
}
"""Maps each module to the public names that it defines."""

_MODULE_BY_NAME = {
    name: f"weir.{module}" for module, names in _NAMES_BY_MODULE.items() for name in names.split()
}
_MODULES = ("impairments", "measure", "programs", "qdisc", "topology")
__all__ = sorted([*_MODULE_BY_NAME, *_MODULES, "__version__"])

hints.install()


def __getattr__(name: str) -> Any:
    import importlib

    if name == "__version__":
        return importlib.import_module("weir._core").__version__
    if name in _MODULES:
        return importlib.import_module(f"weir.{name}")
    if name in _MODULE_BY_NAME:
        return getattr(importlib.import_module(_MODULE_BY_NAME[name]), name)
    # Python uses the name and this module to suggest a similar name.
    raise AttributeError(
        f"module 'weir' has no attribute {name!r}", name=name, obj=importlib.import_module("weir")
    )


def __dir__() -> list[str]:
    return __all__
