"""The switch of the lab firewall: hand-made frames, refused for the right reason or forwarded."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator

import pytest
from handmade import Listener, internet_checksum

import weir
from weir_labs.firewall.network import MEMBERS, NEIGHBOURS, SWITCHES, identities, network, refusals
from weir_labs.firewall.policy import OPEN, PolicyRule, load
from weir_labs.firewall.rules import Writer, required_rules


@pytest.fixture
def net() -> Iterator[weir.Network]:
    """A network in which h1, h2, h3 and the new host h4 are admitted, and everything is
    permitted."""
    with network() as net:
        admit(net, OPEN)
        yield net


def admit(net: weir.Network, policy: tuple[PolicyRule, ...]) -> None:
    known = identities(1)
    members = {one.name: (known[one.name], (one.switch, one.port), one.name == "h4") for one in MEMBERS}
    for switch, rules in required_rules(members, NEIGHBOURS).items():
        load(net.switch(switch), policy)
        for rule in rules.values():
            for write in Writer(net, net.switch(switch), 0).admission_writes(rule, None):
                write()


def frame(
    source: int,
    target: int,
    data: bytes = bytes.fromhex("0fa0 1388 000c 0000") + b"weir",
    protocol: int = 17,
    *,
    first: int = 0x45,
    length: int | None = None,
    fragment: int = 0x4000,
    ttl: int = 64,
    checksum: int | None = None,
    mac: int | None = None,
    address: int | None = None,
    ether_type: int = 0x0800,
) -> bytes:
    """A frame from a host to another host, made byte by byte."""
    ethernet = bytes([8, 0, 0, 0, 0, target, 8, 0, 0, 0, 0, source if mac is None else mac])
    own = source if address is None else address
    header = struct.pack(
        "!BBHHHBBH", first, 0, 20 + len(data) if length is None else length, 7, fragment, ttl, protocol, 0
    )
    header += bytes([10, 0, 0, own, 10, 0, 0, target])
    header_checksum = internet_checksum(header) if checksum is None else checksum
    return (
        ethernet
        + ether_type.to_bytes(2, "big")
        + header[:10]
        + struct.pack("!H", header_checksum)
        + header[12:]
        + data
    )


def tcp(port: int, flags: int, offset: int = 5) -> bytes:
    return struct.pack("!HHIIBBHHH", 4000, port, 0, 0, offset << 4, flags, 100, 0, 0)


def outcome(net: weir.Network, host: str, target: str, *frames: bytes) -> tuple[list[bytes], dict[str, int]]:
    """The frames that arrive at a host, and the reasons why others were refused."""
    before = refusals(net)
    seen = net.sniff(target)
    for one in frames:
        net.host(host).send(one)
    net.run_for("1ms")
    arrived = [one.data for one in seen.stop() if not one.outbound]
    return arrived, {
        name: count - before[name] for name, count in refusals(net).items() if count != before[name]
    }


def test_a_worked_example(net: weir.Network) -> None:
    """h1 sends "weir" to h3 over three switches: TTL 64 becomes 61, the checksum rises by 0x300."""
    sent = bytes.fromhex(
        "080000000003 080000000001 0800 4500 0020 0007 4000 4011 26c3 0a000001 0a000003 0fa0 1388 000c 0000 77656972"
    )
    assert internet_checksum(sent[14:34]) == 0 and frame(1, 3) == sent
    arrived, refused = outcome(net, "h1", "h3", sent)
    assert (
        arrived == [sent[:22] + bytes([61]) + sent[23:24] + bytes.fromhex("29c3") + sent[26:]] and not refused
    )


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (frame(1, 2, mac=2, address=2), "unknown_source"),
        (frame(1, 2, mac=99), "unknown_source"),
        (frame(1, 2, mac=99)[:13], "malformed"),
        (frame(1, 2, address=3), "wrong_address"),
        (frame(1, 9), "unknown_target"),
        (frame(1, 1), "wrong_port"),
        (frame(1, 2, ether_type=0x0806), "not_ipv4"),
        (frame(1, 2, ether_type=0x8100), "not_ipv4"),
        (frame(1, 2, ether_type=0x86DD), "not_ipv4"),
        (frame(1, 2, first=0x65), "malformed"),
        (frame(1, 2, first=0x44), "malformed"),
        (frame(1, 2, first=0x46), "options"),
        (frame(1, 2, checksum=0x1234), "malformed"),
        (frame(1, 2, length=33), "malformed"),
        (frame(1, 2, length=19), "malformed"),
        (frame(1, 2, fragment=0x8000), "malformed"),
        (frame(1, 2, fragment=0x2000), "fragment"),
        (frame(1, 2, fragment=0x0001), "fragment"),
        (frame(1, 2, ttl=1), "expired"),
        (frame(1, 2, ttl=0), "expired"),
        (frame(1, 2, protocol=47), "protocol"),
        (frame(1, 2, bytes(7)), "malformed"),
        (frame(1, 2, bytes.fromhex("0fa0 1388 0007 0000")), "malformed"),
        (frame(1, 2, bytes.fromhex("0fa0 1388 0009 0000")), "malformed"),
        (frame(1, 2, tcp(80, 0x02)[:19], 6), "malformed"),
        (frame(1, 2, tcp(80, 0x02), 6, length=39), "malformed"),
        (frame(1, 2, tcp(80, 0x02, 4), 6), "malformed"),
        (frame(1, 2, tcp(80, 0x02, 6), 6), "malformed"),
        *(
            (frame(1, 2, tcp(80, flags), 6), "malformed")
            for flags in (0x00, 0x01, 0x03, 0x06, 0x13, 0x16, 0x29)
        ),
        (frame(1, 2, bytes(7), 1), "malformed"),
        (bytes(12) + bytes.fromhex("88b5") + bytes(52), "bad_request"),
        (bytes(12) + bytes.fromhex("88b5") + bytes(54), "bad_request"),
        (frame(4, 1), "unknown_source"),
    ],
)
def test_wrong_packets_are_refused(net: weir.Network, sent: bytes, reason: str) -> None:
    seen = net.sniff(["h2", "h3", "h4", "s3-p1"])
    _, refused = outcome(net, "h1", "h2", sent)
    assert refused == {reason: 1} and not seen.stop()


@pytest.mark.parametrize("flags", [0x02, 0x10, 0x12, 0x18, 0x11, 0x04, 0x14, 0xC2])
def test_right_tcp_flags_pass(net: weir.Network, flags: int) -> None:
    sent = frame(1, 2, tcp(80, flags), 6)
    arrived, refused = outcome(net, "h1", "h2", sent)
    assert not refused and [len(one) for one in arrived] == [len(sent)]


def test_ethernet_padding_passes(net: weir.Network) -> None:
    assert len(outcome(net, "h1", "h2", frame(1, 2) + bytes(14))[0]) == 1


def test_frames_cut_off_anywhere_are_refused(net: weir.Network) -> None:
    whole = frame(1, 2)
    arrived, refused = outcome(net, "h1", "h2", *(whole[:length] for length in range(14, len(whole))))
    assert not arrived and refused == {"malformed": len(whole) - 14}


def test_no_frame_of_a_stranger_passes(net: weir.Network) -> None:
    rnd = random.Random(7)
    right = [frame(a, b) for a in range(1, 5) for b in range(1, 5)]
    sent = []
    for _ in range(400):
        one = bytearray(rnd.choice(right))
        for _ in range(rnd.randrange(4)):
            one[rnd.randrange(len(one))] = rnd.randrange(256)
        sent.append(bytes(one[: rnd.choice((len(one), rnd.randrange(1, len(one))))]))
    seen = net.sniff(["h1", "h2", "h3", "h4", "s3-p1", "s3-p2"])
    _, refused = outcome(net, "x1", "h1", *sent)
    assert not seen.stop() and sum(refused.values()) == 400


def test_the_receiver_must_be_at_the_output_port(net: weir.Network) -> None:
    net.switch("s1").table("routes").modify(
        {"hdr.ipv4.dstAddr": "10.0.0.2"}, "forward", {"dstAddr": "08:00:00:00:00:02", "port": 3}
    )
    seen = net.sniff("x1")
    assert outcome(net, "h1", "h2", frame(1, 2)) == ([], {"wrong_port": 1}) and not seen.stop()


def test_the_rule_with_the_largest_priority_decides() -> None:
    rules = (
        PolicyRule(permit=False, priority=3, protocol=17, ports=(100, 199)),
        PolicyRule(permit=True, priority=4, source="10.0.0.2 &&& 0xffffffff", protocol=17, ports=(150, 150)),
        PolicyRule(permit=True, priority=2, protocol=17),
    )

    def to(port: int) -> bytes:
        return struct.pack("!HHHH", 4000, port, 8, 0)

    with network() as net:
        admit(net, rules)
        ports = (99, 100, 150, 199, 200)
        net.host("h3").run(Listener(), udp=ports)
        for host, passing in ((1, {99, 200}), (2, {99, 150, 200})):
            sent = [frame(host, 3, to(port)) for port in ports]
            arrived, refused = outcome(net, f"h{host}", "h3", *sent)
            assert {int.from_bytes(one[36:38], "big") for one in arrived} == passing
            assert refused == {"denied": len(ports) - len(passing)}
        # Packets that no rule mentions are denied.
        assert outcome(net, "h1", "h3", frame(1, 3, bytes(8), 1)) == ([], {"denied": 1})


def test_a_new_host_answers_for_thirty_seconds(net: weir.Network) -> None:
    for name in ("h1", "h4"):
        # Otherwise their ICMP errors would be contacts, too.
        net.host(name).run(Listener(), udp=5000)
    answer = frame(4, 1)
    assert outcome(net, "h4", "h1", answer) == ([], {"not_contacted": 1})
    # A packet that is refused opens nothing.
    assert outcome(net, "h1", "h4", frame(1, 4, ttl=1))[1] == {"expired": 1}
    assert outcome(net, "h4", "h1", answer) == ([], {"not_contacted": 1})
    assert len(outcome(net, "h1", "h4", frame(1, 4))[0]) == 1
    assert len(outcome(net, "h4", "h1", answer)[0]) == 1
    assert outcome(net, "h4", "h2", frame(4, 2)) == ([], {"not_contacted": 1})
    net.run_for("29.996s")
    assert len(outcome(net, "h4", "h1", answer)[0]) == 1
    net.run_for("2ms")
    assert outcome(net, "h4", "h1", answer) == ([], {"not_contacted": 1})


def test_each_port_has_its_own_few_requests(net: weir.Network) -> None:
    request = bytes(12) + bytes.fromhex("88b5") + bytes(53)
    waiting = {name: net.switch(name).packets_in() for name in SWITCHES}
    assert not any(waiting.values())
    assert outcome(net, "x1", "h1", *[request] * 30) == ([], {"too_many_requests": 20})
    assert outcome(net, "h2", "h1", *[request] * 3) == ([], {})
    net.run_for("10ms")
    packets = net.switch("s1").packets_in()
    assert [one["ingress_port"] for one in packets] == [3] * 10 + [2] * 3
    assert {one.payload for one in packets} == {request}
    net.run_for("1s")
    assert outcome(net, "x1", "h1", *[request] * 30)[1] == {"too_many_requests": 20}


def test_requests_of_other_switches_are_refused(net: weir.Network) -> None:
    net.switch("s1").table("host_ports").delete({"standard_metadata.ingress_port": 1})
    assert outcome(net, "h1", "h2", bytes(12) + bytes.fromhex("88b5") + bytes(53)) == ([], {"bad_request": 1})
