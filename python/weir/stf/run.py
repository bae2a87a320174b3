"""Runs a file of the simple test framework on a program."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path

from weir import _core, units
from weir.control.commands import COMMANDS
from weir.errors import CommandError, WeirError
from weir.program import Program
from weir.stf.bench import MAX_PASSES, Bench
from weir.stf.compare import Difference, Headers, compare
from weir.stf.pattern import Pattern, grouped, read_hex, read_pattern
from weir.suggest import nearest
from weir.textfile import read_text
from weir.trace.journey import Copy, Journey, Output

_MAX_FILE = 16 << 20
_LAST_PORT = 510
_DROP_PORT = 511
_LONGEST_WAIT_NS = 10**15
"""Eleven days; the clock has room for many."""


@dataclass(frozen=True)
class Failure:
    """Something that was not as expected.

    Attributes:
        line: the line that expects it; 0 if none does.
        message: what is wrong, in a line.
        details: more lines: the packets side by side, what else may be worth knowing.
        differences: the fields that are not as expected.
        journey: the journey of the packet that it is about, if there is one.
        sent: the line that sent that packet; 0 if there is none.
    """

    line: int
    message: str
    details: Sequence[str] = ()
    differences: Sequence[Difference] = ()
    journey: Journey | None = None
    sent: int = 0


@dataclass(frozen=True)
class Result:
    """What came of a file.

    Attributes:
        path: the file.
        packets: sent in.
        checks: expected packets, and other things checked.
        failures: empty if all was as expected.
        unnamed: ports, such as ``port 2``, that packets went to and no line names.
        printed: what its commands printed, and what the switch told: digests, ``log_msg`` lines,
            idle entries.
    """

    path: str
    packets: int
    checks: int
    failures: list[Failure]
    printed: list[str]
    unnamed: list[str]

    @property
    def passed(self) -> bool:
        """Whether all was as expected."""
        return not self.failures


def run_stf(program: Program, path: str | Path) -> Result:
    """Runs a file. Its lines act in order; each packet leaves the switch before the next line; what left is compared at the end,
    port by port in order.

    Raises:
        FileError: the file cannot be read.
        CommandError: a line cannot be understood or does not fit the program; the message names
            file and line.
    """
    text = read_text(path, _MAX_FILE)
    lines = [(number, line) for number, line in enumerate(map(_uncommented, text.splitlines()), 1) if line]
    if program.executor == "interp":
        return _run(program, path, lines, within=True)
    result = _run(program, path, lines, within=False)
    if result.passed:
        return result
    # Once more by the interpreter, which tells the journeys of packets that are not as expected.
    told = _run(program, path, lines, within=True)
    if told.passed:
        differ = Failure(0, f"a fault of Weir: {program.executor} code fails where the interpreter passes")
        return replace(result, failures=[*result.failures, differ])
    return told


def _run(program: Program, path: str | Path, lines: list[tuple[int, str]], *, within: bool) -> Result:
    run = _Run(program, _ports(lines), within=within)
    for number, line in lines:
        try:
            run.line(number, line)
        except WeirError as error:
            raise CommandError(
                error.message, file=path, where=str(number), suggestion=error.suggestion
            ) from None
    run.compare()
    return Result(str(path), run.packets, run.checks, run.failures, run.printed, run.unnamed())


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
    def __init__(self, program: Program, ports: set[int], *, within: bool) -> None:
        self.program = program
        self.bench = Bench(program, ports, within=within)
        self.runtime = self.bench.switch.runtime
        self.failures: list[Failure] = []
        self.printed: list[str] = []
        self.packets = 0
        self.checks = 0
        self._expected: dict[int, list[tuple[int, Pattern]]] = {}
        self._got: dict[int, list[tuple[Journey, Output]]] = {}
        self._sent: list[tuple[int, Journey]] = []
        self._lines: dict[str, Callable[[int, str], None]] = {
            "packet": self._packet,
            "expect": self._expect,
            "no_packet": self._no_packet,
            **{word: partial(self._change_table, word) for word in ("add", "setdefault", "remove")},
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

    @cached_property
    def _headers(self) -> Headers:
        return Headers(self.program)

    def _compare_port(
        self, port: int, expected: list[tuple[int, Pattern]], got: list[tuple[Journey, Output]]
    ) -> None:
        # `expect PORT` alone takes whatever comes there, once or often.
        if expected and all(pattern.digits is None for _, pattern in expected):
            if not got:
                self._missing(port, *expected[0])
            return
        for number, ((line, pattern), (journey, output)) in enumerate(zip(expected, got, strict=False), 1):
            if pattern.matches(output.packet):
                continue
            found = compare(self._headers, pattern, output)
            hints = [
                f"the one that fits is number {other} on this port, expected as number {number}"
                for other, (_, one) in enumerate(got, 1)
                if pattern.matches(one.packet)
            ][:1]
            self._fail(
                line,
                f"a packet on port {port} is not as expected",
                [*found.lines, *hints],
                journey,
                found.differences,
            )
        for line, pattern in expected[len(got) :]:
            self._missing(port, line, pattern)
        for journey, output in got[len(expected) :]:
            message = f"port {port}: a packet that no line expects: {grouped(output.packet.hex())}"
            self._fail(0, message, [], journey)

    def _missing(self, port: int, line: int, pattern: Pattern) -> None:
        """A packet did not come: it may have gone elsewhere, or what was sent before the line was dropped."""
        details = []
        for other, got in sorted(self._got.items()):
            expected = self._expected.get(other, [])
            spare = got[len(expected) :]
            if pattern.digits is not None and any(pattern.matches(output.packet) for _, output in spare):
                details.append(f"a packet that fits left on port {other}")
        before = [sent for sent in self._sent if sent[0] < line] or self._sent[:1]
        journey = None
        if before:
            sent, journey = before[-1]
            details.append(f"the packet of line {sent} {self._fate(journey)}")
        else:
            details.append("no packet was sent")
        self._fail(line, f"no packet left on port {port}: expected {pattern}", details, journey)

    def _fate(self, journey: Journey) -> str:
        """What became of a packet and its copies, in a line."""
        fates = [f"left on port {output.port}" for output in journey.outputs]
        for copy in journey.copies.values():
            last = copy.steps[-1]
            if last.kind == "dropped" and last.what["reason"] == "no such port":
                fates.append(f"went to {last.what['place']}, which no line names")
            elif last.kind == "dropped":
                fates.append(f"was dropped at {last.what['place']}: {last.what['reason']}{_cause(copy)}")
            elif not copy.ended:
                fates.append("is still in the switch")
        return ", ".join(dict.fromkeys(fates))

    def _fail(
        self,
        line: int,
        message: str,
        details: Sequence[str] = (),
        journey: Journey | None = None,
        differences: Sequence[Difference] = (),
    ) -> None:
        sent = next((number for number, one in self._sent if one is journey), 0)
        self.failures.append(Failure(line, message, list(details), list(differences), journey, sent))

    def _change_table(self, word: str, number: int, text: str) -> None:
        self.runtime._core.stf_line(word, text)

    def _packet(self, number: int, text: str) -> None:
        port, _, digits = text.partition(" ")
        where = _whole(port, "a port", 0, _LAST_PORT)
        journey = self.bench.send(where, read_hex(digits, "the packet"))
        self._sent.append((number, journey))
        self.packets += 1
        self._collect()
        if not journey.ended:
            self._fail(
                number,
                f"the packet was still in the switch after a virtual second, or {MAX_PASSES} passes",
                [],
                journey,
            )

    def _expect(self, number: int, text: str) -> None:
        port, _, digits = text.partition(" ")
        pattern = read_pattern(digits)
        self._expected.setdefault(_whole(port, "a port", 0, _LAST_PORT), []).append((number, pattern))
        self.checks += 1

    def _no_packet(self, number: int, text: str) -> None:
        """Nothing more than what the lines before it expect has left by now."""
        self.checks += 1
        for port, got in sorted(self._got.items()):
            expected = self._expected.get(port, [])
            if len(got) > len(expected) and not any(pattern.digits is None for _, pattern in expected):
                journey, output = got[len(expected)]
                details = [f"it is {grouped(output.packet.hex())}"]
                self._fail(number, f"expected no packet, one left on port {port}", details, journey)

    def _wait(self, number: int, text: str) -> None:
        """Virtual time passes: as much as is said, or as it takes until nothing is left in the switch."""
        if not text:
            self.bench.settle()
        else:
            span = units.time_ns(f"{text}s" if text.isdigit() else text, "wait", "s")
            if span > _LONGEST_WAIT_NS:
                raise CommandError(f"wait: {text} is too long: at most {units.format_time(_LONGEST_WAIT_NS)}")
            self.bench.run_until(self.bench.now_ns + span)
        self._collect()

    def _collect(self) -> None:
        """What left, and what the switch told."""
        for journey, output in self.bench.take_outputs():
            self._got.setdefault(output.port, []).append((journey, output))
        self.printed += map(str, self.bench.switch.messages())

    def unnamed(self) -> list[str]:
        """Ports that packets went to and no line names."""
        places = [
            step.what["place"]
            for _, journey in self._sent
            for step in journey.steps
            if step.kind == "dropped" and step.what["reason"] == "no such port"
        ]
        return sorted(dict.fromkeys(places))

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
        handle = self.runtime._core.stf_handle(index)
        if handle is not None:
            index = str(handle)
        count = self.bench.switch.counter(found["name"]).read(_whole(index, "an index"))
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
            _whole(found["n"], "a count"),
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
        value = self.bench.switch.register(found["name"]).read(_whole(found["index"], "an index"))
        what = f"{found['name']}[{found['index']}]"
        self._check(
            number, what, value, found["op"], int.from_bytes(_core.wide_number(found["n"], "a value"), "big")
        )

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
            self._fail(number, f"{what}: expected {op} {wanted}, got {value}")


def _whole(text: str, what: str, least: int = 0, most: int = (1 << 63) - 1) -> int:
    return _core.whole_number(text, what, least, most)


def _cause(copy: Copy) -> str:
    """The line of the program that last said that the packet is to be dropped, if it did."""
    said = None
    for before, step in pairwise(copy.steps):
        if step.kind == "assigned" and step.what["now"].name.endswith("egress_spec"):
            dropped = step.what["now"].number == _DROP_PORT
            said = (step.place or before.place) if dropped else None
    return "" if said is None else f" ({Path(said.file).name}:{said.line} {said.text})"
