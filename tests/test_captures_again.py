"""``weir trace`` and ``host.replay`` read captures alike."""

import struct
from pathlib import Path

import pytest

import weir
from command import NET, weir as weir_command


def pcap(file: Path, packets: list[tuple[int, int]], link_type: int = 1) -> Path:
    """A capture of packets of 60 bytes, each given as its time in seconds and its length on the
    wire."""
    data = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)
    for seconds, length in packets:
        data += struct.pack("<IIII", seconds, 0, 60, length) + bytes(60)
    file.write_bytes(data)
    return file


@pytest.mark.parametrize(
    ("packets", "link_type", "reason"),
    [
        ([(1, 60), (1, 1500)], 1, "packet 1 was captured with 60 of its 1500 bytes"),
        ([(1, 60)], 113, "packet 0 has link type 113, expected 1 (Ethernet)"),
        ([(9, 60), (5, 60)], 1, "packet 1 is 4000000000 ns earlier than the packet before it"),
    ],
)
def test_bad_captures_are_not_sent_again(
    tmp_path: Path, network: weir.Network, packets: list[tuple[int, int]], link_type: int, reason: str
):
    file = pcap(tmp_path / "a.pcap", packets, link_type)
    code, out, err = weir_command("trace", NET / "router.p4", "--packet", file, "--port", "1")
    assert (code, out) == (1, "") and err.startswith(f"error: {file}: {reason}")
    with pytest.raises(weir.FileError) as caught:
        network.host("h1").replay(file)
    assert str(caught.value).startswith(f"{file}: {reason}")


def test_good_captures_are_sent_again(tmp_path: Path, network: weir.Network):
    file = pcap(tmp_path / "a.pcap", [(5, 60), (5, 60)])
    assert weir_command("trace", NET / "router.p4", "--packet", file, "--port", "1")[0] == 0
    assert network.host("h1").replay(file) == 2
