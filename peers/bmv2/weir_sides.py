"""Weir's ways of running a program: a switch by itself, and a switch in a network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Protocol

from entries import Entries
from generator.program import Case

import weir
from weir import _core
from weir.control.switch import Switch
from weir.errors import WeirError
from weir.network import Profile
from weir.stf.bench import Bench

Output = tuple[int, bytes]

MAX_PASSES = 200
"""Passes after which a packet with its copies counts as endless."""

_WAIT_NS = 10_000_000
_MAX_EVENTS = 10_000
_MTU = 65_535


class EndlessCopies(Exception):
    """Copies of a packet never leave the switch."""


class Side(Protocol):
    """A switch of Weir with one program."""

    switch: Switch

    def send(self, packets: Sequence[tuple[int, bytes]]) -> Iterator[list[Output]]:
        """Sends packets one after the other; yields the packets that leave for each."""


class BenchSide:
    """A switch without a network, in which packets take all steps; the program's executor runs
    them."""

    def __init__(self, program: weir.Program, ports: Sequence[int]) -> None:
        self._core = _core.TestSwitch(program._core, sorted(set(ports)), 1, False)
        self._journeys = _core.Journeys()
        self.switch = Switch(self._core.control(), "switch", program, Profile.named("default"))

    def send(self, packets: Sequence[tuple[int, bytes]]) -> Iterator[list[Output]]:
        """Sends packets one after the other; yields the packets that leave for each."""
        for port, data in packets:
            self._core.receive(port, data)
            empty = self._core.settle(MAX_PASSES)
            left, _ = self._core.read_journeys(self._journeys)
            self._journeys.take_all()
            if not empty:
                raise EndlessCopies(f"copies never leave, {len(left)} have left")
            yield [(output.port, output.packet) for output in left]


class NetworkSide:
    """A switch in a network, as users run it: packets mostly take the fast path."""

    def __init__(self, program: weir.Program, ports: Sequence[int]) -> None:
        profile = Profile.named("default")
        self._ports = list(ports)
        self._core = _core.Network(1)
        timing = (profile.pass_latency_ns, profile.capacity)
        self._core.add_switch("switch", program._core, timing, self._ports, 1, 1)
        for port in self._ports:
            interface = (f"02:00:00:00:99:{port:02x}", [], _MTU)
            self._core.add_host(f"h{port}", [interface], [], [], 0, 0)
            self._core.connect(f"h{port}", 0, "switch", port, None, 0, 0.0)
        ends = [("switch", port) for port in self._ports]
        self._watch = self._core.watch(ends, "", False, True, False)
        self.switch = Switch(self._core.switch("switch"), "switch", program, profile)

    def send(self, packets: Sequence[tuple[int, bytes]]) -> Iterator[list[Output]]:
        """Sends packets one after the other; yields the packets that leave for each."""
        hosts = {port: self._core.host(f"h{port}") for port in self._ports}
        for port, data in packets:
            hosts[port].send_frame(0, data)
            end = self._core.run(self._core.now() + _WAIT_NS, None, _MAX_EVENTS, lambda: False)
            left = [(self._ports[row[1]], bytes(row[3])) for row in self._watch.take()]
            if end != "reached":
                raise EndlessCopies(f"copies never leave, {len(left)} have left")
            yield left


def explain(program: weir.Program, ports: Sequence[int], case: Case) -> str:
    """The journeys of a case's packets as text."""
    bench = Bench(program, ports, passes=MAX_PASSES)
    entries = Entries()
    for line in case.commands:
        entries.run(partial(run, bench), line)
    journeys = []
    for number, (port, data) in enumerate(case.packets):
        for line in case.before(number):
            entries.run(partial(run, bench), line)
        journeys.append(str(bench.send(port, data)))
        bench.take_outputs()
        bench.forget()
    return "\n\n".join(journeys)


class HasSwitch(Protocol):
    """An object with a switch, on which runtime commands act."""

    switch: Switch


def run(side: HasSwitch, line: str) -> tuple[bool, str]:
    """Runs a runtime command; returns whether it was accepted, and its output."""
    try:
        return True, "\n".join(side.switch.runtime.run(line))
    except WeirError as error:
        return False, str(error)
