"""Services that are attacked alone: the telemetry listener, and the stand-in of BMv2 with Thrift.

Each has a client that makes ordinary requests during the attack.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from attacks import messages
from attacks.scene import CABLES, HERE, Group, Process, free_port
from telemetry.handmade_reports import path_report
from weir.telemetry import Store

NODES = [7001, 7002]
"""The path in the reports of the client; no attack uses it."""


class Listener(Process):
    """``weir telemetry listen``, which removes the oldest batches when its store is full."""

    def __init__(self, group: Group, folder: Path) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self._store = folder
        command = [sys.executable, "-m", "weir", "telemetry", "listen", "--udp", f"127.0.0.1:{self.port}",
                   "--store", str(folder), "--every", "500ms", "--limit", "500MB", "--when-full", "oldest"]  # fmt: skip
        super().__init__(group, command, b"listening at")

    def disk_mb(self) -> float:
        """The size of the store in MB."""
        sizes = 0
        for path in self._store.rglob("*"):
            with contextlib.suppress(OSError):  # It was merged or removed in the meantime.
                sizes += path.stat().st_size
        return sizes / 1e6

    def stored(self) -> int:
        """The client's reports in the store, as the number of their different sequence numbers."""
        rows = Store(self._store).sql(
            f"SELECT count(DISTINCT sequence) AS found FROM reports WHERE node = {NODES[-1]}"
        )
        return int(rows[0]["found"])


class Reporter:
    """A node that sends ten reports a second, until the block ends."""

    def __init__(self, port: int) -> None:
        self.sent = 0
        self._port = port
        self._stopped = threading.Event()

    @contextlib.contextmanager
    def reporting(self) -> Iterator[Reporter]:
        """Sends while the block runs."""
        self._stopped.clear()
        thread = threading.Thread(target=self._send)
        thread.start()
        try:
            yield self
        finally:
            self._stopped.set()
            thread.join()

    def _send(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            while not self._stopped.wait(0.1):
                report = path_report(NODES, sequence=self.sent % (1 << 22))
                sender.sendto(report, ("127.0.0.1", self._port))
                self.sent += 1


class StandIn(Process):
    """The stand-in of ``simple_switch`` between the cables, with its Thrift services."""

    def __init__(self, group: Group) -> None:
        self.port = free_port()
        start = "import sys; from weir.dropin.simple_switch import simple_switch as main; sys.exit(main(sys.argv[1:]))"
        command = [sys.executable, "-c", start, str(HERE / "forward.p4"),
                   "-i", f"1@{CABLES[0][1]}", "-i", f"2@{CABLES[1][1]}",
                   "--thrift-port", str(self.port), "--log-console"]  # fmt: skip
        super().__init__(group, command, b"ready")


class Caller:
    """A client of Thrift that connects, calls and leaves, 20 times a second."""

    _REPLY = struct.pack(">I", 0x80010002)

    def __init__(self, port: int) -> None:
        self.seconds: list[float] = []
        self.errors: list[str] = []
        self._port = port
        self._stopped = threading.Event()

    @contextlib.contextmanager
    def calling(self) -> Iterator[Caller]:
        """Calls while the block runs."""
        self._stopped.clear()
        thread = threading.Thread(target=self._run)
        thread.start()
        try:
            yield self
        finally:
            self._stopped.set()
            thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(0.05):
            began = time.monotonic()
            try:
                self.call()
                self.seconds.append(time.monotonic() - began)
            except OSError as error:
                self.errors.append(str(error) or type(error).__name__)

    def call(self) -> None:
        """Makes one call; raises OSError if no reply with both ports arrives within 10 s."""
        with socket.create_connection(("127.0.0.1", self._port), timeout=10) as connection:
            connection.sendall(messages.thrift_call())
            answer = b""
            while not (answer.startswith(self._REPLY) and b"to-b" in answer):
                if not (more := connection.recv(65536)):
                    raise ConnectionError(f"the connection ended after {len(answer)} bytes")
                answer += more
