"""Files that are not captures, read and replayed."""

from __future__ import annotations

import functools
import random
import struct
from pathlib import Path

import weir
from torture.case import Case
from torture.networks.bounds import run_and_audit
from torture.packet_bytes import packet
from torture.switch import ROOT, check_message
from weir import _core
from weir.errors import WeirError

_NET = ROOT / "tests" / "net"


def captures(chance: random.Random) -> Case:
    """A pcap or pcapng file with damage."""
    packets = [packet(chance) for _ in range(chance.randrange(5))]
    if chance.random() < 0.5:
        content = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 1)
        content += b"".join(struct.pack("<IIII", n, n, len(p), len(p)) + p for n, p in enumerate(packets))
    else:
        content = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
        content += struct.pack("<IIHHII", 1, 20, 1, 0, 0, 20)
        for octets in packets:
            padded = octets + bytes(-len(octets) % 4)
            size = 32 + len(padded)
            content += struct.pack("<IIIIIII", 6, size, 0, 0, 0, len(octets), len(octets)) + padded
            content += struct.pack("<I", size)
    for _ in range(chance.choice([0, 1, 1, 3])):
        place = chance.randrange(len(content))
        new = chance.choice([chance.randbytes(1), b"\xff\xff\xff\xff", bytes(4), chance.randbytes(30)])
        content = content[:place] + new + content[place + len(new) :]
    if chance.random() < 0.3:
        content = content[: chance.randrange(len(content))]

    speed = chance.choice([1.0, 1e-9, 1e300, 5e-324])

    def run(folder: Path) -> str:
        (folder / "a.pcap").write_bytes(content)
        try:
            _core.read_capture("a.pcap", 1000)
        except WeirError as error:
            check_message(error)
            return "refused"
        return _replay(speed)

    return Case("captures", run, {"a.pcap": content})


@functools.cache
def _router() -> weir.Program:
    return weir.compile(_NET / "router.p4")


def _replay(speed: float) -> str:
    """Sends the packets from a host."""
    with weir.Network.load(_NET / "topology.json", _router()) as network:
        try:
            network.host("h1").start_replay("a.pcap", speed=speed)
        except WeirError as error:
            check_message(error)
            return "read"
        run_and_audit(network, "1s", "100h")
    return "replayed"
