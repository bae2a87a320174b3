"""Runs a file of the simple test framework on a program."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from weir.control.commands import COMMANDS
from weir.control.commands.values import whole
from weir.errors import CommandError, WeirError
from weir.jsonfile import read_text
from weir.program import Program
from weir.stf import entries
from weir.stf.bench import Bench, Output
from weir.stf.compare import difference
from weir.stf.pattern import Pattern, grouped, read_hex, read_pattern
from weir.suggest import nearest

_MAX_FILE = 16 << 20
_LAST_PORT = 510
"""Port 511 stands for "drop"."""


@dataclass(frozen=True)
class Failure:
    """Something that was not as expected.

    Attributes:
        line: the line that expects it; 0 if none does.
        message: what is wrong, in a line.
        details: more lines: the difference, field by field.
        journey: the packet's journey, a line a step; empty if there is no packet.
    """

    line: int
    message: str
    details: list[str] = field(default_factory=list)
    journey: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Result:
    """What came of a file.

    Attributes:
        path: the file.
        packets: sent in.
        checks: expected packets, and other things checked.
        failures: empty if all was as expected.
        printed: what its commands printed.
    """

    path: str
    packets: int
    checks: int
    failures: list[Failure]
    printed: list[str]

    @property
    def passed(self) -> bool:
        """Whether all was as expected."""
        return not self.failures


def run_stf(program: Program, path: str | Path) -> Result:
    """Runs a file. Its lines act in order; each packet leaves the switch before the next line; what left is compared at the end,
    port by port in order.

    Raises:
        FileError: the file cannot be read.
        CommandError: a line cannot be understood or does not fit the program; the message names file and line.
    """
    text = read_text(path, _MAX_FILE)
    lines = [(number, line) for number, line in enumerate(map(_uncommented, text.splitlines()), 1) if line]
    run = _Run(program, _ports(lines))
    for number, line in lines:
        try:
            run.line(number, line)
        except WeirError as error:
            raise CommandError(
                error.message, file=path, where=str(number), suggestion=error.suggestion
            ) from None
    run.compare()
    return Result(str(path), run.packets, run.checks, run.failures, run.printed)


def _uncommented(line: str) -> str:
    return re.sub(r"(^|\s)#.*", "", line).strip()


def _ports(lines: list[tuple[int, str]]) -> set[int]:
    """The switch has the ports that the file names: what goes elsewhere vanishes, as the framework wants it."""
    ports = set()
    for _, line in lines:
        word, *rest = line.split(maxsplit=2)
        if word in ("packet", "expect") and rest and re.fullmatch("[0-9]{1,3}", rest[0], re.ASCII):
            ports.add(int(rest[0]))
    return {port for port in ports if port <= _LAST_PORT}


class _Run:
    def __init__(self, program: Program, ports: set[int]) -> None:
        self.program = program
        self.bench = Bench(program, ports)
        self.runtime = self.bench.switch.runtime
        self.failures: list[Failure] = []
        self.printed: list[str] = []
        self.packets = 0
        self.checks = 0
        self._names: dict[str, entries.Added] = {}
        self._expected: dict[int, list[tuple[int, Pattern]]] = {}
        self._got: dict[int, list[Output]] = {}
        self._lines: dict[str, Callable[[int, str], None]] = {
            "packet": self._packet,
            "expect": self._expect,
            "no_packet": self._no_packet,
            "add": lambda _, rest: entries.add(self.runtime, rest, self._names),
            "setdefault": lambda _, rest: entries.set_default(self.runtime, rest),
            "remove": lambda _, rest: entries.remove(self.runtime, rest, self._names),
            "check_counter": self._check_counter,
            "check_register": self._check_register,
            "wait": self._wait,
        }

    def line(self, number: int, line: str) -> None:
        """Does what a line says."""
        name, *rest = line.split(maxsplit=1)
        text = rest[0] if rest else ""
        if name.lower() in self._lines:
            self._lines[name.lower()](number, text)
        elif name in COMMANDS and name != "help":
            self.printed += self.runtime.run(line)
        else:
            known = [*self._lines, *(command for command in COMMANDS if command != "help")]
            raise CommandError(
                f'"{name}" is neither a line of the test framework (packet, expect, add, …) nor a runtime command',
                suggestion=nearest(name, known),
            )

    def compare(self) -> None:
        """Compares what left with what was expected."""
        for port in sorted({*self._expected, *self._got}):
            self._compare_port(port, self._expected.get(port, []), self._got.get(port, []))

    def _compare_port(self, port: int, expected: list[tuple[int, Pattern]], got: list[Output]) -> None:
        # `expect PORT` alone takes whatever comes there, once or often.
        if expected and all(pattern.digits is None for _, pattern in expected):
            if not got:
                self.failures.append(Failure(expected[0][0], f"no packet left on port {port}"))
            return
        for (line, pattern), output in zip(expected, got, strict=False):
            if not pattern.matches(output.packet):
                self.failures.append(
                    Failure(
                        line,
                        f"a packet on port {port} is not as expected",
                        difference(self.program, pattern, output),
                        self.bench.journey(output.number),
                    )
                )
        for line, pattern in expected[len(got) :]:
            last = self.packets - 1
            journey = self.bench.journey(last) if self.packets == 1 else []
            self.failures.append(
                Failure(line, f"no packet left on port {port}: expected {pattern}", [], journey)
            )
        for output in got[len(expected) :]:
            message = f"port {port}: a packet that no line expects: {grouped(output.packet.hex())}"
            self.failures.append(Failure(0, message, [], self.bench.journey(output.number)))

    def _packet(self, number: int, text: str) -> None:
        port, _, digits = text.partition(" ")
        where = whole(port, "a port", 0, _LAST_PORT)
        self.bench.receive(where, read_hex(digits, "the packet"))
        self.packets += 1
        self._settle(number)

    def _expect(self, number: int, text: str) -> None:
        port, _, digits = text.partition(" ")
        pattern = read_pattern(digits)
        self._expected.setdefault(whole(port, "a port", 0, _LAST_PORT), []).append((number, pattern))
        self.checks += 1

    def _no_packet(self, number: int, text: str) -> None:
        """Nothing more than what the lines before it expect has left by now."""
        self.checks += 1
        for port, got in sorted(self._got.items()):
            expected = self._expected.get(port, [])
            if len(got) > len(expected) and not any(pattern.digits is None for _, pattern in expected):
                packet = got[len(expected)]
                self.failures.append(
                    Failure(
                        number,
                        f"expected no packet, one left on port {port}",
                        [],
                        self.bench.journey(packet.number),
                    )
                )

    def _wait(self, number: int, text: str) -> None:
        self._settle(number)

    def _settle(self, number: int) -> None:
        outputs, empty = self.bench.settle()
        for output in outputs:
            self._got.setdefault(output.port, []).append(output)
        if not empty:
            self.failures.append(Failure(number, "a packet was still in the switch after a virtual second"))

    def _check_counter(self, number: int, text: str) -> None:
        usage = "check_counter NAME(INDEX) [packets|bytes] == N"
        found = re.fullmatch(
            r"(?P<name>[^\s(\[]+)\s*(?:\(\s*(?P<a>\S+?)\s*\)|\[\s*(?P<b>\S+?)\s*\]|\s(?P<c>\w\S*))"
            r"(?:\s+(?P<unit>packets|bytes))?(?:\s*(?P<op>==|!=|<=|>=|<|>)\s*(?P<n>\w+))?",
            text.strip(),
        )
        if found is None:
            raise CommandError(f'expected {usage}, found "check_counter {text.strip()}"')
        index = found["a"] or found["b"] or found["c"]
        if index.startswith("$"):
            index = index[1:]
            if index not in self._names:
                raise CommandError(
                    f'no entry was added with the name "{index}"', suggestion=nearest(index, self._names)
                )
        if index in self._names:
            index = str(self._names[index].handle)
        count = self.bench.switch.counter(found["name"]).read(whole(index, "an index"))
        packets, octets = count.packets, count.bytes
        if found["op"] is None:
            self.printed.append(f"{found['name']}[{index}] = {packets} packets, {octets} bytes")
            return
        unit = found["unit"] or "packets"
        self._check(
            number,
            f"{unit} of {found['name']}[{index}]",
            packets if unit == "packets" else octets,
            found["op"],
            whole(found["n"], "a count"),
        )

    def _check_register(self, number: int, text: str) -> None:
        found = re.fullmatch(
            r"(?P<name>[^\s(\[]+)\s*[\s(\[]\s*(?P<index>\w+)\s*[)\]]?\s*(?P<op>==|!=|<=|>=|<|>)\s*(?P<n>\w+)",
            text.strip(),
        )
        if found is None:
            raise CommandError(
                f'expected check_register NAME(INDEX) == N, found "check_register {text.strip()}"'
            )
        value = self.bench.switch.register(found["name"]).read(whole(found["index"], "an index"))
        what = f"{found['name']}[{found['index']}]"
        self._check(number, what, value, found["op"], whole(found["n"], "a value", 0, (1 << 4096) - 1))

    def _check(self, number: int, what: str, value: int, op: str, wanted: int) -> None:
        self.checks += 1
        holds = {
            "==": value == wanted,
            "!=": value != wanted,
            "<": value < wanted,
            "<=": value <= wanted,
            ">": value > wanted,
            ">=": value >= wanted,
        }[op]
        if not holds:
            self.failures.append(Failure(number, f"{what}: expected {op} {wanted}, got {value}"))
