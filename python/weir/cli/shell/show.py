"""Commands that show the state of a network."""

from __future__ import annotations

from collections.abc import Sequence

import click

from weir.cli import text
from weir.cli.shell.command import ShellCommand, check_no_arguments
from weir.control import Switch
from weir.control.cells import Count, Counter
from weir.control.messages import Message
from weir.errors import CommandError
from weir.network import Network
from weir.program import TableInfo


class ShowCommands:
    """The commands that show nodes, links, tables, counters and messages of a network."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def commands(self) -> dict[str, ShellCommand]:
        """Returns the shell commands that show the state of the network, by name."""
        return {
            "nodes": ShellCommand(
                "Show", "nodes", "hosts with addresses, switches with programs", self._nodes
            ),
            "links": ShellCommand("Show", "links", "links with rate, delay and loss", self._links),
            "tables": ShellCommand(
                "Show",
                "tables SWITCH [TABLE]",
                "a switch's tables, or a table's entries",
                self._tables,
                "The last part of a table's name is sufficient.",
                "tables s1 ipv4_lpm",
            ),
            "counters": ShellCommand(
                "Show",
                "counters SWITCH [COUNTER]",
                "a switch's counters, or a counter's cells",
                self._counters,
                "Cells with the value 0 are left out. The cells of a table's direct counter have the "
                "numbers of the table's entries.",
                "counters s1 ingress_packets",
            ),
            "messages": ShellCommand(
                "Show",
                "messages SWITCH",
                "digests, log lines, idle entries so far",
                self._messages,
                "Each message is shown once.",
            ),
        }

    def _nodes(self, args: list[str]) -> bool:
        check_no_arguments("nodes", args)
        hosts = [[host.name, " ".join(host.prefixes), host.mac] for host in self._network.hosts]
        if hosts:
            text.table(["host", "address", "MAC"], hosts)
        switches = [
            [
                switch.name,
                str(switch.program.path),
                _profile(switch),
                " ".join(map(str, switch.ports)),
            ]
            for switch in self._network.switches
        ]
        if switches:
            text.table(["switch", "program", "profile", "ports"], switches)
        return True

    def _links(self, args: list[str]) -> bool:
        check_no_arguments("links", args)
        rows = [
            [link.a, link.b, link.rate or "unlimited", link.delay, str(link.loss)]
            for link in self._network.links
        ]
        text.table(["end", "end", "rate", "delay", "loss"], rows)
        return True

    def _tables(self, args: list[str]) -> bool:
        if not 1 <= len(args) <= 2:
            raise CommandError("tables: expected a switch and optionally a table (tables SWITCH [TABLE])")
        switch = self._network.switch(args[0])
        if len(args) == 2:
            table = switch.table(args[1])
            text.heading(table.name)
            for entry in [*table.entries(), table.default]:
                click.echo(f"  {entry}")
            return True
        rows = []
        for table in switch.tables.values():
            keys = ", ".join(f"{key.name}: {key.match_kind}" for key in table.info.keys)
            size = "" if table.info.size is None else str(table.info.size)
            rows.append([table.name, keys, str(len(table.entries())), size, table.default.action])
        titles = ["table", "keys", "entries", "size", "default"]
        properties = [_properties(table.info) for table in switch.tables.values()]
        if any(properties):
            titles.append("properties")
            rows = [[*row, property_cells] for row, property_cells in zip(rows, properties, strict=True)]
        text.table(titles, rows)
        return True

    def _counters(self, args: list[str]) -> bool:
        if not 1 <= len(args) <= 2:
            raise CommandError(
                "counters: expected a switch and optionally a counter (counters SWITCH [COUNTER])"
            )
        switch = self._network.switch(args[0])
        if len(args) == 2:
            counter = switch.counter(args[1])
            text.heading(counter.name)
            cells = _cells(switch, counter)
            text.table(
                ["cell", "packets", "bytes"],
                [[str(index), *_numbers(counter, cell)] for index, cell in cells],
            )
            return True
        rows = []
        for name in switch.program.objects("counter"):
            counter = switch.counter(name)
            cells = _cells(switch, counter)
            total = Count(sum(cell.packets for _, cell in cells), sum(cell.bytes for _, cell in cells))
            rows.append([name, f"{len(cells)} of {len(counter)}", *_numbers(counter, total)])
        if not rows:
            click.echo(f"the program of {switch.name} has no counters")
            return True
        text.table(["counter", "cells in use", "packets", "bytes"], rows)
        return True

    def _messages(self, args: list[str]) -> bool:
        if len(args) != 1:
            raise CommandError("messages: expected a switch (messages SWITCH)")
        switch = self._network.switch(args[0])
        messages: Sequence[Message] = switch.log() if switch.is_served else switch.messages()
        if switch.is_served:
            click.echo(
                f"(only lines of log_msg: digests and idle notices of {switch.name} go to its controllers)"
            )
        for message in messages:
            click.echo(str(message))
        if not messages:
            click.echo("none")
        return True


def _properties(table: TableInfo) -> str:
    return ", ".join(
        name if value is True else f"{name}: {value}" for name, value in table.properties.items()
    )


def _profile(switch: Switch) -> str:
    profile = switch.profile
    if profile.capacity and profile.pass_latency_ns:
        return f"{profile.name} ({switch.pass_latency}, {profile.capacity:,} passes/s)"
    # A real switch, or a switch on a shared computer, has no profile.
    return profile.title


def _cells(switch: Switch, counter: Counter) -> list[tuple[int, Count]]:
    """Returns the cells of a counter that are not 0, with their indices."""
    if counter.info.table is None:
        numbers = list(range(len(counter)))
    else:
        entries = switch.table(counter.info.table).entries()
        numbers = [entry.handle for entry in entries if entry.handle is not None]
    return [(index, cell) for index, cell in zip(numbers, counter.cells(), strict=True) if cell != Count()]


def _numbers(counter: Counter, count: Count) -> tuple[str, str]:
    counts = counter.info.counts
    return (str(count.packets) if "packets" in counts else "", str(count.bytes) if "bytes" in counts else "")
