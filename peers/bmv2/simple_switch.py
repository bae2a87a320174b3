"""Runs the unmodified ``simple_switch``, one packet at a time.

``--use-files`` reads packets from a capture file for each port and sends the one with the earliest
time stamp next. Here these files are named pipes. The switch sends a packet only when it knows the
next packet of every port. To hold a packet back, the test does not write the packet that follows
the previous one on the previous one's port. The log, on standard output, says when all copies of a
packet have left or were dropped; then the next packet is let go.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import re
import select
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tools import Tools

Output = tuple[int, bytes]
"""A port, and what left there."""

_FILE_HEADER = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)

# The log lines about the fate of a packet. The first group is the number of the packet.
_EVENT = re.compile(
    rb"\[(\d+)\.\d+\] \[cxt \d+\] (?:"
    rb"(Transmitting) packet of size \d+ out of port (\d+)|(Dropping) packet at the end|"
    rb"(Replicating) packet on port|(Cloning) packet to egress port|(Multicast) requested)"
    rb"|(Priority out of range)|(first packet to send)"
)

_MAX_SECONDS = 3.0
_QUIET_SECONDS = 0.003


class SwitchEnded(Exception):
    """The process has ended; the message says how."""

    sent: Sequence[list[Output]] = ()


class EndlessCopies(Exception):
    """Copies of a packet never leave the switch."""

    sent: Sequence[list[Output]] = ()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class SimpleSwitch:
    """A process of ``simple_switch`` with one program.

    Args:
        tools: p4lang's programs.
        made: the program as p4c's JSON.
        ports: its ports.
        folder: an empty folder for its pipes and captures.
        level: the level of its log, which :attr:`log` keeps; ``trace`` is the most detailed.
    """

    def __init__(
        self, tools: Tools, p4c_json: Path, ports: Sequence[int], folder: Path, level: str = "debug"
    ) -> None:
        import runtime_CLI
        import sswitch_CLI

        self.ports = list(ports)
        self.log = bytearray()
        self.keep_log = False
        self._folder = folder
        self._pipes: dict[int, int] = {}
        for port in self.ports:
            os.mkfifo(folder / f"{port}_in.pcap")
            self._pipes[port] = os.open(folder / f"{port}_in.pcap", os.O_RDWR)
            os.write(self._pipes[port], _FILE_HEADER)
        thrift = _free_port()
        interfaces = [word for port in self.ports for word in ("-i", f"{port}@{port}")]
        command = [str(tools.simple_switch), "--use-files", "0", "--log-console", "-L", level]
        command += ["--thrift-port", str(thrift), *interfaces, str(p4c_json.resolve())]
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert self._process.stdout is not None
        self._out = self._process.stdout.fileno()
        self._rest = b""
        self._seen = dict.fromkeys(self.ports, 24)
        self._wait_for(b"Thrift server was started")
        services = runtime_CLI.RuntimeAPI.get_thrift_services(runtime_CLI.PreType.SimplePreLAG)
        services.extend(sswitch_CLI.SimpleSwitchAPI.get_thrift_services())
        clients = self._connect(thrift, services)
        runtime_CLI.load_json_str(p4c_json.read_text())
        sets = json.loads(p4c_json.read_text()).get("parse_vsets", [])
        self._widths = {one["name"]: (one["compressed_bitwidth"] + 7) // 8 for one in sets}
        self.client = clients[0]
        self._string = runtime_CLI.bytes_to_string
        self._api = sswitch_CLI.SimpleSwitchAPI(runtime_CLI.PreType.SimplePreLAG, *clients)

    @staticmethod
    def _connect(port: int, services: Sequence[tuple[str | None, Any]]) -> list[Any]:
        """Clients of the Thrift services, as soon as the server listens."""
        from thrift import Thrift
        from thrift.protocol import TBinaryProtocol, TMultiplexedProtocol
        from thrift.transport import TSocket, TTransport

        logging.getLogger("thrift").setLevel(logging.CRITICAL)
        transport = TTransport.TBufferedTransport(TSocket.TSocket("127.0.0.1", port))
        protocol = TBinaryProtocol.TBinaryProtocol(transport)
        clients = [
            call(TMultiplexedProtocol.TMultiplexedProtocol(protocol, name)) if name else None
            for name, call in services
        ]
        end = time.monotonic() + 20
        while True:
            # The server closes connections until the switch has registered its own service.
            try:
                transport.open()
                clients[-1].set_all_egress_queue_depths(100_000)
                return clients
            except Thrift.TException:
                if time.monotonic() > end:
                    raise SwitchEnded("its Thrift server does not answer") from None
                transport.close()
                time.sleep(0.01)

    def run(self, line: str) -> tuple[bool, str]:
        """Runs a runtime command; returns whether it was accepted, and its output."""
        text = io.StringIO()
        words = line.split()
        if words[0] == "pvs_add":  # p4lang's command line sends a byte too many
            if words[1] not in self._widths:
                return False, f"there is no value set {words[1]}"
            value = int(words[2], 0)
            self.client.bm_parse_vset_add(
                0, words[1], self._string(value.to_bytes(self._widths[words[1]], "big"))
            )
            return True, ""
        self._api.stdout = text  # its message about unknown commands
        try:
            with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
                self._api.onecmd(line)
        except Exception as error:  # this command would end the command line
            self._alive()
            return False, f"{text.getvalue()}{type(error).__name__}: {error}"
        output = text.getvalue()
        return re.search(r"^(Error|Invalid|\*\*\* Unknown)", output, re.M) is None, output

    def send(self, packets: Sequence[tuple[int, bytes]], before: Callable[[int], None]) -> list[list[Output]]:
        """Sends packets one after the other; returns the packets that leave for each. Call it once.

        It calls ``before`` with the number of each packet but the first before that packet enters.

        Raises:
            Ended: the process has ended. Its ``sent`` has the packets that left until then.
            Endless: a packet's copies never leave. It has the same attribute.
        """
        waiting: dict[int, list[int]] = {port: [] for port in self.ports}
        for number, (port, _) in reversed(list(enumerate(packets))):
            waiting[port].append(number)

        def release(port: int) -> None:
            if not waiting[port]:
                os.close(self._pipes.pop(port))
                return
            number = waiting[port].pop()
            data = packets[number][1]
            os.write(self._pipes[port], struct.pack("<IIII", number + 1, 0, len(data), len(data)) + data)

        sent: list[list[Output]] = []
        for port in self.ports:
            release(port)
        try:
            for number, (port, _) in enumerate(packets):
                sent.append([])
                self._wait_until_empty(number, sent)
                if number + 1 < len(packets):
                    before(number + 1)
                    release(port)
        except (SwitchEnded, EndlessCopies) as error:
            error.sent = sent
            raise
        return sent

    def _wait_for(self, text: bytes) -> None:
        end = time.monotonic() + 20
        said = b""
        while text not in said:
            more = self._read(end - time.monotonic())
            if not more:
                raise SwitchEnded(f"it does not start: {said[-600:].decode(errors='replace')}")
            said += more

    def _read(self, seconds: float) -> bytes:
        """Reads more of the log; an empty text if there is no more in that time."""
        ready, _, _ = select.select([self._out], [], [], max(0.0, seconds))
        if not ready:
            return b""
        more = os.read(self._out, 1 << 20)
        if not more:
            self._process.wait(1)
            raise SwitchEnded(f"ended with {self._process.returncode}: {self._last_output()}")
        self.log += more
        if not self.keep_log and len(self.log) > 1 << 20:
            del self.log[: -1 << 18]
        return more

    def _alive(self) -> None:
        """Raises an error with the reason if the process has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
            while self._read(0.1):
                pass

    def _last_output(self) -> str:
        return self.log[-1500:].decode(errors="replace")

    def _wait_until_empty(self, number: int, sent: list[list[Output]]) -> None:
        """Waits until the switch is empty; adds the packets that leave to those of the packet with
        this number."""
        end = time.monotonic() + _MAX_SECONDS
        alive, begun, multicast = 0, False, False
        while True:
            # Nothing says how many copies a multicast group makes: the log must have been quiet.
            quiet = begun and alive <= 0
            more = self._read(_QUIET_SECONDS if quiet else end - time.monotonic())
            if not more:
                if quiet:
                    return
                raise EndlessCopies(f"{alive} copies never leave, {len(sent[number])} have left")
            text = self._rest + more
            cut = text.rfind(b"\n") + 1
            self._rest = text[cut:]
            for event in _EVENT.finditer(text, 0, cut):
                packet, out, port, drop, replica, clone, group, priority, first = event.groups()
                if first:
                    if not begun:
                        begun, alive = True, 1
                    continue
                if out and int(port) in self._seen:
                    sent[int(packet)].append((int(port), self._packet(int(port))))
                if packet is not None and int(packet) != number:
                    continue  # a copy that came late
                multicast |= bool(group)
                alive += bool(replica) + bool(clone) - bool(out) - bool(drop) - bool(group) - bool(priority)
            if begun and alive <= 0 and not multicast:
                return

    def _packet(self, port: int) -> bytes:
        path = self._folder / f"{port}_out.pcap"
        end = time.monotonic() + _MAX_SECONDS
        with path.open("rb") as file:
            while time.monotonic() < end:
                file.seek(self._seen[port])
                head = file.read(16)
                if len(head) == 16:
                    length = struct.unpack("<IIII", head)[2]
                    data = file.read(length)
                    if len(data) == length:
                        self._seen[port] += 16 + length
                        return data
                time.sleep(0.0002)
        raise SwitchEnded(f"what left port {port} is not in its capture")

    def counter(self, name: str, index: int) -> tuple[int, int]:
        """A counter's packets and bytes."""
        value = self._ask(self.client.bm_counter_read, name, index)
        return value.packets, value.bytes

    def direct_counter(self, table: str, handle: int) -> tuple[int, int]:
        """The packets and bytes of an entry."""
        value = self._ask(self.client.bm_mt_read_counter, table, handle)
        return value.packets, value.bytes

    def register(self, name: str) -> list[int]:
        """All cells of a register."""
        return list(self._ask(self.client.bm_register_read_all, name))

    def _ask(self, call: Callable[..., Any], *arguments: object) -> Any:
        try:
            return call(0, *arguments)
        except Exception:
            self._alive()
            raise

    def close(self) -> None:
        """Ends the process."""
        for pipe in self._pipes.values():
            os.close(pipe)
        self._pipes.clear()
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


def names(p4c_json: Path) -> set[str]:
    """The names of the control-plane objects in p4c's JSON, which lacks unused objects.

    p4c keeps the action profiles of tables that it removed. They have no actions, so this function
    leaves them out.
    """
    document = json.loads(p4c_json.read_text())
    kinds = ["counter_arrays", "register_arrays", "meter_arrays", "parse_vsets"]
    found = {one["name"] for kind in kinds for one in document.get(kind, [])}
    for pipeline in document["pipelines"]:
        for table in pipeline["tables"]:
            found |= {table["name"], *filter(None, [table.get("action_profile")])}
    return found
