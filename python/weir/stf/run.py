"""Runs a file of the simple test framework on a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from linecache import getline
from pathlib import Path

from weir import _core
from weir._core import Difference, Digest, IdleEntry, LogLine
from weir.control.messages import idle_notice
from weir.files.textfile import read_text
from weir.program import Program
from weir.trace.journey import Journey

_MAX_FILE = 16 << 20


@dataclass(frozen=True)
class Failure:
    """A result of a test that was not as expected.

    Attributes:
        line: the line with the expectation; 0 if there is none.
        message: what is wrong, in one line.
        details: more lines: the packets side by side, and further information.
        differences: the fields that differ from the expected ones.
        journey: the journey of the packet concerned, if there is one.
        sent: the line that sent the packet concerned; 0 if there is none.
        lost_steps: the number of steps of that packet that were not recorded.
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
    """The result of a test file.

    Attributes:
        path: the file.
        packets: the number of packets sent in.
        checks: the number of expected packets and other checks.
        failures: the results that were not as expected.
        printed: the output of commands, and the switch's digests, ``log_msg`` lines and idle
            notices.
        unnamed: ports, such as ``port 2``, at which packets left although no line names the port.
    """

    path: str
    packets: int
    checks: int
    failures: list[Failure] = field(default_factory=list)
    printed: list[str] = field(default_factory=list)
    unnamed: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether all packets and other results were as expected."""
        return not self.failures


def run_stf(program: Program, path: str | Path) -> Result:
    """Runs a test file on a program.

    Lines are executed in order, and each packet leaves the switch before the next line. The packets
    that left are compared at the end, in order for each port.

    Raises:
        FileError: the file cannot be read.
        StfError: a line cannot be understood or does not fit the program.
    """
    return run_stf_text(program, path, read_text(path, _MAX_FILE))


def run_stf_text(program: Program, path: str | Path, text: str) -> Result:
    """Runs the text of a test file, as :func:`run_stf` does.

    Args:
        program: the program.
        path: the name of the file, for messages.
        text: the lines of the test.

    Raises:
        StfError: a line cannot be understood or does not fit the program.
    """
    core = _core.run_test(program._core, str(program.path), str(path), text, _source)
    failed = core.failures()
    journeys = {number: Journey(item) for number, item in core.journeys()}
    return Result(
        str(path),
        core.packets,
        core.checks,
        [_failure(item, journeys) for item in failed],
        [_printed_text(what) for what in core.printed()],
        core.unnamed,
    )


def _source(file: str, line: int) -> str:
    return getline(file, line).strip()


def _failure(failed: _core.FailedLine, journeys: Mapping[int, Journey]) -> Failure:
    journey = None if failed.packet is None else journeys.get(failed.packet)
    return Failure(
        failed.line,
        failed.message,
        list(failed.details),
        list(failed.differences),
        journey,
        failed.sent,
        failed.lost_steps,
    )


def _printed_text(what: str | Digest | LogLine | IdleEntry) -> str:
    """Formats what a test printed: a digest, a ``log_msg`` line, an idle notice, or the output of a
    command."""
    return str(idle_notice(what) if isinstance(what, IdleEntry) else what)
