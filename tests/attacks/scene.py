"""The victims of an attack: a switch between two cables, its controller, and a stream of frames.

All of them are in the network namespace of this process.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import weir
from certificates import Authority, Identity
from weir.errors import ControlError
from weir.p4runtime import Client, ClientTls

HERE = Path(__file__).parent
KIND = b"\x88\xb5"  # An EtherType for local experiments (IEEE Std 802).
CABLES = (("from-a", "to-a"), ("from-b", "to-b"))


def run(*command: str) -> None:
    """Runs a command of the system and raises if it fails."""
    subprocess.run(command, check=True, capture_output=True)


def lay_cables() -> None:
    """Makes the two cables of the namespace."""
    run("ip", "link", "set", "lo", "up")
    for ours, switch in CABLES:
        run("ip", "link", "add", ours, "type", "veth", "peer", "name", switch)
        for end in (ours, switch):
            Path(f"/proc/sys/net/ipv6/conf/{end}/disable_ipv6").write_text("1")
            run("ip", "link", "set", end, "up")


class Group:
    """A control group that limits the memory of its processes; nothing where none can be made."""

    def __init__(self, limit: int) -> None:
        name = f"weir-attacks-{os.getpid()}"
        self.folder: Path | None = None
        for parent, file in (("memory", "memory.limit_in_bytes"), (".", "memory.max")):
            folder = Path("/sys/fs/cgroup") / parent / name
            try:
                folder.mkdir()
                (folder / file).write_text(str(limit))
            except OSError:
                with contextlib.suppress(OSError):
                    folder.rmdir()
                continue
            self.folder = folder
            return

    def take(self, process: int) -> None:
        """Moves a process into the group."""
        if self.folder is not None:
            (self.folder / "cgroup.procs").write_text(str(process))

    def remove(self) -> None:
        """Removes the group, which must be empty."""
        if self.folder is not None:
            self.folder.rmdir()


def free_port() -> int:
    """Returns a TCP port of loopback that nothing uses now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@dataclass
class Frames:
    """A stream of numbered frames: ``rate`` per second through the switch."""

    rate: int
    sent: int = 0
    received: int = 0
    _stopped: threading.Event = field(default_factory=threading.Event)

    @contextlib.contextmanager
    def flowing(self) -> Iterator[Frames]:
        """Sends while the block runs, and waits a second for frames under way."""
        receiver = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, int.from_bytes(KIND, "big"))
        receiver.bind((CABLES[1][0], int.from_bytes(KIND, "big")))
        receiver.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)  # SO_RCVBUFFORCE
        receiver.settimeout(0.2)
        sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        sender.bind((CABLES[0][0], 0))
        ended = threading.Event()
        threads = [
            threading.Thread(target=self._send, args=(sender,)),
            threading.Thread(target=self._receive, args=(receiver, ended)),
        ]
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self._stopped.set()
            threads[0].join()
            time.sleep(1)
            ended.set()
            threads[1].join()
            sender.close()
            receiver.close()

    def _send(self, sender: socket.socket) -> None:
        frame = b"\2\0\0\0\0\2\2\0\0\0\0\1" + KIND + bytes(186)
        began = time.monotonic()
        while not self._stopped.is_set():
            due = int((time.monotonic() - began) * self.rate)
            # After a pause of this process, frames that are late by more than 20 ms are left out.
            for _ in range(min(due - self.sent, self.rate // 50)):
                sender.send(frame)
                self.sent += 1
            began = max(began, time.monotonic() - (self.sent + self.rate // 50) / self.rate)
            time.sleep(0.002)

    def _receive(self, receiver: socket.socket, ended: threading.Event) -> None:
        while not ended.is_set():
            with contextlib.suppress(TimeoutError):
                receiver.recv(2048)
                self.received += 1


class Controller:
    """The primary of the default role, which writes an entry 20 times a second in a thread."""

    def __init__(self, port: int, tls: ClientTls | None) -> None:
        self._client = Client(f"127.0.0.1:{port}", 0, election_id=(1 << 127), tls=tls)
        self._stopped = threading.Event()
        self.seconds: list[float] = []
        self.errors: list[str] = []
        self._thread = threading.Thread(target=self._write)

    def __enter__(self) -> Controller:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()
        self._client.close()

    def _write(self) -> None:
        stations = self._client.table("stations")
        number = 0
        while not self._stopped.wait(0.05):
            key = {
                "headers.ethernet.destination": f"02:00:00:01:{number // 256 % 256:02x}:{number % 256:02x}"
            }
            number += 1
            began = time.monotonic()
            try:
                stations.insert(key, "send", {"port": 2})
                self.seconds.append(time.monotonic() - began)
                stations.delete(key)
            except ControlError as error:
                self.errors.append(str(error))


@dataclass
class Files:
    """A folder with the certificates of the server and the controller, and the attacks' program."""

    folder: Path
    _authority: Path
    _server: Identity
    _controller: Identity

    @classmethod
    def made(cls, folder: Path) -> Files:
        """Makes the files."""
        authority = Authority(folder / "certificates")
        files = cls(folder, authority.certificate, authority.sign("server"), authority.sign("controller"))
        files.bomb().write_text(bomb())
        # The switch refuses the program before it compares the P4Info, so any valid one serves.
        files.p4info().write_bytes(weir.compile(HERE / "forward.p4").p4info("binary"))
        return files

    def bomb(self) -> Path:
        """The program that declares billions of cells."""
        return self.folder / "bomb.p4"

    def p4info(self) -> Path:
        """Its P4Info, in binary."""
        return self.folder / "bomb.p4info"

    def server(self) -> list[str]:
        """Options of a server with mutual TLS."""
        return ["--tls-certificate", str(self._server.certificate), "--tls-key", str(self._server.key),
                "--tls-clients", str(self._authority)]  # fmt: skip

    def client(self) -> ClientTls:
        """The certificates of the controller."""
        return ClientTls(self._authority, self._controller.certificate, self._controller.key, "localhost")


def bomb() -> str:
    """Returns the text of a small program with 30 counters and meters of 67 108 864 cells."""
    text = (HERE / "forward.p4").read_text()
    cells = "".join(
        f"    {'counter' if n % 2 else 'meter'}(67108864, {'CounterType' if n % 2 else 'MeterType'}.bytes) c{n};\n"
        for n in range(30)
    )
    return text.replace("    action send(", cells + "    action send(", 1)


def memory_mb(process: int) -> float:
    """Returns the memory of a process alone in MB, 0 when the process is gone.

    Pages of files, such as the code of a library at its first use, belong to the system's cache.
    """
    size = 0
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(("RssAnon", "RssShmem")):
                size += int(line.split()[1])
    return size / 1024


class Process:
    """An attacked process.

    Args:
        group: limits its memory.
        command: starts it.
        ready: the text that it prints when it serves.
    """

    def __init__(self, group: Group, command: list[str], ready: bytes) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(command, stdout=self._log, stderr=self._log)
        group.take(self._process.pid)
        end = time.monotonic() + 60
        while ready not in self.log():
            if self._process.poll() is not None or time.monotonic() > end:
                self.end()
                raise RuntimeError(self.log().decode())
            time.sleep(0.05)

    def log(self) -> bytes:
        """The switch's log so far."""
        self._log.seek(0)
        return self._log.read()

    def is_alive(self) -> bool:
        """Returns whether the process still runs."""
        return self._process.poll() is None

    def memory(self) -> float:
        """The memory of the process in MB."""
        return memory_mb(self._process.pid)

    def end(self) -> None:
        """Asks the process to exit, and kills it if it does not in 20 s."""
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Switch(Process):
    """``weir switch`` between the cables."""

    def __init__(self, group: Group, options: list[str]) -> None:
        self.p4runtime, self.metrics = free_port(), free_port()
        command = [sys.executable, "-m", "weir", "switch", str(HERE / "forward.p4"),
                   "-i", f"1@{CABLES[0][1]}", "-i", f"2@{CABLES[1][1]}",
                   "--p4runtime", f"127.0.0.1:{self.p4runtime}",
                   "--metrics", f"127.0.0.1:{self.metrics}", *options]  # fmt: skip
        super().__init__(group, command, b"ready")

    def scrape(self) -> float | None:
        """Reads the metrics and returns the seconds that took, or None without an answer in 5 s."""
        began = time.monotonic()
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.metrics), 5) as one:
            one.settimeout(5)
            one.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            if one.recv(4096).startswith(b"HTTP/1.1 200"):
                return time.monotonic() - began
        return None
