"""Hosts' protocols from Python: TCP over a router, IPv6, what tshark says of it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import weir
from weir.errors import NetworkError

NET = Path(__file__).parent / "net"


def tshark(file: Path, filter: str, *fields: str) -> list[list[str]]:
    """What tshark shows of the frames that a filter lets through; checksums are looked at."""
    if shutil.which("tshark") is None:
        assert not os.environ.get("WEIR_REQUIRE_TSHARK"), "tshark is required and not there"
        pytest.skip("tshark is not there")
    command = ["tshark", "-r", str(file), "-Y", filter, "-T", "fields"]
    for option in ("ip.check_checksum", "tcp.check_checksum", "udp.check_checksum"):
        command += ["-o", f"{option}:TRUE"]
    for field in fields or ("frame.number",):
        command += ["-e", field]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in shown.splitlines()]


BAD = "_ws.malformed || ip.checksum.status == 0 || tcp.checksum.status == 0 || icmp.checksum.status == 0 || icmpv6.checksum.status == 0"


def test_a_clean_transfer_is_clean_to_tshark(router: weir.Program, tmp_path: Path):
    with weir.Network.load(NET / "topology.json", router, pcap=tmp_path) as network:
        result = network.host("h1").iperf("h2", size="1MB", window="64kB")
    assert result.bytes == 1_000_000
    for file in tmp_path.iterdir():
        assert tshark(file, BAD) == []
        assert tshark(file, "tcp.analysis.flags") == []
        assert len(tshark(file, "tcp")) > 1_000_000 / 1448


def test_tshark_sees_the_one_loss_and_its_repair(router: weir.Program, tmp_path: Path):
    with weir.Network.load(NET / "topology.json", router, pcap=tmp_path) as network:
        # The hundredth frame towards h2 does not arrive.
        network.link("s1", "h2").loss = weir.impairments.Frames([100])
        result = network.host("h1").iperf("h2", size="1MB")
    assert result.bytes == 1_000_000
    sender = next(tmp_path.glob("h1_*"))
    assert tshark(sender, BAD) == []
    assert len(tshark(sender, "tcp.analysis.fast_retransmission || tcp.analysis.retransmission")) == 1
    # Nothing but duplicate acknowledgements and the repair.
    assert (
        tshark(sender, "tcp.analysis.flags && !tcp.analysis.duplicate_ack && !tcp.analysis.retransmission")
        == []
    )


def pair(**options) -> weir.Network:
    """Two hosts on one link, with addresses of both families."""
    topology = weir.Topology()
    for n in (1, 2):
        topology.add_host(f"h{n}", f"10.0.0.{n}/24", ip6=f"2001:db8::{n}/64")
    topology.add_link("h1", "h2", rate="10Mbit", delay="1ms")
    return weir.Network(topology, **options)


def test_ipv6_from_python(tmp_path: Path):
    with pair(pcap=tmp_path) as network:
        h1 = network.host("h1")
        assert h1.ping("2001:db8::2", count=3, size=4000).received == 3
        assert h1.ping("fe80::a00:ff:fe00:2", count=1).received == 1
        assert h1.iperf("2001:db8::2", size="100kB").bytes == 100_000
        assert h1.iperf("2001:db8::2", udp=True, count=10, length="3000B", interval=None).bytes == 30_000
        reply = h1.ping("2001:db8::77", count=1).replies[0]
        assert reply.error == "destination address unreachable, says 2001:db8::1"
        with pytest.raises(NetworkError, match='"2001:db8::x" is no IPv6 address \\('):
            h1.ping("2001:db8::x")
    file = next(tmp_path.iterdir())
    assert tshark(file, BAD) == []
    assert tshark(file, "tcp.analysis.flags") == []
    # One solicitation and advertisement each way at first, three times a host that is not there.
    assert len(tshark(file, "ipv6.dst == ff02::1:ff00:77")) == 3
    assert len(tshark(file, "icmpv6.type == 129 && !ipv6.dst == fe80::/10")) == 3
    # 4008 bytes in three fragments there and back, 3008 of UDP in three.
    assert len(tshark(file, "ipv6.fraghdr")) == 3 * 2 * 3 + 10 * 3


def test_options_of_ip_reach_the_other_host(tmp_path: Path):
    with pair(pcap=tmp_path) as network:
        network.host("h1").iperf("h2", size="10kB", ip_options=bytes([0x5E, 4, 1, 2]))
    file = next(tmp_path.iterdir())
    assert tshark(file, BAD) == []
    assert tshark(file, "ip.hdr_len > 20", "tcp.flags.str") == [["··········S·"]]


def test_processing_may_vary():
    def rtts(jitter: str | None) -> list[int | None]:
        topology = weir.Topology()
        topology.add_host("h1", "10.0.0.1/24")
        topology.add_host("h2", "10.0.0.2/24", processing="10us", processing_jitter=jitter)
        topology.add_link("h1", "h2")
        with weir.Network(topology) as network:
            replies = network.host("h1").ping("h2", count=20, interval="1ms").replies
            return [reply.rtt_ns for reply in replies][1:]

    assert set(rtts(None)) == {10_000}
    noisy = rtts("5us")
    assert len(set(noisy)) > 10
    assert all(rtt is not None and 10_000 <= rtt <= 15_000 for rtt in noisy)
