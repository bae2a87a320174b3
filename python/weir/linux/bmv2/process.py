"""The process of a ``simple_switch`` that replaces Weir's own switch."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

from weir import _core
from weir.errors import ControlError, NetworkError
from weir.linux.bmv2 import programs
from weir.linux.bmv2.client import Client
from weir.linux.bmv2.mirror import Mirror

if TYPE_CHECKING:
    from weir.linux.network_base import NetworkBase

_THRIFT_PORT: Final = 9090
_START_TIMEOUT_S: Final = 60.0

_FRAME_BITS: Final = 8 * 1514
"""The bits of a full Ethernet frame. The number converts rates, because ``simple_switch`` has only
rates in packets."""


class Bmv2Process:
    """A running ``simple_switch`` and the connection to it, with the methods of SwitchProcess.

    Args:
        network: the network that contains the switch.
        name: the name of the switch.
        program: the program of the switch.
        ports: its ports, each with its interface in the node.
        cpu_port: the port of its controller, if it has one. Packets to this port are lost.

    Raises:
        NetworkError: p4lang's programs are missing, or the compiler refuses the program.
    """

    def __init__(
        self,
        network: NetworkBase,
        name: str,
        program: _core.Program,
        ports: Sequence[tuple[int, str]],
        cpu_port: int | None,
    ) -> None:
        self.name, self._network, self._program = name, network, program
        self.ports = sorted({port for port, _ in ports} | (set() if cpu_port is None else {cpu_port}))
        self.device, self.now = network.p4runtime_device(name), network.now
        self._client: Client | None = None
        self._core: Mirror | None = None
        self._log = network.folder / f"{name}.log"
        json_file = network.folder / f"{name}.json"
        json_file.write_text(programs.compile_to_json(program), encoding="utf-8")
        words = [programs.simple_switch_path(), "--log-level", "off", "--thrift-port", str(_THRIFT_PORT)]
        if "--notifications-addr" in programs.help_text():
            # Two switches on one computer must not have the same address.
            words += ["--notifications-addr", f"ipc://{network.folder / f'{name}.ipc'}"]
        for port, device in ports:
            words += ["-i", f"{port}@{device}"]
        with self._log.open("w", encoding="utf-8") as log:
            self._process = network.namespaces.run(
                name, [*words, str(json_file)], stdout=log, stderr=subprocess.STDOUT
            )

    @property
    def runs(self) -> bool:
        """Always ``False``: BMv2 does not count its drops, so there is nothing to read from a
        running switch."""
        return False

    @property
    def address(self) -> str:
        """Raises an error, because ``simple_switch`` has no P4Runtime server."""
        self._refuse("P4Runtime")

    @property
    def client(self) -> NoReturn:
        """Raises an error, because ``simple_switch`` has no P4Runtime server."""
        self._refuse("P4Runtime")

    @property
    def core(self) -> Any:
        """The control interface of the switch: a copy in this process that also changes
        ``simple_switch``."""
        if self._core is None:
            self._client = self._connected()
            self._core = Mirror(self.name, self._program, self.ports, self._client)
        return self._core

    def begin(self) -> None:
        """Waits until the switch runs its program."""
        assert self.core is not None

    def control_of_table(self, table: str) -> str | None:
        """Returns ``None``, because BMv2 does not count misses."""
        return None

    def set_queue(self, port: int, rate_bps: int | None, packets: int) -> None:
        """Sets the rate of a port's queue, counted in full frames, and the maximum number of frames
        in the queue."""
        assert self.core is not None and self._client is not None
        # BMv2 takes the number 0 for no limit.
        rate = 0 if rate_bps is None else max(1, round(rate_bps / _FRAME_BITS))
        self._client.simple_switch("set_egress_queue_rate", port, rate)
        self._client.simple_switch("set_egress_queue_depth", port, packets)

    def set_queue_discipline(self, *_: object) -> NoReturn:
        """Refuses the call, because BMv2 has no queueing disciplines.

        Raises:
            ControlError: always.
        """
        raise ControlError(
            f"{self.name} runs BMv2, whose queues have no disciplines: set the link's queue (net.link(…).queue)"
        )

    def has_new_messages(self) -> bool:
        """Returns ``False``, because the messages of BMv2 do not arrive here."""
        return False

    def wake(self) -> None:
        """Raises an error, because the messages of BMv2 do not arrive here."""
        self._refuse("digests")

    def log(self) -> list[dict[str, Any]]:
        """Returns an empty list, because the log of ``simple_switch`` is off."""
        return []

    def close(self) -> None:
        """Closes the connection to the switch. The kernel ends the process with its namespace."""
        if self._client is not None:
            self._client.close()

    def _connected(self) -> Client:
        """Connects to the Thrift services of the switch, and waits until all of them answer.

        Raises:
            NetworkError: the switch did not start; the message has its output.
        """
        end = time.monotonic() + _START_TIMEOUT_S
        while time.monotonic() < end and self._process.poll() is None:
            sock = self._network.namespaces.open(self.name, socket.AF_INET, socket.SOCK_STREAM)
            try:
                sock.settimeout(1.0)
                sock.connect(("127.0.0.1", _THRIFT_PORT))
            except OSError:
                sock.close()
            else:
                client = Client(self.name, sock)
                if client.is_ready():
                    return client
                client.close()
            time.sleep(0.02)
        log_text = self._log.read_text(encoding="utf-8", errors="replace").strip()
        raise NetworkError(
            f"{self.name}: simple_switch has not started: {log_text[-2000:] or 'it printed nothing'}"
        )

    def _refuse(self, what: str) -> NoReturn:
        raise NetworkError(f'{self.name} is simple_switch, without {what}: use switches="weir"')
