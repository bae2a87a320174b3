"""The lab int at its limits: hops, MTU, flags, unknown headers."""

from __future__ import annotations

import pytest
from handmade import checksums_are_right, tcp_frame, udp_frame
from int_chain import crossing, embed_data, embed_instructions, hosts_send_int

import weir
from weir.telemetry import Embedded, read_embedded


def embedded(frame: bytes) -> Embedded:
    found = read_embedded(frame[14:])
    assert found is not None
    return found


@pytest.mark.parametrize("max_hops", [0, 1, 2, 3, 4, 255])
def test_only_so_many_hops_add_metadata(max_hops: int) -> None:
    """The sink's own metadata in the report count as well: there are 4 switches."""
    links, collector = crossing([udp_frame(b"weir")], [embed_data(0x9000, max_hops=max_hops)], 4)
    for number, frames in enumerate(links[:3], start=1):
        seen = embedded(frames[0])
        nodes = [hop.node for hop in seen.hops]
        assert nodes == list(range(1, min(number, max_hops) + 1))
        assert seen.remaining_hops == max_hops - len(nodes)
        # The source never sets E.
        assert seen.hops_exceeded == (number > max(max_hops, 1))
        assert checksums_are_right(frames[0]) and not seen.mtu_exceeded
    ((_, report),) = collector.reports
    assert report.embedded is not None and report.embedded.hops_exceeded == (max_hops < 4)
    assert report.bits == (0x1000 if max_hops >= 4 else 0)
    assert links[3][0][34:] == udp_frame(b"weir")[34:]


@pytest.mark.parametrize("make", [udp_frame, tcp_frame])
@pytest.mark.parametrize(
    ("room", "inserted", "pushed"),
    [(0, False, False), (15, False, False), (16, True, False), (23, True, False), (24, True, True)],
)
def test_the_source_keeps_the_mtu(make: object, room: int, inserted: bool, pushed: bool) -> None:
    """INT needs 16 bytes for the shim and the INT-MD header. If there is no room for 8 bytes of
    metadata, bit M is set."""
    sent = make(bytes(100))  # type: ignore[operator]
    links, collector = crossing([sent], [embed_data(0x9000)], mtu={1: len(sent) - 14 + room})
    (frame,) = links[0]
    assert len(frame) == len(sent) + 16 * inserted + 8 * pushed
    assert len(collector.reports) == inserted and links[2][0][34:] == sent[34:]
    if inserted:
        seen = embedded(frame)
        assert (seen.mtu_exceeded, seen.remaining_hops) == (not pushed, 8 - pushed)
        assert [hop.node for hop in seen.hops] == [1] * pushed
        assert [hop.node for hop in embedded(links[1][0]).hops] == [1] * pushed + [2]
        assert embedded(links[1][0]).mtu_exceeded == (not pushed)


def test_a_source_without_room_makes_no_mx() -> None:
    sent = udp_frame(bytes(100))
    for room in (15, 16):
        links, collector = crossing([sent], [embed_instructions(0x9000)], mtu={1: 128 + room})
        assert len(links[0][0]) == len(sent) + 16 * (room == 16)
        assert len(collector.reports) == 3 * (room == 16)


@pytest.mark.parametrize(("room", "fits"), [(31, False), (32, True)])
def test_transit_keeps_the_mtu(room: int, fits: bool) -> None:
    """s2 of 4 switches sets M if its metadata do not fit; later switches still add theirs."""
    sent = udp_frame(bytes(100))
    links, collector = crossing([sent], [embed_data(0x9000)], 4, mtu={2: 128 + room})
    assert len(links[1][0]) == len(sent) + 24 + 8 * fits
    nodes = [1, 2, 3] if fits else [1, 3]
    last = embedded(links[2][0])
    assert [hop.node for hop in last.hops] == nodes and last.remaining_hops == 8 - len(nodes)
    assert (last.mtu_exceeded, last.hops_exceeded) == (not fits, False)
    ((_, report),) = collector.reports
    assert [hop.node for hop in report.hops] == [*nodes, 4]


@pytest.mark.parametrize("make", [embed_data, embed_instructions])
def test_the_sink_discards_what_is_marked(make: object) -> None:
    links, collector = crossing([udp_frame(b"probe")], [make(0x9000, discard=1)])  # type: ignore[operator]
    assert len(links[1]) == 1 and links[2] == []
    assert {report.embedded.discard for _, report in collector.reports if report.embedded} == {True}


def crafted(header: str, stack: str = "", *, words: int | None = None, kind: int = 1, npt: int = 1) -> bytes:
    """A datagram to port 5000 as another switch would send it; its INT headers are hexadecimal
    digits."""
    body = bytes.fromhex(header + stack)
    shim = bytes([kind << 4 | npt << 2, len(body) // 4 if words is None else words])
    return udp_frame(shim + (5000).to_bytes(2) + body + b"weir", port=5555)


def through(frame: bytes, switches: int = 3) -> tuple[list[list[bytes]], list[object], bytes]:
    """The frames that leave, the reports, and the frame that h2 should get."""
    links, collector = crossing([frame], [], switches, change=hosts_send_int)
    return links, [report for _, report in collector.reports], udp_frame(b"weir")[34:]


def test_reserved_instructions_get_the_reserved_value() -> None:
    """Switches add 4 bytes of ones for each of the bits 9 to 14, in their order."""
    embedded, reports, plain = through(crafted("2000 0708 9042 0000 0000 0000".replace(" ", "")))
    # Hop ML 7, though the instructions ask for 4: three words for a domain's instructions, of which
    # this switch knows nothing, come after those of reserved bits.
    (frame,) = embedded[0]
    assert frame[58:86].hex() == "00000001" + "00000000" + "ffffffff" * 5
    assert checksums_are_right(frame) and embedded[2][0][34:] == plain and len(reports) == 1


def test_unknown_domains_get_the_reserved_value_before_the_complement() -> None:
    embedded, _, plain = through(crafted("2000 0408 8001 00ab c000 0000".replace(" ", "")))
    (frame,) = embedded[1]
    assert frame[58:62].hex() == "00000002" and frame[62:70] == b"\xff" * 8 and frame[70:72] == b"\0\0"
    assert checksums_are_right(frame) and embedded[2][0][34:] == plain


def test_a_wrong_hop_length_is_left_alone() -> None:
    """If the instructions ask for more words than Hop ML says, no metadata are added and no hop is
    counted."""
    frame = crafted("2000 0108 9000 0000 0000 0000".replace(" ", ""))
    embedded, _, plain = through(frame)
    assert embedded[1][0][42:] == frame[42:] and embedded[2][0][34:] == plain


@pytest.mark.parametrize(("words", "added"), [(251, True), (253, True), (254, False), (255, False)])
def test_the_shim_counts_at_most_255_words(words: int, added: bool) -> None:
    """E and M are not set, because neither hops nor the MTU prevented the metadata."""
    header = "2000 02c8 9000 0000 0000 0000".replace(" ", "")
    frame = crafted(header, "00" * 4 * (words - 3))
    embedded, reports, plain = through(frame, 2)
    seen = embedded[0][0]
    assert seen[43] == words + 2 * added and len(seen) == len(frame) + 8 * added
    assert seen[46:50].hex() == ("200002c7" if added else "200002c8")
    assert checksums_are_right(seen) and embedded[1][0][34:] == plain and len(reports) == 1


@pytest.mark.parametrize(("kind", "version"), [(1, "1"), (1, "3"), (3, "1"), (2, "2"), (0, "2")])
def test_unknown_types_and_versions_pass_up_to_the_sink(kind: int, version: str) -> None:
    frame = crafted(f"{version}0000208" + "9000" + "0000" * 3, kind=kind)
    embedded, reports, plain = through(frame)
    assert embedded[0][0][34:] == embedded[1][0][34:] == frame[34:]
    assert embedded[2][0][34:] == plain and reports == []


@pytest.mark.parametrize("npt", [2, 3])
def test_sinks_drop_what_they_cannot_restore(npt: int) -> None:
    embedded, _, _ = through(crafted("2000020890000000" + "00000000", npt=npt))
    assert len(embedded[1]) == 1 and embedded[2] == []


@pytest.mark.parametrize("words", [3, 4, 200, 255])
def test_promises_of_too_much_are_dropped(words: int) -> None:
    short = udp_frame(bytes([0x14, words]) + (5000).to_bytes(2) + bytes.fromhex("2000"), port=5555)
    embedded, reports, _ = through(short)
    assert embedded == [[], [], []] and reports == []


def test_switches_outside_the_domain_pass_int_on() -> None:
    """s2 takes no part in INT."""
    links, collector = crossing(
        [udp_frame(b"weir")],
        [embed_data(0x9000)],
        change=lambda net: net.switch("s2").table("node").reset_default(),
    )
    assert links[0][0][34:] == links[1][0][34:]
    assert [hop.node for hop in collector.reports[0][1].hops] == [1, 3]


def test_tables_change_what_happens_at_run_time() -> None:
    from handmade import Listener

    from weir_labs.int.chain import chain, program, watch_entry
    from weir_labs.int.collector import collect

    with weir.Network(chain(2, None), program()) as net:
        collector = collect(net)
        net.host("h2").run(Listener(), udp=5000)
        watchlist = net.switch("s1").table("watchlist")
        match = {"hdr.packet.ipv4.srcAddr": ["10.0.1.1", "255.255.255.255"]}

        def reports_on_the_next() -> list[tuple[str, int]]:
            before = len(collector.reports)
            net.host("h1").send(udp_frame(b"weir"))
            net.run_for("1ms")
            new = [report for _, report in collector.reports[before:]]
            return [(one.embedded.mode if one.embedded else "XD", one.node) for one in new]

        assert reports_on_the_next() == []
        entry = watch_entry("embed_data", 0x9000, max_hops=8, discard=0, by_port=1)
        handle = watchlist.insert(match, "embed_data", entry["action_params"], priority=1)
        assert reports_on_the_next() == [("MD", 2)]
        watchlist.modify(handle, "embed_instructions", {"instructions": 0x9000, "discard": 0, "by_port": 0})
        assert reports_on_the_next() == [("MX", 2), ("MX", 1)]
        watchlist.modify(handle, "export_data", {"instructions": 0x9000})
        assert reports_on_the_next() == [("XD", 1)]
        watchlist.delete(handle)
        assert reports_on_the_next() == []
