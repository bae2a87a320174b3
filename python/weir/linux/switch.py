"""Switches of the Linux world, each a ``weir switch`` in its own node, controlled over
P4Runtime."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

from weir import _core
from weir._core import Digest, LogLine, Queue
from weir.control.messages import IdleNotice, Message
from weir.control.profile import Profile
from weir.control.switch import Switch
from weir.errors import ControlError, NetworkError
from weir.linux.agent import Agent
from weir.program import Program
from weir.program.own_files import NO_PROGRAM
from weir.qdisc import Qdisc

if TYPE_CHECKING:
    from weir._core import Switch as CoreSwitch
    from weir.linux.bmv2.process import Bmv2Process
    from weir.linux.network_base import NetworkBase
    from weir.p4runtime import Client

PROFILE: Final = Profile("real", 0, 0, "as fast as this computer")
"""The text shown in place of a timing profile, which real switches do not have."""

METRICS: Final = ("127.0.0.1", 9100)
"""The address at which each switch serves its metrics, in its own node."""

_ROLE: Final = "weir"
"""The P4Runtime role of the network's own connection, which leaves the default role to other
controllers."""

_START_TIMEOUT_S: Final = 60.0
"""The time in seconds within which a switch must start."""


class SwitchProcess:
    """The process of a switch, and the P4Runtime connection to the process.

    Args:
        network: the network that contains the switch.
        name: the name of the switch.
        program: the program of the switch.
        ports: its ports, each with its interface in the node.
        cpu_port: the port of its controller, if it has one.
        priorities: the number of queues of each port.
    """

    def __init__(
        self,
        network: NetworkBase,
        name: str,
        program: _core.Program,
        ports: Sequence[tuple[int, str]],
        cpu_port: int | None,
        priorities: int,
    ) -> None:
        self.name = name
        self.ports = sorted({port for port, _ in ports} | (set() if cpu_port is None else {cpu_port}))
        self.address = f"unix:{network.folder / f'{name}.sock'}"
        self.device = network.p4runtime_device(name)
        # Without a role of its own, this client would take the place of the primary controller from
        # other controllers.
        self._role = "" if network.first_device is None else _ROLE
        self._log = network.folder / f"{name}.log"
        self._client: Client | None = None
        self._core: CoreSwitch | None = None
        self._agent: Agent | None = None
        self._seen = 0
        self.now = network.now
        if not ports:
            return
        self._program, self._cpu_port = program, cpu_port
        in_egress = set(program.egress_tables())
        self._parts = {
            table.name: "egress" if table.name in in_egress else "ingress"
            for table in program.declarations().tables()
            if table.keys
        }
        options = ["--p4runtime", self.address, "--log-format", "json", "--device-id", str(self.device)]
        options += [word for port, device in ports for word in ("--interface", f"{port}@{device}")]
        options += ["--priority-queues", str(priorities)]
        options += ["--metrics", ":".join(map(str, METRICS))]
        if cpu_port is not None:
            options += ["--cpu-port", str(cpu_port)]
        with self._log.open("w", encoding="utf-8") as log:
            self._agent = Agent(
                network.namespaces, name, "switch.Queues", [str(NO_PROGRAM), *options], stderr=log
            )

    @property
    def client(self) -> Client:
        """The connection that controls the switch, once the switch runs.

        Raises:
            NetworkError: the switch did not start; the message has its output.
        """
        if self._client is None:
            from weir.p4runtime import Client

            self._wait()
            client = Client(self.address, self.device, role=self._role)
            client._own, client._own_cpu_port = self._program, self._cpu_port
            client.set_program(Program(self._program, "program.p4"))
            self._client = client
        return self._client

    @property
    def core(self) -> CoreSwitch:
        """The control interface, which sends requests over P4Runtime."""
        if self._core is None:
            client = self.client
            assert client._known is not None
            self._core = client._client.switch(client._known, self.ports)
        return self._core

    @property
    def runs(self) -> bool:
        """Whether the switch has a process; a switch without links has none."""
        return self._agent is not None

    def control_of_table(self, table: str) -> str | None:
        """Returns the control that applies a table: ``ingress`` or ``egress``.

        ``None`` if the table has no key, or another controller's program has the table.
        """
        return self._parts.get(table)

    def begin(self) -> None:
        """Waits until the switch runs its program, if it has links."""
        if self._agent is not None:
            self._seen = self.client._client.counts()[0]

    def set_queue(self, port: int, rate_bps: int | None, packets: int) -> None:
        """Sets the rate of a port's queue, and the maximum number of packets in the queue."""
        assert self._agent is not None
        self._agent.ask("set", port, rate_bps, packets)

    def set_queue_discipline(
        self, discipline: Qdisc | str | None, port: int | None, priority: int | None
    ) -> None:
        """Sets the queueing discipline of a queue; see :meth:`Switch.set_queue_discipline`."""
        if self._agent is None:
            raise ControlError(f"{self.name} has no links, so it has no queues")
        refusal = self._agent.ask("discipline", discipline, port, priority)
        if refusal is not None:
            raise ControlError(refusal)

    def has_new_messages(self) -> bool:
        """Returns whether a packet, digest or notice has arrived since the last call."""
        count_before, self._seen = self._seen, self.client._client.counts()[0]
        return self._seen > count_before

    def wake(self) -> None:
        """Makes the next call of :meth:`has_new_messages` return ``True``."""
        self._seen = -1

    def log(self) -> list[dict[str, Any]]:
        """Returns the lines of the switch's log, each parsed from JSON."""
        return [json.loads(line) for line in self._log_lines() if line.startswith("{")]

    def _log_lines(self) -> list[str]:
        return self._log.read_text(encoding="utf-8").splitlines() if self._log.exists() else []

    def _wait(self) -> None:
        if self._agent is None:
            raise NetworkError(f"{self.name} has no links, so it does not run")
        end = time.monotonic() + _START_TIMEOUT_S
        while not any('"message":"ready"' in line for line in self._log_lines()):
            if self._agent.process.poll() is not None or time.monotonic() > end:
                log_text = "\n".join(self._log_lines()).strip()
                raise NetworkError(f"{self.name} has not started: {log_text or 'it printed nothing'}")
            time.sleep(0.005)

    def close(self) -> None:
        """Closes the connection to the switch. The kernel ends the process with its namespace."""
        if self._client is not None:
            self._client.close()
        if self._agent is not None:
            self._agent.close()


class RealSwitch(Switch):
    """A switch of the Linux world.

    The class has the methods of :class:`weir.Switch`, and controls the switch over P4Runtime. It
    refuses methods for which P4Runtime has no request.
    """

    __slots__ = ("_kept", "_running")

    def __init__(self, running: SwitchProcess | Bmv2Process, name: str, program: Program) -> None:
        self._running = running
        # Digests that had arrived when a callback for digests was set.
        self._kept: list[Digest] = []
        super().__init__(None, name, program, PROFILE)  # type: ignore[arg-type]

    @property
    def _core(self) -> CoreSwitch:
        """The control interface of the switch, which sends requests over P4Runtime."""
        return self._running.core

    @_core.setter
    def _core(self, core: CoreSwitch) -> None:
        """Does nothing, because the process's connection holds the core."""

    @property
    def p4runtime(self) -> str:
        """The address at which other P4Runtime controllers reach the switch, as device 0.

        This network's own connection is primary with election id 1. If the network was created with
        ``p4runtime=…``, the connection has a role of its own instead, and the device id of the
        switch is the result of :meth:`weir.p4runtime.Server.device_id`.
        """
        return self._running.address

    @property
    def program(self) -> Program:
        """The program with which the switch was started."""
        return self._program

    @property
    def has_program(self) -> bool:
        """Always ``True``, because the switch was started with a program."""
        return True

    @property
    def ports(self) -> list[int]:
        """The numbers of the switch's ports, smallest first."""
        return list(self._running.ports)

    @property
    def now_ns(self) -> int:
        """Raises an error, because the switch has no clock of its own; see
        :meth:`Network.now_ns`."""
        _refuse(self.name, "has no clock of its own", "use net.now_ns")

    def digests(self) -> list[Digest]:
        """Returns the digests since the last call; their time is the time of this call.

        The switch sends digests only after the first call.
        """
        earlier, self._kept = self._kept, []
        return earlier + [replace(digest, time_ns=self._running.now()) for digest in super().digests()]

    def on_digest(self, callback: Callable[[Digest], object] | None) -> None:
        """Sets a function to call for each digest; see :meth:`Switch.on_digest`."""
        super().on_digest(callback)
        if callback is not None:
            # The call of digests makes the switch send digests, which it does not do by default.
            self._kept = self.digests()
            if self._kept:
                self._running.wake()

    def idle_notices(self) -> list[IdleNotice]:
        """Returns the notices of idle entries since the last call; their time is the time of this
        call."""
        return [replace(notice, time_ns=self._running.now()) for notice in super().idle_notices()]

    def messages(self) -> list[Message]:
        """Returns the digests and idle notices since the last call."""
        return [*self.digests(), *self.idle_notices()]

    def log(self) -> list[LogLine]:
        """Refuses the call, because the switch process does not store lines of ``log_msg``."""
        _refuse(self.name, "stores no lines of log_msg", 'run it in world="virtual"')

    def queues(self, port: int) -> list[Queue]:
        """Refuses the call, because the network sets the queues' rates to the rates of the
        links."""
        _refuse(self.name, "does not report its queues", "net.sample() counts packets that wait at links")

    def set_queue_depth(self, packets: int, port: int | None = None, priority: int | None = None) -> None:
        """Refuses the call, because the switch's queues have the limits of the links."""
        _refuse(
            self.name,
            "takes the rates and limits of its queues from its links",
            "set the link's queue (net.link(…).queue)",
        )

    def set_queue_discipline(
        self, discipline: Qdisc | str | None, port: int | None = None, priority: int | None = None
    ) -> None:
        """Sets the queueing discipline of a queue; see :meth:`Switch.set_queue_discipline`.

        A queue has a rate only while packets wait in the switch instead of at its link:
        docs/how-to/linux-world.md says when.
        """
        self._running.set_queue_discipline(discipline, port, priority)

    def set_queue_rate(self, rate: str | None, port: int | None = None, priority: int | None = None) -> None:
        """Refuses the call, because the switch's queues have the rates of the links."""
        _refuse(self.name, "has queues like its links", "set the link's rate (net.link(…).rate)")

    def trace(self, packets: int | None = None) -> None:
        """Refuses the call, because the switch process does not trace packets."""
        _refuse(self.name, "traces no packets", 'run it in world="virtual"')

    @property
    def is_tracing(self) -> bool:
        """Always ``False``: switches of the Linux world do not trace packets."""
        return False


def _refuse(name: str, what: str, instead: str) -> NoReturn:
    raise ControlError(f"{name} {what} in the Linux world: {instead}")
