"""A running switch, with its program, tables and timing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weir import _core, units
from weir._core import Crc, Queue
from weir.control.switch_objects import SwitchObjects
from weir.errors import ControlError, UnitError, shown
from weir.program import Program
from weir.program.values import bounded_number, name_of
from weir.qdisc import Qdisc, core
from weir.text.counted import count_noun

if TYPE_CHECKING:
    from weir.bfrt import Device
    from weir.control.commands import Runtime
    from weir.control.profile import Profile
    from weir.trace.journey import Journey

_ALL = (1 << 64) - 1


class Switch(SwitchObjects):
    """A switch of a network. Returned by :meth:`Network.switch`.

    Attributes:
        name: the switch's name, such as ``s1``.
        profile: the switch's timing profile.
    """

    __slots__ = ("_bfrt", "_bfrt_servers", "_journeys", "_runtime", "_to_trace", "profile")

    _program: Program

    def __init__(self, core: _core.Switch, name: str, program: Program, profile: Profile) -> None:
        super().__init__(core, name, program)
        self.profile = profile
        self._journeys = _core.Journeys()
        self._runtime: Runtime | None = None
        self._to_trace = 0
        self._bfrt: Device | None = None
        self._bfrt_servers: list[_core.BfrtServer] = []

    @property
    def program(self) -> Program:
        """The P4 program that the switch runs, from the network or from the last controller that
        sent one.

        If the program came from a P4Runtime controller, its :attr:`Program.path` is the file's name
        at compile time, or ``p4_device_config.p4``. The program is empty while :attr:`has_program`
        is ``False``.
        """
        if (core_program := self._core.program(self._program._core)) is not None:
            self._program = Program(core_program, core_program.path())
        return self._program

    @property
    def has_program(self) -> bool:
        """Whether the switch has a program; a switch without a program drops all packets."""
        return self._core.has_program()

    @property
    def pass_latency(self) -> str:
        """The time of a pass through ingress and egress, such as ``"5us"``."""
        return units.format_time(self.profile.pass_latency_ns)

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the switch's start."""
        return self._core.now()

    @property
    def is_served(self) -> bool:
        """Whether the switch's packets, digests and idle notices go to P4Runtime controllers."""
        return self._listeners is not None and self._listeners.served

    def serve_bfrt(self, address: str = "127.0.0.1:50052", plaintext: bool = False) -> str:
        """Serves BfRt for this switch, as the device 0, until the switch is deleted.

        Clients bind to the name of the program's file without its ending. Digests, idle entries and
        changes of ports are not sent to them.

        Args:
            address: ``"IP:PORT"``, with port 0 for any free one, or ``"unix:PATH"``.
            plaintext: whether the address may be one that other computers can reach.

        Returns:
            The address at which the server listens.

        Raises:
            NetworkError: the server cannot listen there, or the network is closed.
        """
        name = Path(self.program.path).stem
        server = self._core.serve_bfrt(address, name, plaintext)
        self._bfrt_servers.append(server)
        return server.address()

    @property
    def bfrt(self) -> Device:
        """The tables as objects of the BfRt shell of Tofino switches; see :mod:`weir.bfrt`.

        >>> net.switch("s1").bfrt.router.pipe.Ingress.ipv4_lpm.dump()    # doctest: +SKIP
        """
        if self._bfrt is None:
            from weir.bfrt import connect

            self._bfrt = connect(self.serve_bfrt("127.0.0.1:0"))
        return self._bfrt

    def queues(self, port: int) -> list[Queue]:
        """Returns a port's queues by priority.

        Raises:
            ControlError: there is no such port.
        """
        return self._core.queues(port)

    def set_queue_depth(self, packets: int, port: int | None = None, priority: int | None = None) -> None:
        """Sets the maximum number of packets in a queue, from the next packet on.

        Args:
            packets: the maximum number of packets in a queue without a discipline, at least 1.
            port: the port with the queues; by default all ports.
            priority: the priority of the queue; by default all queues.

        Raises:
            ControlError: there is no such port or queue.
        """
        self._core.set_queue_depth(packets, port, priority)

    def set_queue_discipline(
        self, discipline: Qdisc | str | None, port: int | None = None, priority: int | None = None
    ) -> None:
        """Sets the queueing discipline of a queue, from the next packet on.

        The discipline has its own limit, which replaces the queue's depth. If the kind of
        discipline changes, packets in the queue are dropped.

        Args:
            discipline: a discipline of :mod:`weir.qdisc` other than :class:`weir.qdisc.Netem`, a
                limit such as ``"100p"`` or ``"64kB"``, or ``None`` for first in, first out, up to
                the queue's depth.
            port: the port with the queues; by default all ports.
            priority: the priority of the queue; by default all queues.

        Raises:
            ControlError: there is no such port or queue, a setting is out of range, or the
                discipline has no effect: a discipline that does not shape needs a queue with a
                rate.
            UnitError: a quantity cannot be read.
        """
        self._core.set_queue_discipline(None if discipline is None else core(discipline), port, priority)

    def set_queue_rate(self, rate: str | None, port: int | None = None, priority: int | None = None) -> None:
        """Sets the rate of a port or queue, from the next packet on.

        Args:
            rate: ``"1000pps"`` (packets per second) or ``"10Mbit"``; ``None`` for no limit.
            port: the port; by default all ports.
            priority: the priority of the queue whose rate is set, in addition to the port's rate.
                By default, the rate of the port is set, which its queues share with larger
                priorities first.

        Raises:
            ControlError: there is no such port or queue.
            UnitError: the rate cannot be read.
        """
        number, in_bits = _read_rate(rate)
        self._core.set_queue_rate(number, in_bits, port, priority)

    def crc(self, calculation: str) -> Crc:
        """Reads the parameters of a CRC calculation.

        Args:
            calculation: a call of ``hash``, ``update_checksum`` or ``verify_checksum`` with
                ``crc16_custom`` or ``crc32_custom``, by the name that p4c gives it: ``calc``,
                ``calc_0``, …; or the name of one of these algorithms, for selectors that use it.

        Raises:
            ControlError: there is no such calculation; the message lists them.
        """
        return self._core.crc(name_of("a calculation", calculation))

    def set_crc(self, calculation: str, crc: Crc) -> None:
        """Sets the parameters of a CRC calculation.

        The name of an algorithm, ``crc16_custom`` or ``crc32_custom``, stands for all calculations
        with this algorithm.

        Raises:
            ControlError: there is no such calculation, or a number does not fit.
        """
        if not isinstance(crc, Crc):
            raise ControlError(f"expected the parameters of a CRC, weir.control.Crc, found {shown(crc)}")
        self._core.set_crc(name_of("a calculation", calculation), crc)

    def reset(self) -> None:
        """Resets the switch to the initial state of its program.

        Tables have the program's own entries and defaults; profiles, value sets, counters,
        registers and multicast groups are empty; meters have no rates. Clone sessions, CRC
        parameters and queues do not change.
        """
        self._core.reset()

    def trace(self, packets: int | None = None) -> None:
        """Traces packets that arrive from now on, for :meth:`journeys`.

        Args:
            packets: the number of packets to trace; ``None`` for all. 0 stops tracing, and discards
                the traces that were not read.

        Raises:
            ControlError: the number is negative.
        """
        if packets is not None:
            bounded_number(packets, "number of packets to trace", 0, _ALL)
        self._core.trace(_ALL if packets is None else packets)
        if packets == 0:
            self._journeys = _core.Journeys()

    def journeys(self) -> list[Journey]:
        """Returns the traces of packets that ended since the last call, in order of arrival.

        A switch keeps at most 131 072 steps. At most 16 384 of these can be steps that a packet
        executes within blocks before it reaches a queue or a port. If the first step of a packet
        was lost, the packet has no trace.
        """
        from weir.trace.journey import Journey

        self._to_trace = self._core.read_journeys(self._journeys)
        return [Journey(journey, self.name) for journey in self._journeys.take_ended()]

    @property
    def is_tracing(self) -> bool:
        """Whether the switch traces arriving packets, or still has traced packets."""
        self._to_trace = self._core.read_journeys(self._journeys)
        return self._to_trace > 0 or self._journeys.is_any_under_way

    @property
    def runtime(self) -> Runtime:
        """The interpreter for runtime commands of ``simple_switch_CLI`` on this switch."""
        if self._runtime is None:
            from weir.control.commands import Runtime

            self._runtime = Runtime(self)
        return self._runtime

    def run_commands(self, file: str | Path) -> list[str]:
        """Runs a file of runtime commands.

        A failing command changes nothing and does not stop the rest.

        Returns:
            The lines that the commands print.

        Raises:
            FileError: the file cannot be read.
            CommandFileError: commands failed; the message has file and line of each.
        """
        if not isinstance(file, (str, Path)):
            raise ControlError(f"expected the name of a file, found {shown(file)}")
        return self.runtime.load(file)

    def _repr_html_(self) -> str:
        """Renders the program, the ports and the tables as HTML, for notebooks."""
        from weir.display import figures, grid, titled_output

        rows = [(name, len(table), table.hits, table.misses) for name, table in self.tables.items()]
        facts = [
            ("program", self.program.path),
            ("ports", ", ".join(map(str, self.ports))),
            ("pass latency", self.pass_latency),
        ]
        tables = grid(["table", "entries", "hits", "misses"], rows, words=(0,)) if rows else ""
        return titled_output(f"switch {self.name}", figures(facts), tables)

    def __repr__(self) -> str:
        return f"<weir.Switch {self.name}: {Path(self.program.path).name}, {count_noun(len(self.ports), 'port')}>"


def _read_rate(rate: str | None) -> tuple[int | None, bool]:
    """Reads a queue's rate; also returns whether the rate is in bits per second.

    Examples of rates are ``"1000pps"`` (packets per second) and ``"10Mbit"``; ``None`` means no
    limit.

    Raises:
        ControlError: the rate is out of range.
        UnitError: the rate has no unit, or cannot be read.
    """
    if rate is None:
        return None, False
    if isinstance(rate, bool) or not isinstance(rate, (str, int, float)):
        return units.rate_bps(rate), True
    if not isinstance(rate, str) or rate.isdecimal():
        number = shown(rate).strip("'")
        raise UnitError(f"a bare number {shown(rate)} has no unit", suggestion=f"{number}pps")
    number = rate.removesuffix("pps")
    if number == rate or not number.isdecimal() or not number.isascii():
        return units.rate_bps(rate), True
    return bounded_number(int(number[:20]), "a rate in packets per second", 1, (1 << 63) - 1), False
