"""Hosts' protocols from Python: TCP over a router, IPv6, and tshark's analysis."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import weir
from needed import need
from weir.errors import NetworkError

NET = Path(__file__).parent / "net"


def tshark(file: Path, filter: str, *fields: str) -> list[list[str]]:
    """The fields that tshark shows of the frames that match a filter; it checks checksums."""
    need("tshark", required="WEIR_REQUIRE_TSHARK")
    command = ["tshark", "-r", str(file), "-Y", filter, "-T", "fields"]
    for option in ("ip.check_checksum", "tcp.check_checksum", "udp.check_checksum"):
        command += ["-o", f"{option}:TRUE"]
    for field in fields or ("frame.number",):
        command += ["-e", field]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in text.splitlines()]


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
        with pytest.raises(NetworkError, match='"2001:db8::x" is not an IPv6 address \\('):
            h1.ping("2001:db8::x")
    file = next(tmp_path.iterdir())
    assert tshark(file, BAD) == []
    assert tshark(file, "tcp.analysis.flags") == []
    # At first one solicitation and one advertisement each way; three solicitations for a missing
    # host.
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
        topology.add_link("h1", "h2", rate="unlimited")
        with weir.Network(topology) as network:
            replies = network.host("h1").ping("h2", count=20, interval="1ms").replies
            return [reply.rtt_ns for reply in replies][1:]

    assert set(rtts(None)) == {10_000}
    noisy = rtts("5us")
    assert len(set(noisy)) > 10
    assert all(rtt is not None and 10_000 <= rtt <= 15_000 for rtt in noisy)


# Tshark reports the repair of losses, and nothing else.
REPAIR = {
    "Duplicate ACK",
    "D-SACK Sequence",
    "Previous segment(s) not captured (common at capture start)",
    "This frame is a (suspected) fast retransmission",
    "This frame is a (suspected) out-of-order segment",
    "This frame is a (suspected) retransmission",
    "This frame is a (suspected) spurious retransmission",
}
USUAL = {
    "Connection establish request (SYN): server port 5201",
    "Connection establish acknowledge (SYN+ACK): server port 5201",
    "Connection finish (FIN)",
    "This frame initiates the connection closing",
    "This frame undergoes the connection closing",
}


def remarks(file: Path) -> set[str]:
    """All remarks of tshark about a capture, without numbers."""
    rows = tshark(file, "tcp", "_ws.expert.message")
    return {message.split(" (#")[0] for [row] in rows for message in row.split(",") if message}


def test_tshark_sees_losses_and_reordering(router: weir.Program, tmp_path: Path):
    with weir.Network.load(NET / "topology.json", router, pcap=tmp_path) as network:
        link = network.link("s1", "h2")
        link.loss, link.reorder = "1%", ("2%", "5ms")
        [stream] = network.host("h1").iperf("h2", size="3MB", congestion="reno").streams
    assert (stream.bytes, stream.timeouts) == (3_000_000, 0)
    assert stream.retransmits > 20
    for file in tmp_path.iterdir():
        assert tshark(file, BAD) == []
        remarks_of_tshark = remarks(file)
        assert remarks_of_tshark <= REPAIR | USUAL
        assert remarks_of_tshark >= USUAL | {
            "Duplicate ACK",
            "D-SACK Sequence",
            "This frame is a (suspected) fast retransmission",
        }
        # Windows are scaled: a buffer of 6 MiB needs 7 bits.
        assert tshark(file, "tcp.flags.syn == 1", "tcp.options.wscale.shift") == [["7"], ["7"]]
        assert max(int(window) for [window] in tshark(file, "tcp", "tcp.window_size")) == 6 << 20


def test_marks_replace_losses_and_are_answered(tmp_path: Path):
    with weir.Network.load(NET / "topology.json", NET / "marking.p4", pcap=tmp_path) as network:
        network.switch("s1").set_queue_rate("10Mbit", 2)
        result = network.host("h1").iperf("h2", size="3MB", congestion="reno", ecn=True)
    assert (result.bytes, result.streams[0].retransmits) == (3_000_000, 0)
    assert result.goodput_mbps > 9.3
    sender, receiver = (next(tmp_path.glob(f"{host}_*")) for host in ("h1", "h2"))
    for file in (sender, receiver):
        assert tshark(file, BAD) == []
        assert remarks(file) == USUAL
        flags = tshark(file, "tcp.flags.syn == 1", "tcp.flags.cwr", "tcp.flags.ece")
        assert [["1" if flag in ("1", "True") else "0" for flag in row] for row in flags] == [
            ["1", "1"],
            ["0", "1"],
        ]
        # A sender that receives a congestion signal reports once per round trip that it has slowed
        # down.
        assert len(tshark(file, "tcp.flags.ece == 1 && tcp.flags.syn == 0")) > 50
        assert 3 <= len(tshark(file, "tcp.flags.cwr == 1 && tcp.flags.syn == 0")) <= 20
    # Data leaves as ECN-capable, acknowledgements do not (RFC 3168); some of it arrives marked.
    assert tshark(sender, "ip.dsfield.ecn == 3") == []
    assert len(tshark(sender, "ip.dsfield.ecn == 2")) == len(tshark(sender, "tcp.len > 0"))
    assert len(tshark(receiver, "ip.dsfield.ecn == 3")) > 50


def test_tcp_as_the_rfcs_have_it():
    def last_lost(profile: str | None):
        with weir.Network.load(NET / "topology.json", NET / "router.p4") as network:
            if profile is not None:
                network.host("h1").cmd(f"sysctl -w weir.tcp_profile={profile}")
            # The SYN is the first, the fifth of five segments the sixth.
            network.link("s1", "h2").loss = weir.impairments.Frames([6])
            [stream] = network.host("h1").iperf("h2", size="7240B").streams
            return stream

    # A probe finds the loss of the last segment after two round trips, or the time-out after a
    # second.
    for profile in (None, "linux"):
        stream = last_lost(profile)
        assert (stream.timeouts, stream.retransmits) == (0, 1)
        assert stream.end_ns < 0.2e9
    stream = last_lost("rfc")
    assert (stream.timeouts, stream.retransmits) == (1, 1)
    assert stream.end_ns > 1e9
    with pytest.raises(NetworkError, match="expected linux or rfc"):
        last_lost("bsd")


@pytest.mark.parametrize("command", ["ip link set lo down", "ip link set dev lo mtu 65536", "ifconfig lo up"])
def test_loopback_settings_are_separate(network: weir.Network, command: str):
    h1 = network.host("h1")
    before = h1.cmd("ip addr")
    if "65536" in command:
        with pytest.raises(weir.NetworkError, match="is not an MTU"):
            h1.cmd(command)
    else:
        assert h1.cmd(command) == ""
    assert h1.cmd("ip addr") == before
    assert network.link("h1", "s1").up


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("ifconfig eth0 txqueuelen 100", "with tc qdisc add dev eth0 root pfifo limit PACKETS"),
        ("ip link set dev eth0 txqueuelen 100", "with tc qdisc add dev eth0 root pfifo limit PACKETS"),
        ("sysctl -w net.ipv4.conf.all.forwarding=1", "hosts do not forward"),
        ("sysctl -w net.ipv6.conf.eth0.forwarding=1", "hosts do not forward"),
        ("sysctl -w net.ipv6.conf.all.disable_ipv6=1", "for a host with IPv6 addresses"),
    ],
)
def test_effective_settings_are_refused(network: weir.Network, command: str, message: str):
    h1 = network.host("h1")
    h1.cmd("sysctl -w net.ipv6.conf.all.disable_ipv6=1")
    h1.cmd("ip addr add fd00::1/64 dev eth0")
    with pytest.raises(weir.NetworkError, match=message):
        h1.cmd(command)
