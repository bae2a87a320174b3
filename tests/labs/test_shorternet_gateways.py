"""The gateways of the lab shorternet: hand-made frames, a million packets, hosts of both kinds."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import polars as pl
import pytest
from handmade import internet_checksum

import weir
from weir.text.measured import grouped
from weir_labs.shorternet import gateways as lab_gateways
from weir_labs.shorternet.gateways import gateways
from weir_labs.shorternet.hybrid_network import (
    FOLDER,
    REASONS,
    entries,
    hybrid_network,
    hybrid_topology,
    refusals,
)
from weir_labs.shorternet.node import Node


def carried(source: str, target: str, *frames: bytes) -> tuple[list[bytes], dict[str, int]]:
    """The frames that arrive at a host if another host sends frames, and the refused frames."""
    with hybrid_network() as net:
        seen = net.host(target).sniff()
        for frame in frames:
            net.host(source).send(frame)
        net.run_for("10ms")
        found = [frame.data for frame in seen.frames if not frame.outbound]
        return found, {name: count for name, count in refusals(net).items() if count}


def test_a_worked_example() -> None:
    """h1 sends "weir" from port 4000 to port 5000 of n4, and n4 sends the same to h1.

    Over IPv4 the addresses 10.0.1.1 and 10.0.4.1 add 0a00 + 0101 + 0a00 + 0401 = 1902 to the sum of
    the UDP checksum; in Shorternet the numbers add 0401. The rest, 11 + c + fa0 + 1388 + c + 7765 +
    6972, is 10428, with its carry 0429. So the checksums are ~1d2b and ~082a. Back, the numbers
    add 0104: ~052d.
    """
    data = "0fa0 1388 000c {} 77656972"
    there = bytes.fromhex(
        "080000010101 080000000101 0800 4500 0020 abcd 4000 40 11 75fe 0a000101 0a000401"
        + data.format("e2d4")
    )
    assert internet_checksum(there[14:34]) == 0
    # The packet passed three switches; the padding of the frame is removed.
    inside = bytes.fromhex("04 01 11 3d" + data.format("f7d5"))
    assert carried("h1", "n4", there, there + bytes(14)) == ([inside, inside], {})
    back = bytes.fromhex("01 04 11 40" + data.format("fad2"))
    (frame,), refused = carried("n4", "h1", back)
    # No program listens at h1, so its stack answers with an ICMP error.
    assert refused == {"g1.icmp_error": 1} and frame == bytes.fromhex(
        "080000000101 080000010101 0800 4500 0020 0000 4000 3d 11 24cc 0a000401 0a000101"
        + data.format("e2d4")
    )


def shorternet(data: bytes, *, source: int = 4, target: int = 1, protocol: int = 17) -> bytes:
    return bytes([target, source, protocol, 64]) + data


def test_damaged_datagrams_stay_damaged() -> None:
    good = bytes.fromhex("0fa0 1388 000c fad2 77656972")
    damaged = [bytearray(good) for _ in range(32)]
    for bit, bad in enumerate(damaged):
        bad[8 + bit // 8] ^= 0x80 >> bit % 8
    frames, refused = carried("n4", "h1", shorternet(good), *(shorternet(bytes(bad)) for bad in damaged))
    # h1 answers the first one, to a port without a program, and discards the others.
    assert refused == {"g1.icmp_error": 1}
    assert [frame[42:] for frame in frames[1:]] == [bad[8:] for bad in damaged]
    sums = [internet_checksum(frame[26:34] + struct.pack("!HH", 17, 12) + frame[34:]) for frame in frames]
    assert sums[0] == 0 and 0 not in sums[1:]


def test_checksums_at_the_edge() -> None:
    """A missing checksum stays missing, and a computed checksum of 0 is written as ffff."""
    none = bytes.fromhex("0fa0 1388 000a 0000 0000")
    assert carried("n4", "h1", shorternet(none))[0][0][34:] == none
    # In IPv4 the words but the last are 1902 + 11 + a + fa0 + 1388 + a: 3c4f. So c3b0 makes ffff.
    rest = bytes.fromhex("0fa0 1388 000a")
    inside = internet_checksum(bytes.fromhex("0104 0011 000a") + rest + b"\xc3\xb0")
    (frame,), _ = carried("n4", "h1", shorternet(rest + inside.to_bytes(2, "big") + b"\xc3\xb0"))
    assert frame[40:42] == b"\xff\xff"


def test_every_packet_is_right_or_refused(request: pytest.FixtureRequest) -> None:
    results: Path = request.getfixturevalue("shorternet")
    runs = pl.read_parquet(results / "gateways" / "runs.parquet")
    reasons = pl.read_parquet(results / "gateways" / "frames" / "reasons.parquet")
    assert set(runs["way"]) == {"to-shorternet", "to-ethernet", "across", "back"}
    assert (runs["right"] + runs["refused"] == runs["packets"]).all() and runs["right"].min() > 0
    assert runs["wrong"].sum() == runs["unexplained"].sum() == runs["miscounted"].sum() == 0
    assert reasons["expected"].to_list() == reasons["counted"].to_list()
    seen = {name.split(".")[1] for name in reasons["reason"]}
    assert seen == set(REASONS) and "s1.expired" in set(reasons["reason"])
    page = (results / "report.html").read_text()
    assert f"{grouped(str(runs['right'].sum()))} arrive as they should, byte for byte" in page


def test_a_wrong_translation_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*args: object, **options: object) -> weir.Network:
        net = hybrid_network(*args, **options)  # type: ignore[arg-type]
        numbers = net.switch("g2").table("sender_numbers")
        numbers.modify({"hdr.shorternet.src": 1}, "sender_address", {"address": "10.0.1.2"})
        return net

    monkeypatch.setattr(lab_gateways, "hybrid_network", wrong)
    result = gateways.function("across", 300, seed=1)
    assert result["right"] == 0 and result["wrong"] > 200 and result["miscounted"] == 0


def test_hosts_of_both_kinds_talk(request: pytest.FixtureRequest) -> None:
    results: Path = request.getfixturevalue("shorternet")
    pings = pl.read_parquet(results / "hybrid" / "frames" / "round_trips.parquet")
    assert pings.height == 7 and pings["received"].to_list() == pings["sent"].to_list()
    assert pings["rtt_ms"].to_list() == pytest.approx(pings["predicted_ms"].to_list(), rel=1e-6)
    (run,) = pl.read_parquet(results / "hybrid" / "runs.parquet").to_dicts()
    assert run["to_ordinary"] == 2 * run["datagrams"] and run["to_node"] == run["datagrams"]
    assert run["across_lost"] == run["damaged"] == run["refused"] == 0
    # Of 1514 bytes on the edge's links, 1448 are data.
    assert run["tcp_mbps"] == pytest.approx(100 * 1448 / 1514, rel=0.01)


def test_an_icmp_error_is_refused() -> None:
    """The error quotes the IPv4 header of a packet that a Shorternet host never sent."""
    with hybrid_network() as net:
        node = net.host("n3").run(Node(), frames=True)
        node.send_datagram(1, 9, b"nobody listens")
        net.run_for("10ms")
        assert refusals(net)["g1.icmp_error"] == 1 and node.refused == 0


def test_the_files_are_the_network() -> None:
    files, built = weir.Topology.load(FOLDER / "topology.json"), hybrid_topology()
    assert {name: (host.ip, host.mac, host.arp) for name, host in files.hosts.items()} == {
        name: (host.ip, host.mac, host.arp) for name, host in built.hosts.items()
    }
    assert [(f"{link}", link.rate_bps) for link in files.links] == [
        (f"{link}", link.rate_bps) for link in built.links
    ]
    for switch in ("g1", "s1", "g2"):
        assert json.loads((FOLDER / f"{switch}-runtime.json").read_text()) == entries(switch)
    with weir.Network.load(FOLDER / "topology.json") as net:
        assert net.host("h5").ping("10.0.3.1", count=2).received == 2
