"""Tests several workers between interfaces: fragments, the computer's own frames, metrics."""

import struct
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from real_network import Raw, ethernet, eventually, ip, metric, switch, wires

HERE = Path(__file__).parent
PROGRAM = str(HERE / "queues.p4")
"""A program that connects ports 1 and 2."""


def fragments(number: int) -> list[bytes]:
    """A datagram in three fragments."""
    made = []
    for place in range(3):
        more = 0x2000 if place < 2 else 0
        header = struct.pack(
            "!BBHHHBBH4s4s", 0x45, 0, 220, number, more | place * 25, 64, 17, 0,
            bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2 + number % 16]),
        )  # fmt: skip
        made.append(ethernet(2, 0x0800, header + bytes([place + number]) * 200))
    return made


def counts(**labels: str) -> dict[str, float]:
    """The counts of port 1 or 2."""
    with urllib.request.urlopen("http://127.0.0.1:9100/metrics", timeout=20) as answer:
        text = answer.read().decode()
    names = ("received_packets", "received_bytes", "sent_packets", "sent_bytes")
    return {name: metric(text, f"weir_port_{name}_total", **labels) for name in names}


def cross(kind: str, workers: int) -> None:
    """Sends frames of all kinds through a switch."""
    ports = ["-i", f"1@s1-eth1,kind={kind}", "-i", f"2@s1-eth2,kind={kind}"]
    with switch(PROGRAM, *ports, "--workers", str(workers), "--metrics", "127.0.0.1:9100") as service:
        one, two = Raw("h1"), Raw("h2")
        flows = [fragments(number) for number in range(64)]
        # The second half comes backwards, and then some without the last.
        flows[32:] = [flow[::-1] for flow in flows[32:]]
        flows[48:] = [flow[1:] for flow in flows[48:]]
        sent = [frame for flow in flows for frame in flow]
        for frame in sent:
            one.send(frame)
        arrived = [two.receive() for _ in sent]
        assert sorted(arrived) == sorted(sent), f"{kind}, {workers}: fragments are changed or lost"
        # Packets to one address arrive in order.
        for address in range(16):
            mine = [[frame for frame in some if frame[33] == 2 + address] for some in (sent, arrived)]
            assert mine[0] == mine[1], f"{kind}, {workers}: fragments overtake others"
        before = counts(port="1"), counts(port="2")
        assert before[0]["received_packets"] == before[1]["sent_packets"] == len(sent)
        assert before[0]["received_bytes"] == before[1]["sent_bytes"] == sum(map(len, sent))

        # The computer's own frames are not frames of the wire, and must not loop.
        own = [ethernet(2, 0x0800, bytes([number]) * 80) for number in range(100)]
        outside = Raw("s1-eth1")
        for frame in own:
            outside.send(frame)
        assert [one.receive() for _ in own] == own
        assert two.is_quiet(0.3)
        after = counts(port="1"), counts(port="2")
        assert before == after, f"{kind}, {workers}: {before} {after}"

        # Frames that are dropped at the output have not been sent.
        ip("link set s1-eth2 down")
        service.wait_for("the link of a port is")
        for frame in own:
            one.send(frame)
        eventually(lambda: counts(port="1")["received_packets"] == len(sent) + len(own))
        time.sleep(0.1)
        assert counts(port="2") == after[1], f"{kind}, {workers}"
        ip("link set s1-eth2 up")
        service.wait_for("the link of a port is")
        service.stop()


def two_containers() -> None:
    """Tests two switches that are process 1 of their PID namespaces and share a network
    namespace."""
    ip("link add h3 type veth peer name s1-eth3", "link set h3 up", "link set s1-eth3 up")
    ip("link add h4 type veth peer name s1-eth4", "link set h4 up", "link set s1-eth4 up")
    pairs = ("s1-eth1", "s1-eth2"), ("s1-eth3", "s1-eth4")
    running = []
    for pair in pairs:
        command = [
            "unshare",
            "--pid",
            "--fork",
            "--kill-child",
            sys.executable,
            "-m",
            "weir",
            "switch",
            PROGRAM,
        ]
        command += [
            "--workers",
            "2",
            *(word for at, name in enumerate(pair) for word in ("-i", f"{at + 1}@{name}")),
        ]
        running.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
    try:
        for process in running:
            lines = []
            while "ready" not in (line := process.stderr.readline()):
                lines.append(line)
                assert line, lines
        frame = ethernet(2, 0x0800, bytes(60))
        for here, there in ((1, 2), (3, 4)):
            far = Raw(f"h{there}")
            Raw(f"h{here}").send(frame)
            assert far.receive() == frame
    finally:
        for process in running:
            process.kill()
            process.communicate()


wires(2)
if len(sys.argv) > 1:
    cross(sys.argv[1], int(sys.argv[2]))
else:
    two_containers()
print("done")
