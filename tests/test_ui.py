"""Sessions of ``weir ui``, which go back in time, and what they answer to a page."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weir
from command import NET
from ui_page import dumbbell_session
from weir.cli.host_prompt import HostPrompt
from weir.topology import shapes
from weir.ui.actions import Command, LinkChange
from weir.ui.messages import answer
from weir.ui.page_state import PageState
from weir.ui.session import Session

SECOND = 1_000_000_000


@pytest.fixture
def session() -> Iterator[Session]:
    opened = dumbbell_session()
    yield opened
    opened.close()


def go(session: Session, time_ns: int) -> None:
    session.go(time_ns)
    while session.is_rerun:
        session.tick(0.05)
    assert session.now_ns == time_ns and not session.error


def texts(session: Session, kind: str) -> str:
    return "\n".join(line.text for line in session.lines if line.kind == kind)


def test_a_session_that_goes_back_shows_the_same_bytes(session: Session):
    session.act(Command("h1", "ping -c 2 h3"))
    go(session, 3_000_000)
    session.act(LinkChange(4, "delay", "7ms"))
    session.act(Command("h2", "iperf -u -b 2M -t 0.2 h4"))
    digests = {}
    for time_ns in (3_000_000, 10_000_000, SECOND // 10, 2 * SECOND):
        go(session, time_ns)
        digests[time_ns] = session.frames.digest
    assert len(set(digests.values())) == 4 and "2 received" in texts(session, "output")
    output = session.lines[:]
    for time_ns in (10_000_000, 3_000_000, SECOND // 10, 2 * SECOND):
        go(session, time_ns)
        assert session.frames.digest == digests[time_ns]
    assert session.lines == output and session.generation == 2
    assert session.network.links[4].delay == "7ms"


def test_steps_between_events_of_one_time_do_not_change_a_run(session: Session):
    for host in ("h1", "h2"):
        session.act(Command(host, "ping -c 1 h3"))
    session.step("event")  # The other ping begins at the same time.
    session.act(LinkChange(0, "loss", "0.5%"))
    assert session.now_ns == 0
    go(session, SECOND)
    digest = session.frames.digest
    go(session, 0)
    go(session, SECOND)
    assert session.frames.digest == digest


def test_a_new_action_forgets_the_later_ones(session: Session):
    go(session, 1000)
    session.act(LinkChange(0, "rate", "1Mbit"))
    go(session, 500)
    assert session.network.links[0].rate == "10Mbit"
    session.act(LinkChange(0, "rate", "2Mbit"))
    go(session, 2000)
    assert session.network.links[0].rate == "2Mbit" and session.reach_ns == 2000


def test_steps_by_packet_and_by_event(session: Session):
    session.step("packet")
    assert session.is_idle and session.now_ns == 0
    session.act(Command("h1", "ping -c 1 h3"))
    session.step("packet")
    assert [flight.end for flight in session.frames.flying(0)] == [0] and session.frames.seen == 1
    session.step("packet")
    # 98 bytes at 10 Mbit/s and 1 ms of delay.
    assert session.now_ns == 78_400 + 1_000_000 and session.frames.seen == 2
    events = session.network.events
    session.step("event")
    assert session.network.events == events + 1


def test_time_follows_the_speed_and_skips_what_is_quiet(session: Session):
    session.act(Command("h1", "ping -c 2 h3"))
    session.play(0.001)
    session.tick(0.05)  # The first packet leaves.
    session.tick(0.05)
    assert session.now_ns == 50_000
    for _ in range(2000):
        session.tick(0.05)
        if session.now_ns >= SECOND:
            break
    # The second request leaves after a second, most of which is quiet.
    assert session.now_ns == SECOND
    session.skips = False
    session.tick(0.25)
    assert session.now_ns == SECOND + 250_000
    session.pause()
    session.tick(0.25)
    assert session.now_ns == SECOND + 250_000


def test_queues_fill_and_losses_have_a_reason(session: Session):
    session.act(LinkChange(4, "rate", "1Mbit"))
    session.act(Command("h1", "iperf -u -b 10M -t 1 h3"))
    go(session, SECOND // 2)
    state = PageState(session).next()
    waiting, limit = state["queues"][8]
    assert 0 < waiting <= limit
    session.act(LinkChange(4, "up", False))
    go(session, SECOND)
    state = PageState(session).next()
    assert any(drop.get("link") == 4 and drop["packets"] > 0 for drop in state["drops"])
    assert "s1" in state["why"] and "down" in state["why"]


def test_rates_never_exceed_those_of_links(session: Session):
    session.act(Command("h1", "iperf -u -b 20M -t 0.1 h3"))
    sent = [[0] * len(session.frames.ends)]
    for time_ns in range(100_000, 10_000_000, 100_000):
        go(session, time_ns)
        sent.append(session.frames.bytes_sent(session.now_ns))
    rises = [
        after - before
        for one, next_one in itertools.pairwise(sent)
        for before, after in zip(one, next_one, strict=True)
    ]
    # A link of 10 Mbit/s sends 125 bytes in 100 us; one byte may be rounded.
    assert min(rises) >= 0 and 124 <= max(rises) <= 126


def test_many_lost_frames_take_little_memory():
    fast = Session(lambda: weir.Network(shapes.from_text("dumbbell:2,rate=1Gbit")), HostPrompt)
    fast.act(LinkChange(0, "loss", "50%"))
    fast.act(Command("h1", "iperf -u -b 1G -t 1 h3"))
    go(fast, SECOND // 5)
    assert fast.frames.departures > 30_000
    assert sum(flight.end == 0 for flight in fast.frames.flying(0)) <= 4000
    fast.close()


def test_a_page_gets_each_frame_and_text_once(session: Session):
    page = PageState(session)
    first = page.next()
    assert first["sent"] == [] and first["lines"] == []
    session.act(Command("h1", "ping -c 1 h3"))
    session.step("packet")
    assert [one[:2] for one in page.next()["sent"]] == [[0, 0]]
    session.step("packet")
    state = page.next()
    assert state["sent"] == [] and state["arrived"] == [(0, 1_078_400)]
    go(session, 500_000)
    state = page.next()
    assert state["generation"] == 1 and len(state["sent"]) == 1 and len(state["lines"]) == 1


@pytest.mark.parametrize(
    ("message", "error"),
    [
        ("{", "expected a message in JSON"),
        ("[" * 5000, "expected a message in JSON"),
        ("[]", "expected a message with a type, found []"),
        ('{"type": "node", "name": "\\ud800"}', "found half of a surrogate pair"),
        ('{"\\udfff": 1}', "found half of a surrogate pair"),
        ({"type": "fly"}, "there is no message of type 'fly'"),
        ({"type": "play", "speed": 100}, "speed: 100; expected 1e-06 to 10 virtual seconds a second"),
        ({"type": "play", "speed": True}, "speed: expected a number, found True"),
        ({"type": "go", "time_ns": -1}, "time: -1 ns; expected 0 to 9007199254740991"),
        ({"type": "go", "time_ns": "x"}, "time_ns: expected a whole number, found 'x'"),
        ({"type": "step", "by": "day"}, 'step: expected event or packet, found "day"'),
        ({"type": "link", "link": 9, "setting": "rate", "value": "1Mbit"}, "there is no link 9"),
        ({"type": "link", "link": 0, "setting": "rate", "value": "fast"}, "rate"),
        ({"type": "link", "link": 0, "setting": "mtu", "value": "1"}, "mtu: expected rate, delay or loss"),
        ({"type": "command", "host": "h9", "line": "ping h1"}, 'no host "h9"'),
        ({"type": "node", "name": "<img src=x>"}, "<img src=x>"),
    ],
)
def test_a_wrong_message_is_refused_and_changes_nothing(session: Session, message: Any, error: str):
    text = message if isinstance(message, str) else json.dumps(message)
    with pytest.raises(weir.WeirError) as refused:
        answer(session, text)
    assert error in str(refused.value)
    go(session, 1000)
    go(session, 0)
    assert session.network.links[0].rate == "10Mbit" and not session.lines


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("pnig h2", 'h1 has no command "pnig" here'),
        ("ping", "ping: expected one target, found 0"),
        ("ping h9", 'no host "h9"'),
        ("traceroute h3", 'h1 has no command "traceroute" here'),
        ("tcpdump", "capture"),
        ("ping h2 > file", "works in a shell"),
        ("stop", "h1 runs no measurement"),
        ("ping 'h2", "cannot read the command"),
        ("iperf -P 1000000000 h2", "iperf: -P: 1000000000 flows: expected at most 10000"),
    ],
)
def test_a_wrong_command_says_why(session: Session, line: str, error: str):
    session.act(Command("h1", line))
    assert error in texts(session, "error")


def test_a_measurement_that_fails_at_its_end_says_why(session: Session):
    session.act(LinkChange(0, "up", False))
    for line in ("iperf -t 1 h3", "iperf -u -b 1M -t 1 h3", "ping -c 1 h3"):
        session.act(Command("h1", line))
    session.act(Command("h1", "stop"))
    go(session, 300 * SECOND)
    session.act(Command("h1", "stop"))
    assert "h1 runs no measurement" in texts(session, "error")
    assert "TCP port 5201: nobody answered" in texts(session, "error")


def test_prompts_keep_the_newest_texts(session: Session):
    page = PageState(session)
    for _ in range(5100):
        session.act(Command("h1", "stop"))
    assert len(page.next()["lines"]) == len(session.lines) == 5000
    session.act(Command("h2", "pnig"))
    assert [line[:2] for line in page.next()["lines"]] == [["h2", "command"], ["h2", "error"]]
    assert page.next()["lines"] == []


def test_commands_of_hosts(session: Session):
    session.act(Command("h1", "h1 ip addr"))
    session.act(Command("h1", "ping -c 9 h2"))
    go(session, SECOND)
    session.act(Command("h1", "stop"))
    go(session, 2 * SECOND)
    assert "10.0.1.1" in texts(session, "output") and "packets transmitted" in texts(session, "output")


def packet(session: Session, number: int) -> dict[str, Any]:
    reply = answer(session, json.dumps({"type": "packet", "number": number}))
    assert reply is not None
    return dict(reply["packet"])


def play(session: Session, until_ns: int) -> None:
    session.play(0.01)
    while session.now_ns < until_ns and not session.is_idle:
        session.tick(0.05)


def test_a_packet_shows_its_headers_and_its_path(session: Session):
    session.act(LinkChange(4, "rate", "1Mbit"))
    session.act(Command("h1", "ping -c 1 h3"))
    session.act(Command("h2", "ping -c 1 h3"))
    play(session, SECOND // 10)
    first = packet(session, 0)
    assert (first["from"], first["to"], first["arrival_ns"]) == ("h1", "s1-p1", 1_078_400)
    ethernet, ipv4 = first["layers"]
    assert (ethernet["name"], ethernet["bits"], ipv4["at"]) == ("hdr.ethernet", 112, 112)
    fields = {field["name"]: field for field in ipv4["fields"]}
    place = fields["dst"]["at"] // 8
    # 10.0.2.1, at its place in the bytes.
    assert fields["dst"]["value"] == "10.0.2.1" and bytes.fromhex(first["hex"])[place : place + 4] == bytes(
        [10, 0, 2, 1]
    )
    assert [visit["switch"] for visit in first["path"]] == ["s1", "s2"]
    assert first["path"][0]["fate"] == "port 1 → port 3" and "state start" in first["path"][0]["tree"]
    assert first["fate"] == "It arrived at h3 at 7.9428ms."
    # The same packet on its other links, where the deparser wrote its headers.
    others = [packet(session, number) for number in range(1, session.frames.departures)]
    (last,) = (one for one in others if one["to"] == "h3" and one["path"] == first["path"])
    assert [layer["name"] for layer in last["layers"]] == ["hdr.ethernet", "hdr.ipv4"]
    # The packet of h2 waited behind that of h1: 98 bytes at 1 Mbit/s, from 1 ns later.
    visit = packet(session, 1)["path"][0]
    assert (visit["switch"], visit["queue_ns"], visit["inside_ns"]) == ("s1", 783_999, 785_000)
    assert first["path"][0]["queue_ns"] == 0


def test_a_packet_says_why_it_did_not_arrive(session: Session):
    session.act(Command("h1", "ping -c 1 10.9.9.9"))
    play(session, SECOND // 10)
    assert packet(session, 0)["fate"] == (
        "s1 dropped it in ingress: drop port; the last table, RouterIngress.ipv4_routes, missed and ran RouterIngress.drop."
    )
    session.act(LinkChange(1, "loss", "100%"))
    session.act(Command("h2", "ping -c 1 h1"))
    number = session.frames.departures
    session.step("packet")
    assert packet(session, number)["fate"] == "It is on the link from h2 to s1-p2."
    play(session, session.now_ns + SECOND)
    assert packet(session, number)["fate"] == "It was lost between h2 and s1-p2."
    with pytest.raises(weir.NetworkError, match="packet 999 is not among the last ones"):
        packet(session, 999)


def test_traces_do_not_change_a_run_and_end_where_time_is_fast(session: Session):
    session.act(Command("h1", "ping -c 1 h3"))
    play(session, SECOND // 10)
    time_ns, digest = session.now_ns, session.frames.digest
    assert packet(session, 0)["path"]
    go(session, 0)
    go(session, time_ns)
    assert session.frames.digest == digest and not packet(session, 0)["path"]


def test_details_of_nodes():
    session = Session(lambda: weir.Network.load(NET / "topology.json", NET / "router.p4"), HostPrompt)
    reply = answer(session, '{"type": "node", "name": "s1"}')
    assert reply is not None
    table = reply["node"]["tables"][0]
    assert (table["name"], table["count"]) == ("MyIngress.ipv4_lpm", 2)
    assert "hdr.ipv4.dstAddr=10.0.1.1/32 -> MyIngress.ipv4_forward" in table["entries"][0]["text"]
    session.close()


def test_entries_are_added_changed_and_deleted():
    session = Session(lambda: weir.Network.load(NET / "topology.json", NET / "router.p4"), HostPrompt)

    def change(kind: str, match: dict[str, str], action: str, params: dict[str, str]) -> list[Any]:
        message = {"type": "entry", "switch": "s1", "table": "MyIngress.ipv4_lpm", "change": kind,
                   "match": match, "action": action, "params": params, "priority": None}  # fmt: skip
        reply = answer(session, json.dumps(message))
        assert reply is not None
        return list(reply["node"]["tables"][0]["entries"])

    entries = change("delete", {"hdr.ipv4.dstAddr": "10.0.2.0/24"}, "", {})
    assert len(entries) == 1
    match, forward = {"hdr.ipv4.dstAddr": "10.0.2.2/32"}, "MyIngress.ipv4_forward"
    go(session, SECOND)
    entries = change("insert", match, forward, {"dstAddr": "08:00:00:00:02:22", "port": "1"})
    assert entries[1]["match"] == match and entries[1]["params"]["port"] == "1"
    entries = change("modify", match, forward, {"dstAddr": "08:00:00:00:02:22", "port": "2"})
    assert entries[1]["params"] == {"dstAddr": "08:00:00:00:02:22", "port": "2"}
    assert change("default", {}, "NoAction", {}) == entries
    for kind, wrong, action, params, error in (
        ("insert", match, forward, {"port": "1"}, "dstAddr"),
        ("insert", match, "MyIngress.ipv4_forwrad", {}, 'did you mean "MyIngress.ipv4_forward"'),
        ("insert", {"hdr.ipv4.dstAddr": "10.0.0.0.0"}, "MyIngress.drop", {}, "10.0.0.0.0"),
        ("delete", {"hdr.ipv4.dstAddr": "10.9.9.9/32"}, "", {}, "has no entry with this key"),
        ("drop", {}, "", {}, "change: expected insert, modify, delete or default"),
    ):
        with pytest.raises(weir.WeirError) as refused:
            change(kind, wrong, action, params)
        assert error in str(refused.value)
    # Back in time, the entries are those of that time.
    go(session, SECOND // 2)
    assert len(session.network.switch("s1")["ipv4_lpm"]) == 1
    go(session, SECOND + 1)
    assert len(session.network.switch("s1")["ipv4_lpm"]) == 2
    session.close()


def test_details_of_registers():
    from weir.examples import EXAMPLES

    session = Session(lambda: weir.Network.load(EXAMPLES["nat"].folder / "topology.json"), HostPrompt)
    session.act(Command("h1", "ping -c 1 server"))
    go(session, SECOND)
    reply = answer(session, '{"type": "node", "name": "s1"}')
    assert reply is not None
    registers = {one["name"].rpartition(".")[2]: one for one in reply["node"]["objects"]}
    [[_, address]] = registers["owner_address"]["cells"]
    assert int(address) == 0xC0A8000B  # 192.168.0.11
    session.close()


_LARGE = """\
#include <core.p4>
#include <v1model.p4>
struct empty {}
parser P(packet_in p, out empty h, inout empty m, inout standard_metadata_t s) {
    state start { transition accept; }
}
control V(inout empty h, inout empty m) { apply {} }
control I(inout empty h, inout empty m, inout standard_metadata_t s) {
    register<bit<32>>(2000000) large;
    counter(2000000, CounterType.packets) seen;
    direct_counter(CounterType.packets) hits;
    action send() { s.egress_spec = 1; hits.count(); }
    table lengths {
        key = { s.packet_length: exact; }
        actions = { send; }
        size = 60000;
        counters = hits;
    }
    apply {
        lengths.apply();
        large.write(7, s.packet_length);
        seen.count(1999999);
    }
}
control E(inout empty h, inout empty m, inout standard_metadata_t s) { apply {} }
control C(inout empty h, inout empty m) { apply {} }
control D(packet_out p, in empty h) { apply {} }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


def test_large_tables_and_objects_are_shown_in_part(tmp_path: Path):
    (tmp_path / "large.p4").write_text(_LARGE)
    (tmp_path / "topology.json").write_text(
        '{"hosts": {"h1": {"ip": "10.0.0.1/24"}}, "switches": {"s1": {"program": "large.p4"}},'
        ' "links": [["h1", "s1-p1"]]}'
    )
    large = Session(lambda: weir.Network.load(tmp_path / "topology.json"), HostPrompt)
    switch = large.network.switch("s1")
    for length in range(10_001):
        switch["lengths"].insert({"s.packet_length": length}, "send")
    switch.register("large").write(7, 5)
    before = time.process_time()
    reply = answer(large, '{"type": "node", "name": "s1"}')
    assert reply is not None
    # To read all four million cells takes seconds, each second.
    assert time.process_time() - before < 1
    table = reply["node"]["tables"][0]
    assert (table["count"], len(table["entries"])) == (10_001, 200)
    objects = {one["name"].rpartition(".")[2]: one for one in reply["node"]["objects"]}
    assert objects["large"]["cells"] == [[7, "5"]] and objects["large"]["size"] == 2_000_000
    assert objects["large"]["note"] == objects["seen"]["note"] == "only the first 10000 cells are shown"
    assert objects["hits"]["note"] == "too many cells to show"
    for length in range(10_001, 50_001):
        switch["lengths"].insert({"s.packet_length": length}, "send")
    reply = answer(large, '{"type": "node", "name": "s1"}')
    assert reply is not None and reply["node"]["tables"][0]["count"] == 50_001
    assert reply["node"]["tables"][0]["entries"] == []
    large.close()
