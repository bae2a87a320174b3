"""The type of service of generated traffic."""

import pytest

import weir
from weir.cli.shell.shell import Shell


@pytest.fixture
def net() -> weir.Network:
    """Two hosts with IPv4 and IPv6 on a link."""
    topo = weir.Topology()
    topo.add_host("h1", "10.0.0.1/24", ip6="2001:db8::1/64")
    topo.add_host("h2", "10.0.0.2/24", ip6="2001:db8::2/64")
    topo.add_link("h1", "h2", rate="10Mbit", delay="1ms")
    return weir.Network(topo)


def classes(net: weir.Network, end: str, measure) -> list[int]:
    """The types of service of the packets that a host sends during a measurement."""
    mac = bytes.fromhex(net.host(end).mac.replace(":", ""))
    seen, classes_seen = net.sniff(end), []
    measure(net.host("h1"))
    for frame in seen.stop():
        kind = int.from_bytes(frame.data[12:14], "big")
        if frame.data[6:12] != mac or kind not in (0x0800, 0x86DD):
            continue
        # Neighbour discovery is not part of the traffic.
        if kind == 0x86DD and frame.data[20] == 58 and frame.data[54] in (135, 136):
            continue
        word = int.from_bytes(frame.data[14:16], "big")
        classes_seen.append(frame.data[15] if kind == 0x0800 else word >> 4 & 0xFF)
    return classes_seen


KINDS = {
    "ping": lambda h1, **options: h1.ping("h2", count=2, **options),
    "traceroute": lambda h1, **options: h1.traceroute("h2", **options),
    "UDP": lambda h1, **options: h1.iperf("h2", udp=True, count=3, **options),
    "poisson": lambda h1, **options: h1.poisson("h2", "1Mbit", count=3, **options),
    "on_off": lambda h1, **options: h1.on_off("h2", "1Mbit", on="1s", off="1s", count=3, **options),
    "datagrams": lambda h1, **options: h1.requests("h2", count=2, udp=True, **options),
    "TCP": lambda h1, **options: h1.iperf("h2", size="20kB", **options),
    "requests": lambda h1, **options: h1.requests("h2", count=2, **options),
    "transfers": lambda h1, **options: h1.transfers("h2", count=2, **options),
}


@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_traffic(net: weir.Network, kind: str, family: int):
    sent = classes(net, "h1", lambda h1: KINDS[kind](h1, family=family, tos=184))
    assert sent and set(sent) == {184}
    plain = classes(net, "h1", lambda h1: KINDS[kind](h1, family=family))
    assert plain and set(plain) == {0}


@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.parametrize("kind", ["ping", "datagrams"])
def test_answers_have_the_class_of_the_request(net: weir.Network, kind: str, family: int):
    assert set(classes(net, "h2", lambda h1: KINDS[kind](h1, family=family, tos=184))) == {184}


@pytest.mark.parametrize("kind", ["TCP", "requests", "transfers"])
def test_a_server_answers_in_the_class_of_the_client(net: weir.Network, kind: str):
    """All packets except the SYN-ACK have the class: the server learns it with the connection."""
    answers = classes(net, "h2", lambda h1: KINDS[kind](h1, tos=184))
    syn_acks = {"TCP": 1, "requests": 1, "transfers": 2}[kind]
    assert sorted(set(answers)) == [0, 184] and answers.count(0) == syn_acks


@pytest.mark.parametrize("udp", [False, True])
def test_reverse_flows(net: weir.Network, udp: bool):
    size = {"count": 3} if udp else {"size": "20kB"}
    sent = classes(net, "h2", lambda h1: h1.iperf("h2", udp=udp, reverse=True, tos=72, **size))
    assert sent.count(72) >= 3 and set(sent) <= {0, 72} and sent.count(0) <= (0 if udp else 1)


def test_ecn_is_left_to_tcp(net: weir.Network):
    """Data is ECN-capable, whatever the two low bits of ``tos`` say; acknowledgements are not."""
    sent = classes(net, "h1", lambda h1: h1.iperf("h2", size="20kB", ecn=True, tos=0xB9))
    assert set(sent) == {0xB8, 0xBA} and sent[0] == 0xB8
    without = classes(net, "h1", lambda h1: h1.iperf("h2", size="20kB", ecn=False, tos=0xBB))
    assert set(without) == {0xB8}


def test_ecn_of_datagrams_and_pings_is_as_given(net: weir.Network):
    assert set(classes(net, "h1", lambda h1: h1.ping("h2", count=1, tos=0x03))) == {3}
    assert set(classes(net, "h1", lambda h1: h1.iperf("h2", udp=True, count=1, tos=0xB9))) == {0xB9}
    # A reply has the DSCP, not the congestion, of its request.
    assert set(classes(net, "h2", lambda h1: h1.ping("h2", count=1, tos=0xBB))) == {0xB8}


def test_fragments_have_the_type_of_service(net: weir.Network):
    sent = classes(net, "h1", lambda h1: h1.ping("h2", count=1, size=4000, tos=32))
    assert sent == [32, 32, 32]


@pytest.mark.parametrize(
    ("line", "tos"),
    [
        ("ping -Q 184 -c 1 h2", 184),
        ("ping -Q 0xb8 -c 1 h2", 184),
        ("traceroute -t 16 h2", 16),
        ("iperf -S 184 -u -t 1 h2", 184),
        ("iperf --tos 0x10 -u -t 1 h2", 16),
        ("iperf --dscp ef -u -t 1 h2", 184),
        ("iperf --dscp AF21 -u -t 1 h2", 72),
        ("iperf --dscp 8 -n 10k h2", 32),
        ("iperf3 --dscp cs7 -u -t 1 h2", 224),
    ],
)
def test_commands(net: weir.Network, line: str, tos: int):
    sent = classes(net, "h1", lambda _: Shell(net).run(f"h1 {line}"))
    assert set(sent) == {tos}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "ping -Q 256 h2",
            'ping: -Q takes a type of service from 0 to 255, such as 184 or 0xb8, found "256"',
        ),
        (
            "ping -Q high h2",
            'ping: -Q takes a type of service from 0 to 255, such as 184 or 0xb8, found "high"',
        ),
        ("ping -Q -1 h2", 'ping: -Q takes a type of service from 0 to 255, such as 184 or 0xb8, found "-1"'),
        ("iperf -S 1000 h2", "iperf: -S takes a type of service from 0 to 255"),
        ("iperf --dscp 64 h2", 'iperf: --dscp takes a number from 0 to 63 or a name such as ef, found "64"'),
        ("iperf --dscp af51 h2", 'found "af51"; did you mean "af'),
        ("iperf --dscp ef -S 8 h2", "iperf: -S, --tos and --dscp set the same field: expected one of them"),
    ],
)
def test_mistakes(net: weir.Network, capsys, line: str, message: str):
    assert not Shell(net).run(f"h1 {line}")
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_out_of_range(net: weir.Network, kind: str):
    with pytest.raises(weir.NetworkError, match="tos: 256 is out of range: expected 0 to 255"):
        KINDS[kind](net.host("h1"), tos=256)
