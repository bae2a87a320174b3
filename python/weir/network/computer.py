"""Models of a computer that all switches and hosts of a network share."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from weir.errors import FileError, NetworkError, shown
from weir.files.textfile import read_text
from weir.files.whole_file import write_whole_text
from weir.text.suggest import nearest

_MAX_TIME_NS: Final = 1_000_000_000
_SETTINGS_OF_THE_KERNEL: Final = ("quantum_ns", "deep_sleep_after_ns")
"""Times that the kernel's settings give, which are the same on a slower computer."""


@dataclass(frozen=True)
class Cost:
    """The processor time of one kind of work.

    Attributes:
        packet_ns: the nanoseconds for each packet.
        byte_ns: the nanoseconds for each byte of the frame.
    """

    packet_ns: int = 0
    byte_ns: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Computer:
    """A computer on which all switches and hosts of a network run, as in Mininet.

    All nodes share the computer's processors, so a switch has less processor time if other switches
    are busy. Work is done in threads: those of a switch, one for the applications of a host, and
    one for the kernel's work for a host. docs/explanation/timing.md defines when a thread runs.

    Attributes:
        name: the computer's name.
        title: a line about the machine that is modelled, and about its measurement.
        processors: the number of processors, 1 to 1024.
        wake_up_ns: nanoseconds until a sleeping thread runs on an idle processor.
        wake_up_jitter_ns: the mean of an exponentially distributed random time that is added to
            each wake-up.
        deep_sleep_after_ns: nanoseconds without work after which a processor sleeps deeply.
        deep_wake_up_jitter_ns: the mean of an exponentially distributed random time that is added
            to a wake-up on a processor that sleeps deeply; 0 for none.
        context_switch_ns: nanoseconds to switch to another waiting thread.
        quantum_ns: nanoseconds that a thread may run while others wait.
        interrupted_every_ns: mean time between interruptions of a processor by work outside the
            network, such as other programs or a hypervisor; 0 for none.
        interrupted_for_ns: the mean length of these interruptions.
        pipelined: whether a switch has a thread for each of receive, ingress, egress and send, as
            in BMv2; otherwise it has a single thread.
        receive: the cost of receiving a frame from the kernel in a switch.
        ingress: the cost of parser and ingress for each pass.
        egress: the cost of egress and deparser for each pass.
        send: the cost of passing a frame from a switch to the kernel.
        link: the cost of moving a frame over a link in the kernel, in the context of the sender.
        stack: the cost of a host's protocol stack for each received or sent frame.
        app: the cost of an application for each received or sent packet, except TCP.
        stream: the cost of an application for each TCP segment with data.
        buffer: the maximum number of waiting frames in a node; further frames are dropped on
            arrival.
        egress_queue: the maximum number of frames from one port that wait between a switch's
            ingress and egress; further frames are dropped. 64 in BMv2.
    """

    name: str
    title: str = ""
    processors: int = 1
    wake_up_ns: int = 0
    wake_up_jitter_ns: int = 0
    deep_sleep_after_ns: int = 200_000
    deep_wake_up_jitter_ns: int = 0
    context_switch_ns: int = 0
    quantum_ns: int = 3_000_000
    interrupted_every_ns: int = 0
    interrupted_for_ns: int = 0
    pipelined: bool = True
    receive: Cost = Cost()
    ingress: Cost = Cost()
    egress: Cost = Cost()
    send: Cost = Cost()
    link: Cost = Cost()
    stack: Cost = Cost()
    app: Cost = Cost()
    stream: Cost = Cost()
    buffer: int = 1024
    egress_queue: int = 1024

    def __post_init__(self) -> None:
        """Checks the settings.

        Raises:
            NetworkError: a setting has a wrong type or is out of range.
        """
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.type == "Cost":
                if not isinstance(value, Cost):
                    raise NetworkError(f"computer: {field.name}: expected a Cost, found {shown(value)}")
                _check_number(f"{field.name}.packet_ns", value.packet_ns, 0, _MAX_TIME_NS, int)
                _check_number(f"{field.name}.byte_ns", value.byte_ns, 0, 1e6, int | float)
            elif field.type == "int":
                least = 1 if field.name in ("processors", "buffer", "egress_queue") else 0
                most = 1024 if field.name == "processors" else _MAX_TIME_NS
                _check_number(field.name, value, least, most, int)
        if 0 < self.interrupted_every_ns <= self.interrupted_for_ns:
            raise NetworkError(
                f"computer: interrupted_for_ns={self.interrupted_for_ns}: expected less than "
                f"interrupted_every_ns={self.interrupted_every_ns}"
            )

    @classmethod
    def named(cls, name: str | Path) -> Computer:
        """Finds a computer by name (see :func:`computers`), or reads a file that :meth:`save`
        wrote.

        Raises:
            NetworkError: there is no computer of that name, or a setting is out of range.
            FileError: the file cannot be read.
        """
        by_name = computers()
        if str(name) in by_name:
            return by_name[str(name)]
        if Path(name).suffix == ".json":
            return _read_computer(Path(name))
        raise NetworkError(
            f'there is no computer "{name}" (there are: {", ".join(by_name)}; a file from weir lab fit is also possible)',
            suggestion=nearest(str(name), by_name),
        )

    def scaled(self, factor: float) -> Computer:
        """Returns a computer with all times except the quantum and the time until deep sleep
        multiplied by a factor above 0.

        Raises:
            NetworkError: the factor is not a number above 0, or a resulting time is out of range.
        """
        is_number = isinstance(factor, int | float) and not isinstance(factor, bool)
        if not is_number or not 0 < factor < math.inf:
            raise NetworkError(f"computer: factor={shown(factor)}: expected a number above 0, such as 1.5")
        changed: dict[str, Any] = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Cost):
                changed[field.name] = Cost(round(value.packet_ns * factor), value.byte_ns * factor)
            elif field.name.endswith("_ns") and field.name not in _SETTINGS_OF_THE_KERNEL:
                changed[field.name] = round(value * factor)
        return dataclasses.replace(self, **changed)

    @property
    def switch_ns(self) -> int:
        """The processor time in nanoseconds of a switch and its link for a packet in one pass,
        without the time per byte."""
        return sum(c.packet_ns for c in (self.receive, self.ingress, self.egress, self.send, self.link))

    def save(self, path: str | Path) -> None:
        """Writes the computer to a JSON file, which :meth:`named` reads.

        Raises:
            FileError: the file cannot be written.
        """
        write_whole_text(Path(path), json.dumps(dataclasses.asdict(self), indent=2) + "\n", follow=True)

    def _settings(self) -> dict[str, Any]:
        """Converts the settings to the form that the core takes, with picoseconds per byte."""
        settings = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Cost):
                value = (value.packet_ns, round(value.byte_ns * 1000))
            if field.name not in ("name", "title"):
                settings[field.name] = value
        return settings


def _check_number(name: str, value: object, least: float, most: float, kind: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, kind) or not least <= value <= most:
        raise NetworkError(f"computer: {name}={shown(value)}: expected {least:g} to {most:g}")


_COMPUTERS: Final = (
    Computer(
        name="bmv2-two-processors",
        title="chains of BMv2's simple_switch on a virtual machine with two processors (2.45 GHz, x86-64)",
        processors=2,
        wake_up_ns=0,
        wake_up_jitter_ns=15_895,
        context_switch_ns=1_500,
        receive=Cost(8_536),
        ingress=Cost(10_243),
        egress=Cost(6_828),
        send=Cost(8_536),
        stack=Cost(2_000),
        app=Cost(960),
        stream=Cost(960),
        egress_queue=64,
    ),
    Computer(
        name="bmv2-deep-sleep",
        title="the same chains on the same machine, whose processors sleep deeply when they have no work",
        processors=2,
        wake_up_ns=10_482,
        deep_wake_up_jitter_ns=109_800,
        context_switch_ns=1_500,
        receive=Cost(7_411),
        ingress=Cost(8_894),
        egress=Cost(5_929),
        send=Cost(7_411),
        stack=Cost(2_000),
        app=Cost(3_940),
        stream=Cost(3_940),
        egress_queue=64,
    ),
)


def computers() -> Mapping[str, Computer]:
    """Returns the named computers by name."""
    return {computer.name: computer for computer in _COMPUTERS}


_SHARED: Final[ContextVar[Computer | None]] = ContextVar("shared computer", default=None)


@contextmanager
def shared_by_all(computer: Computer) -> Iterator[None]:
    """Lets all networks that are made in this block share a computer, unless they name another."""
    token = _SHARED.set(computer)
    try:
        yield
    finally:
        _SHARED.reset(token)


def shared_computer() -> Computer | None:
    """Returns the computer of the innermost block of :func:`shared_by_all`; ``None`` outside of
    such blocks."""
    return _SHARED.get()


def _read_computer(path: Path) -> Computer:
    try:
        members = json.loads(read_text(path))
        if not isinstance(members, dict):
            raise ValueError("not an object")
        names = {field.name for field in dataclasses.fields(Computer)}
        if unknown := sorted(members.keys() - names):
            raise ValueError(f"there is no setting {unknown[0]}")
        values: dict[str, Any] = {
            key: Cost(**value) if isinstance(value, dict) else value for key, value in members.items()
        }
        return Computer(**values)
    except (ValueError, TypeError, RecursionError) as error:
        raise FileError(f"is not a computer: {error}", file=path) from None
