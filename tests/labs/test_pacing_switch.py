"""The switch of the lab pacing, frame by frame: options, checksums, and the known flows."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from handmade import internet_checksum

import weir
from weir_labs.pacing.option import NOTICE_PORT, Option, Trace, read_option
from weir_labs.pacing.reset import reset_after
from weir_labs.pacing.star import host_mac, port_mac, program, route_entry, set_capacity, star

FIN, SYN, RST, ACK = 1, 2, 4, 16
CLIENT, SERVER = "10.8.8.8", "10.9.9.9"
"""Addresses that no host has, so that no host answers. Frames to them leave at ports 1 and 3."""

NOP, RECORD_ROUTE = b"\x01", bytes([7, 7, 4, 0, 0, 0, 0])
TRACES = [Trace(7, number, number, 1000) for number in (1, 2, 3, 4)]


@pytest.fixture
def net() -> Iterator[weir.Network]:
    with weir.Network(star(2, rtt="0ms", silence="1s", refresh="300ms"), program()) as net:
        set_capacity(net, "s1", 3, "100Mbit")
        table = net.switch("s1").table("ipv4_lpm")
        for address, port in ((CLIENT, 1), (SERVER, 3)):
            action = route_entry(address, host_mac(port % 3), port)["action_params"]
            table.insert({"hdr.ipv4.dstAddr": f"{address}/32"}, "forward", action)
        yield net


def segment(
    flags: int, port: int = 1000, options: bytes = b"", payload: bytes = b"", back: bool = False
) -> bytes:
    """A TCP segment from the client to the server, or back."""
    ends = [CLIENT, SERVER][:: -1 if back else 1]
    addresses = b"".join(bytes(map(int, end.split("."))) for end in ends)
    assert len(options) % 4 == 0
    total = 20 + len(options) + 20 + len(payload)
    begin = struct.pack("!BBHHHBBH", 0x45 + len(options) // 4, 0, total, 1, 0x4000, 64, 6, 0)
    checksum = internet_checksum(begin + addresses + options)
    ports = (80, port) if back else (port, 80)
    tcp = struct.pack("!HHIIBBHHH", *ports, 1, 2, 5 << 4, flags, 1000, 0, 0)
    source, near = (host_mac(0), port_mac(1, 3)) if back else (host_mac(1), port_mac(1, 1))
    macs = bytes.fromhex((near + source).replace(":", ""))
    return macs + b"\x08\x00" + begin[:10] + checksum.to_bytes(2) + addresses + options + tcp + payload


def send(net: weir.Network, frame: bytes, back: bool = False) -> list[bytes]:
    """Sends a frame; returns the frames that leave at the other side, without notifications."""
    seen = net.sniff("s1-p1" if back else "s1-p3", "tcp")
    net.host("server" if back else "h1").send(frame)
    net.run_for("1ms")
    seen.stop()
    return [frame.data for frame in seen.frames if frame.outbound]


OURS = bytes(Option(3))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (OURS, bytes(Option(3, [Trace(1, 3, 3, 100_000)]))),
        (OURS + NOP + b"\x00\x00\x00", bytes(Option(3, [Trace(1, 3, 3, 100_000)])) + NOP + b"\x00\x00\x00"),
        # At an odd place, between others.
        (NOP + OURS + RECORD_ROUTE, NOP + bytes(Option(3, [Trace(1, 3, 3, 100_000)])) + RECORD_ROUTE),
        (RECORD_ROUTE + OURS + NOP, RECORD_ROUTE + bytes(Option(3, [Trace(1, 3, 3, 100_000)])) + NOP),
        (NOP * 4 + OURS, None),
        (NOP * 5 + OURS + NOP * 3, None),
        (b"\x00\x00\x00\x00" + OURS, None),
        (bytes([0x5E, 0, 0, 0]) + OURS, None),
        (bytes([0x5E, 9, 0, 0]) + OURS, None),
        (bytes([0x5E, 1, 0, 0]) + OURS, None),
        (NOP * 3 + b"\x5e", None),
        (bytes([0x1E, 6, 1, 3, 0, 0, 0, 0]), None),
        (bytes([0x1E, 40, 1, 3]), None),
    ],
)  # fmt: skip
def test_a_trace_is_added_wherever_the_option_is(
    net: weir.Network, options: bytes, expected: bytes | None
) -> None:
    send(net, segment(SYN, options=OURS))
    (left,) = send(net, segment(SYN | ACK, options=options, payload=b"abc", back=True), back=True)
    length = 4 * (left[14] & 15)
    header = left[14 : 14 + length]
    assert internet_checksum(header) == 0 and header[8] == 63
    # Four other options in front are all that the switch looks at.
    if options == NOP * 4 + OURS:
        expected = options
    assert header[20:] == (options if expected is None else expected)
    assert int.from_bytes(header[2:4]) == length + 23 == len(left) - 14
    assert left[14 + length :] == segment(SYN | ACK, payload=b"abc", back=True)[34:]


def test_without_room_the_smallest_shares_stay(net: weir.Network) -> None:
    send(net, segment(SYN, options=bytes(Option(200))))
    # 500 kbit/s for each share here; before, 1000, 500, 333 and 250.
    (left,) = send(net, segment(SYN | ACK, options=bytes(Option(200, TRACES)), back=True), back=True)
    option = read_option(left[34 : 14 + 4 * (left[14] & 15)])
    assert option is not None and internet_checksum(left[14 : 14 + 4 * (left[14] & 15)]) == 0
    assert option.traces[:3] == [Trace(1, 3, 200, 100_000), *TRACES[1:3]] and option.traces[3] == TRACES[3]


def test_legacy_fields_and_wrong_checksums(net: weir.Network) -> None:
    frame = segment(SYN, options=OURS)
    assert len(send(net, frame)) == 1
    # One bit of the option is wrong.
    assert send(net, frame[:37] + bytes([frame[37] ^ 1]) + frame[38:]) == []
    assert net.switch("s1").register("port_flows")[3] == 1


@dataclass
class Model:
    """The state that the switch must have, by the scheme's rules."""

    weights: dict[int, int] = field(default_factory=dict)

    def told(self, port: int) -> set[int]:
        """The flows that are notified when a flow joins or leaves."""
        return set(self.weights) - {port}


def notices(frames: list[weir.Frame]) -> dict[int, Trace]:
    """The notifications, by the flow's port."""
    traces: dict[int, Trace] = {}
    for frame in frames:
        data = frame.data
        if frame.outbound and data[23] == 17:
            option = read_option(data[34:46])
            assert option is not None and len(option.traces) == 1 and len(data) == 54
            assert internet_checksum(data[14:46]) == 0 and data[16:18] == b"\x00\x28"
            assert data[30:34] == bytes([10, 8, 8, 8]) and int.from_bytes(data[48:50]) == NOTICE_PORT
            port = int.from_bytes(data[46:48])
            assert port not in traces
            traces[port] = option.traces[0]
    return traces


@pytest.mark.parametrize("seed", [1, 2])
def test_joins_and_leaves_in_any_order(net: weir.Network, seed: int) -> None:
    chance, model = random.Random(seed), Model()
    switch = net.switch("s1")
    for _ in range(150):
        port = chance.randrange(1000, 1040)
        seen = net.sniff("s1-p1", "udp")
        active = port in model.weights
        kind = chance.choice(["syn", "syn", "fin", "rst", "rst back", "data"])
        expected: set[int] = set()
        if kind == "syn":
            weight = chance.randrange(1, 6)
            net.host("h1").send(segment(SYN, port, bytes(Option(weight))))
            if not active:
                expected = model.told(port)
                model.weights[port] = weight
        elif kind == "data":
            net.host("h1").send(segment(ACK, port, payload=b"data"))
        else:
            if kind == "rst back":
                net.host("server").send(segment(RST | ACK, port, back=True))
            else:
                net.host("h1").send(segment(FIN | ACK if kind == "fin" else RST, port))
            if active:
                del model.weights[port]
                expected = model.told(port)
        net.run_for("1ms")
        seen.stop()
        shares = sum(model.weights.values())
        assert notices(seen.frames) == dict.fromkeys(expected, Trace(1, 3, shares, 100_000)), kind
        assert switch.register("port_flows")[3] == len(model.weights)
        assert switch.register("port_shares")[3] == shares
    assert len(model.weights) > 3 and switch.register("without_slot")[0] == 0


def test_a_silent_flow_leaves_and_comes_back(net: weir.Network) -> None:
    flows = net.switch("s1").register("port_flows")
    for port in (1000, 1001):
        send(net, segment(SYN, port, OURS))
    for _ in range(12):
        send(net, segment(ACK, 1000))
        net.run_for("99ms")
    assert flows[3] == 1
    seen = net.sniff("s1-p1", "udp")
    send(net, segment(ACK, 1001))
    assert flows[3] == 2
    # Both get a notification, because the silent one may have an old share.
    assert notices(seen.frames) == dict.fromkeys((1000, 1001), Trace(1, 3, 6, 100_000))
    # After a FIN, late segments do not bring it back.
    send(net, segment(FIN | ACK, 1001))
    send(net, segment(ACK, 1001))
    assert flows[3] == 1


def test_shares_are_told_again_while_a_flow_sends(net: weir.Network) -> None:
    send(net, segment(SYN, 1000, OURS))
    seen = net.sniff("s1-p1", "udp")
    for _ in range(20):
        net.host("h1").send(segment(ACK, 1000, payload=bytes(100)))
        net.run_for("50ms")
    # With the first packet after 300 ms.
    assert [frame.time_ns // 10_000_000 for frame in seen.frames if frame.outbound] == [30, 65]


def test_flows_that_do_not_ask_are_not_counted(net: weir.Network) -> None:
    for options in (b"", bytes([0x5E, 4, 1, 1]), bytes(Option(0))):
        send(net, segment(SYN, 1000, options))
        send(net, segment(ACK, 1000))
    assert net.switch("s1").register("port_flows")[3] == 0


def test_five_flows_in_four_slots(net: weir.Network) -> None:
    # Flows of the same hash: one more than there are slots for.
    import zlib

    by_hash: dict[int, list[int]] = {}
    addresses = bytes([10, 8, 8, 8, 10, 9, 9, 9])
    for port in range(1, 65535):
        same = by_hash.setdefault(zlib.crc32(addresses + struct.pack("!HH", port, 80)) % 1024, [])
        same.append(port)
        if len(same) == 5:
            break
    for port in same:
        assert len(send(net, segment(SYN, port, OURS))) == 1
    switch = net.switch("s1")
    assert switch.register("port_flows")[3] == 4 and switch.register("without_slot")[0] == 1
    send(net, segment(FIN | ACK, same[1]))
    send(net, segment(SYN, same[4], OURS))
    assert switch.register("port_flows")[3] == 4


def test_a_reset_follows_the_last_segment() -> None:
    frame = segment(ACK, payload=b"12345")
    reset = reset_after(frame)
    assert reset[47] == RST | ACK and reset[38:42] == (6).to_bytes(4) and reset[42:46] == frame[42:46]
    assert internet_checksum(reset[14:34]) == 0
    assert internet_checksum(reset[26:34] + b"\x00\x06\x00\x14" + reset[34:]) == 0
    with pytest.raises(ValueError, match="expected a TCP segment"):
        reset_after(segment(ACK, options=OURS))
