"""Sends and receives with the kernel's TCP and UDP, from inside a network namespace.

python traffic.py sink PORT
python traffic.py send ADDRESS PORT CONGESTION START SECONDS
python traffic.py answer PORT
python traffic.py fetch ADDRESS PORT CONGESTION START BYTES COUNT PAUSE_S
python traffic.py echo PORT
python traffic.py ask ADDRESS PORT START SECONDS INTERVAL_S
python traffic.py blast ADDRESS PORT START SECONDS BITS_PER_S PAYLOAD
python traffic.py probe ADDRESS START COUNT INTERVAL_S PAYLOAD

START is a time of CLOCK_MONOTONIC. The results are lines of JSON.
"""

import contextlib
import json
import os
import selectors
import socket
import struct
import sys
import threading
import time

SEND_BUFFER = 16 << 20
SAMPLES = 0.1
SO_SNDBUFFORCE = 32
SO_TIMESTAMPNS = 35


def wait_until(when: float) -> None:
    """Sleeps until a time of CLOCK_MONOTONIC."""
    left = when - time.monotonic()
    if left > 0:
        time.sleep(left)


def tcp_info(connection: socket.socket) -> dict[str, int]:
    """The values of TCP_INFO (struct tcp_info of include/uapi/linux/tcp.h)."""
    raw = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    words = struct.unpack_from("24I", raw, 8)
    names = {"unacked": 4, "rtt_us": 15, "cwnd": 18, "retransmits": 23}
    info = {name: words[at] for name, at in names.items()}
    (info["bytes_acked"],) = struct.unpack_from("Q", raw, 120)
    return info


def open_connection(address: str, port: str, congestion: str) -> socket.socket:
    """A connection with this congestion control."""
    connection = socket.socket()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
    connection.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, SEND_BUFFER)
    connection.connect((address, int(port)))
    return connection


def sink(port: str) -> None:
    """Accepts connections and reads what they send."""
    listener = socket.create_server(("", int(port)), backlog=1000)
    ready = selectors.DefaultSelector()
    ready.register(listener, selectors.EVENT_READ)
    print("ready", flush=True)
    space = bytearray(1 << 18)
    while True:
        for key, _ in ready.select():
            if key.fileobj is listener:
                ready.register(listener.accept()[0], selectors.EVENT_READ)
                continue
            connection = key.fileobj
            assert isinstance(connection, socket.socket)
            try:
                more = connection.recv_into(space)
            except ConnectionError:
                more = 0
            if not more:
                ready.unregister(connection)
                connection.close()


def send(address: str, port: str, congestion: str, start: str, seconds: str) -> None:
    """Sends as fast as TCP allows, and prints samples of TCP_INFO."""
    wait_until(float(start))
    begin = time.monotonic()
    connection = open_connection(address, port, congestion)
    end = begin + float(seconds)
    samples: list[tuple[float, int, int, int]] = []

    def sample() -> None:
        while time.monotonic() < end:
            info = tcp_info(connection)
            now = time.monotonic() - begin
            samples.append((round(now, 6), info["bytes_acked"], info["retransmits"], info["cwnd"]))
            time.sleep(SAMPLES)

    sampler = threading.Thread(target=sample)
    sampler.start()
    block = bytes(1 << 16)
    connection.settimeout(0.2)
    while time.monotonic() < end:
        with contextlib.suppress(TimeoutError):
            connection.send(block)
    sampler.join()
    info = tcp_info(connection)
    samples.append((float(seconds), info["bytes_acked"], info["retransmits"], info["cwnd"]))
    print(json.dumps({"begin": begin, "samples": samples}), flush=True)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def answer(port: str) -> None:
    """Accepts one connection after the other, reads a length of 8 bytes and as many bytes, and
    answers with one byte."""
    listener = socket.create_server(("", int(port)))
    print("ready", flush=True)
    space = bytearray(1 << 18)
    while True:
        connection = listener.accept()[0]
        (left,) = struct.unpack("Q", connection.recv(8, socket.MSG_WAITALL))
        while left > 0:
            left -= connection.recv_into(space)
        connection.sendall(b"x")
        connection.close()


def fetch(address: str, port: str, congestion: str, start: str, size: str, count: str, pause: str) -> None:
    """Sends `size` bytes on a new connection and waits for the answer, `count` times. Prints how
    long each took, from the SYN to the answer."""
    times = []
    wait_until(float(start))
    for _ in range(int(count)):
        begin = time.monotonic()
        connection = open_connection(address, port, congestion)
        connection.sendall(struct.pack("Q", int(size) - 8) + bytes(int(size) - 8))
        connection.recv(1)
        times.append(time.monotonic() - begin)
        connection.close()
        time.sleep(float(pause))
    print(json.dumps({"seconds": times}), flush=True)


def echo(port: str) -> None:
    """Answers datagrams."""
    end = socket.socket(type=socket.SOCK_DGRAM)
    end.bind(("", int(port)))
    print("ready", flush=True)
    while True:
        data, peer = end.recvfrom(2048)
        if len(data) <= 64:
            end.sendto(data, peer)


def ask(address: str, port: str, start: str, seconds: str, interval: str) -> None:
    """Sends a datagram of 64 bytes every `interval` seconds. Prints the round trips."""
    end = socket.socket(type=socket.SOCK_DGRAM)
    end.connect((address, int(port)))
    end.setblocking(False)
    wait_until(float(start))
    begin = time.monotonic()
    sent: dict[int, float] = {}
    trips: list[float] = []

    def collect() -> None:
        while True:
            try:
                data = end.recv(64)
            except BlockingIOError:
                return
            trips.append(time.monotonic() - sent[struct.unpack_from("Q", data)[0]])

    number = 0
    while time.monotonic() < begin + float(seconds) + 1:
        if time.monotonic() < begin + float(seconds):
            sent[number] = time.monotonic()
            with contextlib.suppress(BlockingIOError):
                end.send(struct.pack("Q", number).ljust(64))
            number += 1
        until = time.monotonic() + float(interval)
        ready = selectors.DefaultSelector()
        ready.register(end, selectors.EVENT_READ)
        while (left := until - time.monotonic()) > 0:
            if ready.select(left):
                collect()
    print(json.dumps({"sent": number, "round_trips": trips}), flush=True)


def blast(address: str, port: str, start: str, seconds: str, rate: str, payload: str) -> None:
    """Sends datagrams at a constant rate, in bits of payload per second."""
    end = socket.socket(type=socket.SOCK_DGRAM)
    end.connect((address, int(port)))
    gap = int(payload) * 8 / float(rate)
    wait_until(float(start))
    begin = time.monotonic()
    count = int(float(seconds) / gap)
    data = bytes(int(payload))
    for number in range(count):
        wait_until(begin + number * gap)
        end.send(data)
    print(json.dumps({"sent": count}), flush=True)


def probe(address: str, start: str, count: str, interval: str, payload: str) -> None:
    """Sends ICMP echo requests and prints the round trips in ns, from the call that sends to the
    kernel's time of the answer: neither this process nor one at the other end is part of it."""
    end = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    end.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    end.setblocking(False)
    sent: dict[int, int] = {}
    trips: list[int] = []
    for number in range(int(count) + 100):
        wait_until(float(start) + number * float(interval))
        with contextlib.suppress(BlockingIOError):
            while True:
                data, extra, _, _ = end.recvmsg(2048, 256)
                request = sent.pop(struct.unpack_from("!H", data, 26)[0], None)
                if data[20] == 0 and request is not None:
                    seconds, rest = struct.unpack("qq", extra[0][2])
                    trips.append(seconds * 10**9 + rest - request)
        if number < int(count):
            fixed = struct.pack("!BBHHH", 8, 0, 0, 1, number & 0xFFFF)
            total = sum(struct.unpack("!4H", fixed))
            check = ~(total + (total >> 16)) & 0xFFFF
            packet = struct.pack("!BBHHH", 8, 0, check, 1, number & 0xFFFF) + bytes(int(payload))
            sent[number & 0xFFFF] = time.time_ns()
            end.sendto(packet, (address, 0))
    print(json.dumps(trips), flush=True)


if __name__ == "__main__":
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(20))
    except PermissionError:
        print("no real-time priority", file=sys.stderr)
    with contextlib.suppress(KeyboardInterrupt):
        globals()[sys.argv[1]](*sys.argv[2:])
