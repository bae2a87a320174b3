"""Runs a file of the simple test framework on a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from linecache import getline
from pathlib import Path
from typing import Any

from weir import _core
from weir.control.messages import read_digest, read_idle, read_log
from weir.files.textfile import read_text
from weir.program import Program
from weir.trace.journey import Journey, Journeys
from weir.trace.steps import read

_MAX_FILE = 16 << 20
_READERS: dict[str, Callable[[Any], object]] = {
    "line": str,
    "digest": read_digest,
    "log": read_log,
    "idle": read_idle,
}


@dataclass(frozen=True)
class Difference:
    """A field that differs from the expected one.

    Attributes:
        field: the field, such as ``hdr.ipv4.ttl``, or ``payload``.
        bit: its first bit in the received packet.
        width: its width in bits.
        expected: the expected value; empty if there was none.
        got: the received value; empty if there was none.
    """

    field: str
    bit: int
    width: int
    expected: str
    got: str

    def __str__(self) -> str:
        place = f"byte {self.bit // 8}" + (f" bit {self.bit % 8}" if self.bit % 8 else "")
        return f"{self.field} ({place}): expected {self.expected or 'nothing'}, got {self.got or 'nothing'}"


@dataclass(frozen=True)
class Failure:
    """A result that was not as expected.

    Attributes:
        line: the line with the expectation; 0 if there is none.
        message: what is wrong, in one line.
        details: more lines: the packets side by side, and further information.
        differences: the fields that differ from the expected ones.
        journey: the journey of the packet concerned, if there is one.
        sent: the line that sent that packet; 0 if there is none.
        lost_steps: the number of steps of that packet that were not kept.
    """

    line: int
    message: str
    details: Sequence[str] = ()
    differences: Sequence[Difference] = ()
    journey: Journey | None = None
    sent: int = 0
    lost_steps: int = 0


@dataclass(frozen=True)
class Result:
    """The result of a file.

    Attributes:
        path: the file.
        packets: the number of packets sent in.
        checks: the number of expected packets and other checks.
        failures: empty if everything was as expected.
        printed: the output of commands, and the switch's digests, ``log_msg`` lines and idle
            notices.
        unnamed: ports, such as ``port 2``, to which packets were sent but which no line names.
    """

    path: str
    packets: int
    checks: int
    failures: list[Failure] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    unnamed: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether everything was as expected."""
        return not self.failures


def run_stf(program: Program, path: str | Path) -> Result:
    """Runs a file.

    Lines are executed in order; each packet leaves the switch before the next line. The packets
    that left are compared at the end, in order for each port.

    Raises:
        FileError: the file cannot be read.
        StfError: a line cannot be understood or does not fit the program.
    """
    text = read_text(path, _MAX_FILE)
    core = _core.run_test(program._core, str(program.path), str(path), text, _source)
    rows = core.failures()
    journeys = _journeys(core) if rows else {}
    return Result(
        str(path),
        core.packets,
        core.checks,
        [_failure(row, journeys) for row in rows],
        [str(_READERS[kind](row)) for kind, row in core.printed()],
        core.unnamed,
    )


def _source(file: str, line: int) -> str:
    return getline(file, line).strip()


def _journeys(core: _core.TestOutcome) -> dict[int, Journey]:
    """The journeys of the packets that failures are about, by their numbers among those sent."""
    journeys = Journeys()
    for step in map(read, core.steps()):
        journeys.add(step)
    found = {}
    for journey in journeys.take_all():
        journey.number = journey.packet
        found[journey.number] = journey
    return found


def _failure(row: _core.FailureRow, journeys: Mapping[int, Journey]) -> Failure:
    line, message, details, differences, packet, sent, lost = row
    journey = None if packet is None else journeys.get(packet)
    return Failure(line, message, details, [Difference(*one) for one in differences], journey, sent, lost)
