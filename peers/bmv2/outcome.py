"""The outcome of a case on each switch, and the differences between two outcomes."""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import simple_switch
import weir_sides
from entries import Entries
from generator.packets import PORTS
from generator.program import Case
from tools import Tools

import weir
from weir.control.switch import Switch
from weir.errors import ControlError

Output = tuple[int, bytes]


@dataclass
class Outcome:
    """The outcome of a case on a switch.

    Attributes:
        taken: whether it accepted each runtime command.
        sent: the packets that left for each packet that entered.
        state: the counters and registers at the end, by name and index.
        ended: why the switch stopped before the end; empty if it did not.
    """

    taken: list[bool] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    sent: list[list[Output]] = field(default_factory=list)
    state: dict[str, object] = field(default_factory=dict)
    ended: str = ""

    def add(self, accepted: bool, output: str) -> None:
        """Adds the result of a command."""
        self.taken.append(accepted)
        self.said.append(output)


@dataclass(frozen=True)
class Difference:
    """A difference between two outcomes.

    Attributes:
        kind: ``command``, ``output``, ``order``, ``counter``, ``register`` or ``ended``.
        at: the command, the number of the packet, or the name of the cell.
        theirs: the value with ``simple_switch``.
        ours: the value with Weir.
    """

    kind: str
    at: str | int
    theirs: object
    ours: object


def on_reference(tools: Tools, p4c_json: Path, case: Case, log: bool = False) -> tuple[Outcome, str]:
    """The outcome with ``simple_switch``, and its log if requested."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="bmv2-") as folder:
        switch = simple_switch.SimpleSwitch(tools, p4c_json, PORTS, Path(folder), "trace" if log else "debug")
        switch.keep_log = log
        try:
            _drive(switch, case, outcome)
        except (simple_switch.SwitchEnded, simple_switch.EndlessCopies) as error:
            outcome.ended = str(error)
            outcome.sent = list(error.sent) or outcome.sent
        finally:
            switch.close()
        return outcome, switch.log.decode(errors="replace")


def _drive(switch: simple_switch.SimpleSwitch, case: Case, outcome: Outcome) -> None:
    entries = Entries()
    for line in case.commands:
        outcome.add(*entries.run(switch.run, line))
    switch.log.clear()

    def change(packet: int) -> None:
        for line in case.before(packet):
            outcome.add(*entries.run(switch.run, line))

    outcome.sent = switch.send(case.packets, change)
    change(len(case.packets))
    for name, cells, kind in case.counters:
        for index in range(cells):
            outcome.state[f"{name}[{index}]"] = _counted(kind, *switch.counter(name, index))
    for name, table in case.direct:
        for number, handle in enumerate(entries.handles.get(table, [])):
            outcome.state[f"{name} entry {number}"] = switch.direct_counter(table, handle)
    for name, width in case.registers:
        if width < 64:
            values = [value & ((1 << width) - 1) for value in switch.register(name)]
            outcome.state |= {f"{name}[{index}]": value for index, value in enumerate(values)}


def on_weir(
    program: weir.Program, case: Case, kind: Callable[..., weir_sides.Side] = weir_sides.NetworkSide
) -> Outcome:
    """The outcome with Weir, on the program's executor."""
    outcome = Outcome()
    side = kind(program, PORTS)
    entries = Entries()
    for line in case.commands:
        outcome.add(*entries.run(partial(weir_sides.run, side), line))

    def change(packet: int) -> None:
        for line in case.before(packet):
            outcome.add(*entries.run(partial(weir_sides.run, side), line))

    try:
        for sent in side.send(case.packets):
            outcome.sent.append(sent)
            change(len(outcome.sent))
    except weir_sides.EndlessCopies as error:
        outcome.ended = str(error)
        return outcome
    _read_weir(side.switch, case, outcome, entries)
    return outcome


def _read_weir(switch: Switch, case: Case, outcome: Outcome, entries: Entries) -> None:
    """Adds counters and registers; an object that the switch does not have is left out."""
    for name, cells, kind in case.counters:
        with contextlib.suppress(ControlError):
            counter = switch.counter(name)
            for index in range(cells):
                count = counter.read(index)
                outcome.state[f"{name}[{index}]"] = _counted(kind, count.packets, count.bytes)
    for name, table in case.direct:
        with contextlib.suppress(ControlError):
            counter = switch.counter(name)
            for number, handle in enumerate(entries.handles.get(table, [])):
                count = counter.read(handle)
                outcome.state[f"{name} entry {number}"] = (count.packets, count.bytes)
    for name, width in case.registers:
        if width < 64:
            with contextlib.suppress(ControlError):
                values = switch.register(name).cells()
                outcome.state |= {f"{name}[{index}]": value for index, value in enumerate(values)}


def _counted(kind: str, packets: int, size: int) -> object:
    return {"packets": packets, "bytes": size}.get(kind, (packets, size))


def _by_port(sent: list[Output]) -> dict[int, list[bytes]]:
    ports: dict[int, list[bytes]] = {}
    for port, data in sent:
        ports.setdefault(port, []).append(data)
    return ports


def compare(theirs: Outcome, ours: Outcome, case: Case) -> list[Difference]:
    """The differences between two outcomes.

    The order of packets at different ports is not compared, and neither is that of clones made in
    egress: simple_switch sends them from several threads.
    """
    ordered = "clone_egress" not in case.features
    differences = [
        Difference("command", line, a_said.strip()[-300:], b_said.strip()[-300:])
        for line, a, b, a_said, b_said in zip(
            case.lines(), theirs.taken, ours.taken, theirs.said, ours.said, strict=False
        )
        if a != b
    ]
    for number, (a_sent, b_sent) in enumerate(zip(theirs.sent, ours.sent, strict=False)):
        if Counter(a_sent) != Counter(b_sent):
            if theirs.ended and number == len(theirs.sent) - 1:
                continue
            differences.append(Difference("output", number, a_sent, b_sent))
        elif ordered and _by_port(a_sent) != _by_port(b_sent):
            differences.append(Difference("order", number, a_sent, b_sent))
    if theirs.ended or ours.ended:
        if theirs.ended == ours.ended and len(theirs.sent) == len(ours.sent):
            return differences
        differences.append(Difference("ended", len(theirs.sent) - 1, theirs.ended, ours.ended))
    else:
        names = theirs.state.keys() | ours.state.keys()
        for name in sorted(names):
            if theirs.state.get(name) != ours.state.get(name):
                registers = any(name.startswith(f"{one}[") for one, _ in case.registers)
                kind = "register" if registers else "counter"
                differences.append(Difference(kind, name, theirs.state.get(name), ours.state.get(name)))
    return differences


def commands_of_both(case: Case, theirs: Outcome, ours: Outcome) -> Case:
    """The case with only the commands that both switches accepted."""
    same = [a == b for a, b in zip(theirs.taken, ours.taken, strict=False)]
    first = len(case.commands)
    return replace(
        case,
        commands=[line for line, kept in zip(case.commands, same, strict=False) if kept],
        later=[one for one, kept in zip(case.later, same[first:], strict=False) if kept],
    )


def without_unused(case: Case, names: set[str]) -> Case:
    """The case without the objects that p4c removed from the program because they are unused."""

    def there(line: str) -> bool:
        return line.startswith(("mc_", "mirroring_")) or line.split()[1] in names

    return replace(
        case,
        commands=[line for line in case.commands if there(line)],
        later=[one for one in case.later if there(one[1])],
        counters=[one for one in case.counters if one[0] in names],
        direct=[one for one in case.direct if one[0] in names],
        registers=[one for one in case.registers if one[0] in names],
    )
