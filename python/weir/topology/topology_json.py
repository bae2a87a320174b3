"""Reads the public tutorials' ``topology.json``."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

from weir import jsonfile, units
from weir.errors import FileError, TopologyError
from weir.jsonfile import Node, describe
from weir.topology import addresses, commands
from weir.topology.endpoint import Endpoint, check_port
from weir.topology.host_spec import HostSpec, InterfaceSpec
from weir.topology.link_spec import LinkSpec
from weir.topology.switch_spec import SwitchSpec
from weir.topology.topology import Topology

_HOST_KEYS = ("ip", "mac", "commands")
_SWITCH_KEYS = ("runtime_json", "program", "p4", "profile", "cpu_port", "cli_input")


def load(path: str | Path) -> Topology:
    """Reads a topology; see :meth:`Topology.load`."""
    root = jsonfile.load(path, TopologyError)
    root.only(("hosts", "switches", "links"))
    topology = Topology()
    topology.file = str(path)
    for name, node in root.require("hosts").members():
        node.attempt(partial(topology._check_new_name, name))
        _host(topology, name, node)
    for name, node in root.require("switches").members():
        node.attempt(partial(topology._check_new_name, name))
        topology.switches[name] = _switch(name, node, Path(path))
    for node in root.require("links").items():
        _link(topology, node)
    return topology


def _host(topology: Topology, name: str, node: Node) -> None:
    node.only(_HOST_KEYS)
    ip, mac = node.require("ip").read(addresses.host_address), node.require("mac").read(addresses.host_mac)
    host = HostSpec(name, [InterfaceSpec(mac, [ip])])
    if (lines := node.get("commands")) is not None:
        for line in lines.items():
            line.text("a command")
            line.attempt(partial(commands.apply, line.value, host))
    node.attempt(partial(topology._place_host, host))


def _switch(name: str, node: Node, topology: Path) -> SwitchSpec:
    node.only(_SWITCH_KEYS)
    switch = SwitchSpec(name)
    if (cli_input := node.get("cli_input")) is not None:
        switch.commands = _find(cli_input, topology, "the name of a file")
    if (entries := node.get("runtime_json")) is not None:
        switch.entries = _find(entries, topology, "the name of a file")
    if (program := node.get("program")) is not None:
        switch.p4 = _program(program, topology)
    if (p4 := node.get("p4")) is not None:
        if switch.p4 is not None:
            p4.fail('"program" and "p4" both name the switch\'s program: give one')
        switch.p4 = _find(p4, topology, "the file name of a P4 program")
    if (profile := node.get("profile")) is not None:
        switch.profile = profile.text("the name of a timing profile")
    if (cpu_port := node.get("cpu_port")) is not None:
        switch.cpu_port = cpu_port.read(_cpu_port)
    return switch


def _program(node: Node, topology: Path) -> Path:
    """A switch's own program: its source, or that of the compiled program the tutorials name (``build/X.json``: ``X.p4``)."""
    name = node.text("the file name of a P4 program")
    if not name.endswith(".json"):
        return _find(node, topology, "the file name of a P4 program")
    source = f"{Path(name).stem}.p4"
    found = _search(source, topology)
    if found is None:
        node.fail(
            f'"{name}" is a compiled program; Weir compiles P4 itself, and there is no {source} '
            f"next to {topology.name}, in the parent folder or in the current one"
        )
    return found


def _cpu_port(value: Any) -> int:
    """A number, or a number in a string, as in the tutorials."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise TopologyError(f"expected a port number, found {describe(value)}")
    return check_port(value)


def _find(node: Node, topology: Path, what: str) -> Path:
    """The file that a topology names."""
    name = node.text(what)
    found = _search(name, topology)
    if found is None:
        node.fail(
            f'there is no file "{name}" next to {topology.name}, in the parent folder or in the current one',
            _near(topology.parent / name),
        )
    return found


def _search(name: str, topology: Path) -> Path | None:
    """A file next to the topology, in the parent folder, or in the current folder."""
    folder = topology.parent
    try:
        above = folder.resolve().parent / name
        if not topology.is_absolute():
            # Messages name files as the user does.
            above = Path(os.path.relpath(above))
        candidates = [folder / name, above, Path(name)]
        return next((candidate for candidate in candidates if candidate.exists()), None)
    except (OSError, ValueError):
        return None


def _near(path: Path) -> str | None:
    try:
        jsonfile.read_text(path)
    except FileError as error:
        return None if error.suggestion is None else Path(error.suggestion).name
    return None


def _link(topology: Topology, node: Node) -> None:
    node.expect(list, 'a link such as ["h1", "s1-p1", "5ms", 10]')
    if not 2 <= len(node.value) <= 4:
        node.fail(
            f"a link has two ends and optionally latency and bandwidth, found {len(node.value)} elements"
        )
    link = LinkSpec(_end(topology, node.child(0)), _end(topology, node.child(1)))
    if len(node.value) > 2:
        link.delay_ns = node.child(2).read(_latency)
    if len(node.value) > 3:
        link.rate_bps = node.child(3).read(_bandwidth)
    node.attempt(partial(topology._place_link, link))


def _end(topology: Topology, node: Node) -> Endpoint:
    end = node.read(topology._read_end)
    if end.port is None and end.node in topology.switches:
        taken = topology.ports(end.node)
        free = next(port for port in range(1, len(taken) + 2) if port not in taken)
        node.fail(f'"{end.node}" is a switch: expected one of its ports', f"{end.node}-p{free}")
    node.attempt(partial(topology._check_free, end))
    return end


def _latency(value: Any) -> int:
    """A bare number counts milliseconds; a string has a unit, except ``"0"``."""
    if value == "0":
        return 0
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return units.time_ns(f"{_decimal(value)}ms", "latency")
    return units.time_ns(value, "latency")


def _bandwidth(value: Any) -> int | None:
    """A bare number counts megabits per second, a string has a unit, null is unlimited."""
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return units.rate_bps(f"{_decimal(value)}Mbit", "bandwidth")
    return units.rate_bps(value, "bandwidth")


def _decimal(value: float) -> str:
    """A JSON number without an exponent."""
    from decimal import Decimal

    return f"{Decimal(str(value)):f}"
