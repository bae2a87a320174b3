"""Helpers of the scripts in this folder, which run in a network namespace of their own."""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ETH_P_ALL = 3
SOL_PACKET, PACKET_AUXDATA, TP_STATUS_VLAN_VALID = 263, 8, 1 << 4
PATIENCE = 20.0
"""Seconds after which a test gives up."""


def ip(*commands: str) -> None:
    """Runs commands of ip(8) in one process."""
    subprocess.run(["ip", "-batch", "-"], input="\n".join(commands), text=True, check=True)


def wires(count: int) -> None:
    """Makes pairs of interfaces: ``h1`` is connected to ``s1-eth1``, and so on."""
    # No neighbour discovery, also of interfaces that come later: tests count frames.
    Path("/proc/sys/net/ipv6/conf/default/disable_ipv6").write_text("1")
    ip(
        "link set lo up",
        *(f"link add h{number} type veth peer name s1-eth{number}" for number in range(1, count + 1)),
        *(f"link set {name}{number} up" for number in range(1, count + 1) for name in ("h", "s1-eth")),
    )


class Raw:
    """A packet socket on an interface."""

    def __init__(self, interface: str) -> None:
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.socket.bind((interface, ETH_P_ALL))
        self.socket.settimeout(PATIENCE)

    def send(self, frame: bytes) -> None:
        """Sends a frame."""
        self.socket.send(frame)

    def receive(self) -> bytes:
        """The next frame that arrived from the other end."""
        while True:
            frame, extra, _, address = self.socket.recvmsg(65536, 256)
            if address[2] == socket.PACKET_OUTGOING:
                continue
            for level, kind, data in extra:
                if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
                    # struct tpacket_auxdata (packet(7)): the kernel took the tag out of the frame.
                    status, _, _, _, _, tag, protocol = struct.unpack("=IIIHHHH", data)
                    if status & TP_STATUS_VLAN_VALID:
                        frame = frame[:12] + struct.pack("!HH", protocol, tag) + frame[12:]
            return frame

    def is_quiet(self, seconds: float) -> bool:
        """Whether no frame arrives for this time."""
        self.socket.settimeout(seconds)
        try:
            self.receive()
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(PATIENCE)
        return False


class Service:
    """A running ``weir switch``."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[dict[str, object]] = []

    def wait_for(self, message: str) -> dict[str, object]:
        """Reads log lines until a message contains this text."""
        for line in self.process.stderr:
            assert line.startswith("{"), line + self.process.stderr.read()
            self.lines.append(json.loads(line))
            assert len(self.lines) < 600, "the switch logs too much"
            if message in self.lines[-1]["fields"]["message"]:
                return self.lines[-1]["fields"]
        raise AssertionError(f"the switch ended without {message!r}: {self.lines}")

    def reload(self) -> None:
        """Makes the switch read its files again."""
        self.process.send_signal(signal.SIGHUP)

    def stop(self) -> None:
        """Ends the switch with SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        _, rest = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, rest


@contextmanager
def running(*arguments: str) -> Iterator[Service]:
    """Runs ``weir switch``, or the command in the variable ``WEIR_SWITCHD``, and ends it."""
    command = os.environ.get("WEIR_SWITCHD", "").split() or [sys.executable, "-m", "weir", "switch"]
    command += [*arguments, "--log-format", "json"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        service = Service(process)
        service.wait_for("ready")
        yield service
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def switch(program: str, *options: str):
    """Runs a switch with a program, and ends it."""
    return running(program, *options)


def several(file: str, *options: str):
    """Runs the switches that a file lists, and ends them."""
    return running("--config", file, *options)


class Host:
    """A network namespace with one interface, whose programs use the kernel's own protocols."""

    def __init__(self, interface: str, address: str, mac: str, neighbours: dict[str, str]) -> None:
        self.process = subprocess.Popen(["unshare", "--net", "cat"], stdin=subprocess.PIPE)
        own = Path(f"/proc/{self.process.pid}/ns/net")
        eventually(lambda: own.stat().st_ino != Path("/proc/self/ns/net").stat().st_ino)
        ip(f"link set {interface} address {mac}", f"link set {interface} netns {self.process.pid}")
        lines = [f"address add {address} dev {interface}", "link set lo up", f"link set {interface} up"]
        lines += [f"neighbour add {ip} lladdr {mac} dev {interface}" for ip, mac in neighbours.items()]
        self.run("ip", "-batch", "-", input="\n".join(lines))

    def start(self, *command: str, **options: object) -> subprocess.Popen[str]:
        """Starts a program on the host."""
        inside = ["nsenter", f"--net=/proc/{self.process.pid}/ns/net", *command]
        return subprocess.Popen(inside, text=True, stdout=subprocess.PIPE, **options)

    def run(self, *command: str, input: str = "", timeout: float = PATIENCE) -> str:
        """Runs a program on the host and returns what it prints."""
        process = self.start(*command, stdin=subprocess.PIPE)
        printed, _ = process.communicate(input, timeout=timeout)
        assert process.returncode == 0, (command, printed)
        return printed

    def close(self) -> None:
        """Ends the host's programs."""
        self.process.kill()
        self.process.wait()


def ethernet(dst: int, kind: int, payload: bytes) -> bytes:
    """A frame to ``08:00:00:00:00:dst``."""
    return struct.pack("!6s6sH", b"\x08\0\0\0\0" + bytes([dst]), b"\x08\0\0\0\0\x09", kind) + payload


def metric(text: str, name: str, **labels: str) -> float:
    """The value of a metric in the text that Prometheus reads."""
    label_text = ",".join(f'{key}="{value}"' for key, value in labels.items())
    (value,) = re.findall(rf"^{name}{{{re.escape(label_text)}}} (\S+)$", text, re.MULTILINE)
    return float(value)


def eventually(condition) -> None:
    """Waits until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
