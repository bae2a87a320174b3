"""Counters, meters, registers, profiles: reads, writes, refusals; the page's examples."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import weir
from weir.control import (
    CloneSession,
    Count,
    Crc,
    GroupMember,
    Member,
    MeterCounts,
    Queue,
    Rates,
    Replica,
    Switch,
    WeightedAction,
)
from weir.errors import ControlError, UnitError, WeirError
from weir.stf.bench import Bench

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "reference" / "control.md").read_text(encoding="utf-8")
RATES = Rates(1000, 10, 2000, 20)


@pytest.fixture(scope="module")
def program() -> weir.Program:
    """The program with one object of each kind."""
    return weir.compile(ROOT / "testdata" / "switch" / "control.p4")


@pytest.fixture
def bench(program: weir.Program) -> Bench:
    """A switch without a network that runs the program."""
    return Bench(program, [1, 2, 3])


@pytest.fixture
def s1(bench: Bench) -> Switch:
    """The control plane of that switch."""
    return bench.switch


def send(bench: Bench, what: int, index: int = 0, value: int = 0, answer: int = 0) -> bytes:
    """The output for one packet."""
    packet = bytes([what, index]) + value.to_bytes(2, "big") + answer.to_bytes(4, "big")
    bench.send(1, packet)
    outputs = bench.take_outputs()
    return outputs[0].packet if outputs else b""


def test_the_examples_of_the_page_run(s1: Switch, capsys: pytest.CaptureFixture[str]):
    names: dict[str, Any] = {"s1": s1}
    examples = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    # The other calls need a network: test_controller.py runs them.
    examples = [
        example for example in examples if "on_digest" not in example and "on_packet_in" not in example
    ]
    assert len(examples) == 6
    for example in examples:
        exec(compile(example, "docs/reference/control.md", "exec"), names)
    printed = capsys.readouterr().out
    assert "one of I.to(port=1), I.to(port=2) (weight 2)" in printed
    assert "{'first': 5, 'second': 6}" in printed


def test_the_file_of_the_page_loads(s1: Switch):
    document = json.loads(re.findall(r"^```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0])
    assert s1.load_entries(document) == 15
    assert s1.action_profile("ways").groups() == {7: {1: 1, 2: 3}}
    assert [entry.target for entry in s1.table("balance").entries()] == [
        "group 7",
        "member 1",
        "one of I.to(port=1) (weight 2), I.drop()",
    ]
    assert s1.value_set("noted").members() == [("5", "0x3 &&& 0x3"), ("6", "0x7 &&& 0xff")]
    assert s1.value_set("dropped").members() == [("4660",)]
    assert s1.table("prefixes").entries()[0].idle_timeout == "5s"
    assert s1.table("prefixes").rates(0) == Rates(1, 2, 3, 4)
    assert s1.counter("both")[3] == Count(1, 100)
    assert s1.meter("by_bytes").cells()[:2] == [Rates(0, 0, 250000, 3000), Rates(125000, 1500, 250000, 3000)]
    assert (s1.register("number")[1], s1.register("pair").read_fields(1)) == (
        0x080000000111,
        {"first": 5, "second": 6},
    )
    entry = {"hdr.request.what": 9}
    s1.table("all_kinds").insert(entry, "to", {"port": 1}, 3)
    counts = {"packet_count": 7, "byte_count": 8}
    s1.load_entries(
        {"direct_counter_entries": [{"table": "all_kinds", "match": entry, "priority": 3, "data": counts}]}
    )
    assert s1.counter("hits")[0] == Count(7, 8)


def test_counters(s1: Switch, bench: Bench):
    send(bench, 1, index=3)
    assert s1.counter("I.both")[3] == Count(packets=1, bytes=8)
    assert s1.counter("bytes").cells()[3] == Count(bytes=8)
    with pytest.raises(ControlError, match="bytes counts bytes, not packets: it takes 0 packets only"):
        s1.counter("bytes").write(3, packets=1)
    with pytest.raises(ControlError, match="packets counts packets, not bytes: it takes 0 bytes only"):
        s1.runtime.run("counter_write packets 3 1 5")
    assert s1.runtime.run("counter_read bytes 3") == ["bytes[3] = 8 bytes"]
    s1.counter("bytes").write(3, bytes=8)
    s1.counter("both").write(0, packets=2**64 - 1)
    send(bench, 1, index=0)
    assert s1.counter("both").read(0) == Count(0, 8)
    s1.counter("both").reset()
    assert set(s1.counter("both").cells()) == {Count()}


def test_entry_counters(s1: Switch, bench: Bench):
    prefixes, fixed = s1.table("prefixes"), s1.table("fixed")
    prefixes.insert({"hdr.request.answer": "0.0.0.7/32"}, "drop")
    send(bench, 10, answer=7)
    [entry] = prefixes.entries()
    assert (entry.packets, entry.bytes) == (None, None), "it has no direct counter"
    assert entry.last_hit_ns is not None, "it has support_timeout"
    send(bench, 11, index=int(fixed.entries()[0].match["hdr.request.index"], 0))
    assert fixed.entries()[0].last_hit_ns is None
    assert (fixed.hits, fixed.misses, prefixes.hits) == (1, 0, 1)
    assert 0 < fixed.memory < 1 << 18


def test_direct_counters_and_meters(s1: Switch, bench: Bench):
    handle = s1.table("all_kinds").insert({"hdr.request.what": 9}, "to", {"port": 2}, priority=1)
    send(bench, 9)
    hits = s1.counter("hits")
    assert (hits[handle], hits.cells(), len(hits)) == (Count(1, 8), [Count(1, 8)], 1)
    hits.write(handle, 5, 6)
    entry = s1.table("all_kinds").entry(handle)
    assert (entry.packets, entry.bytes, entry.last_hit_ns) == (5, 6, None)
    hits.reset()
    assert hits[handle] == Count()
    prefixes = s1.table("prefixes")
    prefixes.insert({}, "paced")
    prefixes.set_rates({}, RATES)
    pace = s1.meter("pace")
    assert prefixes.rates({}) == RATES == pace[0]
    pace.write(0, None)
    pace.write_all(Rates(0, 8, 0, 16))
    colours = [send(bench, 10)[4:] for _ in range(3)]
    assert [int.from_bytes(colour, "big") for colour in colours] == [0, 1, 2]
    assert pace.counts(0) == MeterCounts(Count(1, 8), Count(1, 8), Count(1, 8))


def test_meters_in_packets_and_bytes(s1: Switch, bench: Bench):
    def colours(what: int) -> list[int]:
        return [int.from_bytes(send(bench, what)[4:], "big") for _ in range(4)]

    assert colours(7) == [0, 0, 0, 0]
    s1.meter("by_packets").write(0, Rates(0, 1, 0, 3))
    s1.meter("by_bytes").write(0, Rates(0, 16, 0, 24))
    assert (colours(7), colours(8)) == ([0, 1, 1, 2], [0, 0, 1, 2])
    by_packets = s1.meter("by_packets")
    assert by_packets.cells() == [Rates(0, 1, 0, 3), None, None, None]
    # The first four packets came before the rates.
    assert by_packets.counts(0) == MeterCounts(Count(5, 40), Count(2, 16), Count(1, 8))
    by_packets.reset_counts(0)
    assert by_packets.counts(0) == by_packets.counts(3) == MeterCounts()


def test_registers(s1: Switch, bench: Bench):
    send(bench, 3, index=1, value=0x12, answer=7)
    pair = s1.register("pair")
    assert (pair.width, pair[1], pair.read_fields(1)) == (108, 0x12 << 100 | 7, {"first": 0x12, "second": 7})
    # A write replaces the whole cell, so it needs all fields.
    with pytest.raises(ControlError, match=r'a cell of I\.pair needs its field "first": a write replaces'):
        pair.write(1, {"second": 9})
    pair.write(1, {"first": 0, "second": 9})
    assert int.from_bytes(send(bench, 4, index=1)[4:], "big") == 9
    pair.write(2, 2**108 - 1)
    assert pair.cells() == [0, 9, 2**108 - 1, 0]
    assert s1.register("note").fields == [("$valid$", 1), ("a", 16), ("b", 40)]
    s1.register("note").write(0, {"$valid$": 1, "a": 1, "b": 2})
    assert send(bench, 6)[8:] == bytes([0, 1, 0, 0, 0, 0, 2])


def test_profiles(s1: Switch):
    ways = s1.action_profile("ways")
    assert [ways.add_member("to", {"port": port}) for port in (1, 2)] == [0, 1]
    assert ways.add_member("drop", number=9) == 9
    assert (ways.add_group([0, 1]), ways.add_group({9: 4}, number=5)) == (0, 5)
    assert ways.groups() == {0: {0: 1, 1: 1}, 5: {9: 4}}
    assert ways.members()[1] == Member("I.to", {"port": "2"}, users=1)
    table = s1.table("balance")
    table.insert({"hdr.request.index": 1}, member=1)
    entry = table.entries()[0]
    assert (entry.action, entry.member, entry.group, str(entry)) == (
        "",
        1,
        None,
        "hdr.request.index=1 -> member 1",
    )
    table.modify(entry, actions=[WeightedAction("to", {"port": "1"}, 2), WeightedAction("drop", {})])
    assert table.entry(entry).actions == (
        WeightedAction("I.to", {"port": "1"}, 2),
        WeightedAction("I.drop", {}),
    )
    table.set_default(group=5)
    assert table.default.group == 5


def test_ports_to_watch_and_backups(s1: Switch):
    ways = s1.action_profile("ways")
    for port in (1, 2):
        ways.add_member("to", {"port": port}, number=port)
    ways.add_group([1, GroupMember(2, 3, watch_port=2)], number=4)
    assert ways.group(4) == [GroupMember(1), GroupMember(2, 3, 2)]
    assert ways.groups() == {4: {1: 1, 2: 3}}
    ways.modify_group(4, [*ways.group(4)[1:], GroupMember(1, watch_port=1)])
    assert ways.group(4) == [GroupMember(1, 1, 1), GroupMember(2, 3, 2)]
    table = s1.table("balance")
    actions = (WeightedAction("I.to", {"port": "1"}, 2, watch_port=3), WeightedAction("I.drop", {}))
    table.insert({"hdr.request.index": 3}, actions=actions)
    entry = table.entries()[0]
    assert entry.actions == actions
    assert entry.target == "one of I.to(port=1) (weight 2, while port 3 is up), I.drop()"
    table.modify(entry, actions=entry.actions[:1])
    assert table.entry(entry).actions == actions[:1]
    replicas = [Replica(1, 9, (Replica(2, 8), 3)), Replica(2)]
    read = [Replica(1, 9, (Replica(2, 8), Replica(3))), Replica(2)]
    s1.set_multicast_group(4, replicas)
    s1.set_clone_session(5, replicas=replicas)
    assert (s1.multicast_groups(), s1.clone_sessions()) == (
        {4: read},
        {5: CloneSession(replicas=tuple(read))},
    )
    document = {
        "action_profile_groups": [
            {
                "action_profile": "ways",
                "group_id": 9,
                "members": [{"member_id": 1, "watch_port": 3}, {"member_id": 2}],
            }
        ],
        "table_entries": [
            {
                "table": "balance",
                "match": {"hdr.request.index": 4},
                "action_profile_action_set": [{"action_name": "drop", "watch_port": 1}],
                "at_random": True,
            }
        ],
        "multicast_group_entries": [
            {
                "multicast_group_id": 6,
                "replicas": [
                    {"egress_port": 1, "backup_replicas": [{"port": 2}, {"port": 3, "instance": 5}]}
                ],
            }
        ],
        "clone_session_entries": [
            {"clone_session_id": 7, "replicas": [{"egress_port": 1, "backup_replicas": [{"port": 2}]}]}
        ],
    }
    s1.load_entries(document)
    assert ways.group(9) == [GroupMember(1, 1, 3), GroupMember(2)]
    assert table.entry({"hdr.request.index": 4}).actions == (WeightedAction("I.drop", {}, 1, 1),)
    assert table.entry({"hdr.request.index": 4}).at_random
    assert s1.multicast_groups()[6] == [Replica(1, 0, (Replica(2), Replica(3, 5)))]
    assert s1.clone_sessions()[7] == CloneSession(replicas=(Replica(1, 0, (Replica(2),)),))


def test_objects_outside_the_program(s1: Switch):
    s1.set_multicast_group(4, [3, Replica(1, 9)])
    s1.set_clone_session(0, port=1)
    s1.set_clone_session(2, group=4, length=10)
    assert s1.multicast_groups() == {4: [Replica(3), Replica(1, 9)]}
    s1.set_clone_session(3, replicas=[2, Replica(3, 7)], priority=0)
    with pytest.raises(weir.ControlError, match="class of service 8: the classes are 0 to 7"):
        s1.set_clone_session(3, replicas=[2], priority=8)
    assert s1.clone_sessions() == {
        0: CloneSession(1),
        2: CloneSession(None, 4, 10),
        3: CloneSession(replicas=(Replica(2), Replica(3, 7)), priority=0),
    }
    s1.set_queue_rate("1000pps")
    s1.set_queue_rate("1500kbit", 2)
    s1.set_queue_rate("7pps", 2, 0)
    s1.set_queue_depth(3, 2)
    assert s1.queues(1) == [Queue(0, 0, 64, None, "1000pps")]
    assert s1.queues(2) == [Queue(0, 0, 3, "7pps", "1.5Mbit")]
    s1.set_queue_rate(None, 2)
    assert s1.queues(2)[0].port_rate is None


def test_custom_crcs(s1: Switch, bench: Bench):
    def hashed(what: int) -> int:
        return int.from_bytes(send(bench, what, value=0x3132)[4:], "big")

    # CRC-16/IBM-3740 and CRC-32/BZIP2 of the characters 12.
    assert s1.crc("crc16_custom") == Crc(0x8005, 0, 0, True, True)
    s1.set_crc("crc16_custom", Crc(0x1021, 0xFFFF))
    s1.set_crc("crc32_custom", Crc(0x04C11DB7, 0xFFFFFFFF, 0xFFFFFFFF))
    assert (hashed(15), hashed(16)) == (
        crc(b"12", 16, 0x1021, 0xFFFF, 0),
        crc(b"12", 32, 0x04C11DB7, 2**32 - 1, 2**32 - 1),
    )
    assert s1.crc("crc32_custom") == Crc(0x04C11DB7, 0xFFFFFFFF, 0xFFFFFFFF, False, False)


def crc(octets: bytes, width: int, polynomial: int, initial: int, final: int) -> int:
    """A CRC computed bit by bit, without reflections."""
    register, top = initial, 1 << (width - 1)
    for octet in octets:
        for bit in range(7, -1, -1):
            carry = bool(register & top) ^ bool(octet >> bit & 1)
            register = (register << 1 & (top << 1) - 1) ^ (polynomial if carry else 0)
    return register ^ final


def test_a_reset_clears_tables_and_cells(s1: Switch):
    s1.table("prefixes").insert({}, "drop")
    s1.register("number").write(0, 5)
    s1.value_set("noted").add(1, 2)
    s1.reset()
    assert (len(s1.table("prefixes")), s1.register("number")[0], len(s1.value_set("noted"))) == (0, 0, 0)
    assert len(s1.table("fixed")) == 2


PREFIX = {"hdr.request.answer": "10.0.0.0/8"}


def test_meters_slower_than_one_a_second(s1: Switch):
    slow = Rates(0.1, 1, 1 / 3, 2)
    s1.meter("by_packets").write(0, slow)
    assert s1.meter("by_packets").read(0) == Rates(0.1, 1, 0.333333333, 2)
    largest = Rates(2**64 - 1, 1, 2**64 - 1, 2)
    s1.meter("by_packets").write(0, largest)
    assert s1.meter("by_packets").read(0) == largest


EXPECTED_VALUE = 'expected a value such as 1, "0x0800", "10.0.1.1" or "08:00:00:00:01:11"'


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.counter("bth"), 'there is no counter "bth"; did you mean "I.both"?'),
        (lambda s: s.counter(5), "expected a counter's name, found 5"),
        (lambda s: s.counter("both")[8], "I.both has 8 cells: index 8 is out of range"),
        (lambda s: s.counter("both")[-1], "I.both has 8 cells: index -1 is out of range"),
        (lambda s: s.counter("both")["0"], "expected an index of I.both, found '0'"),
        (lambda s: s.counter("both").write(0, 2**64), f"packets {2**64} is out of range: expected 0 to {2**64 - 1}"),
        (lambda s: s.counter("hits")[0], "table `I.all_kinds` has no entry with handle 0"),
        (lambda s: s.register("number").write(0, 2**48), f"a cell of I.number: {2**48} does not fit in 48 bits (at most {2**48 - 1})"),
        (lambda s: s.register("number").write(0, {}), f"a cell of I.number: {EXPECTED_VALUE}, found an object"),
        (lambda s: s.register("number").write(0, {"a": 1}), f"a cell of I.number: {EXPECTED_VALUE}, found an object"),
        (lambda s: s.load_entries({"register_entries": [{"register": "number", "index": 2, "data": {}}]}), f"$.register_entries[0].data: a cell of I.number: {EXPECTED_VALUE}, found an object"),
        (lambda s: s.register("pair").write(0, {"frist": 1}), 'a cell of I.pair has no field "frist"; did you mean "first"?'),
        (lambda s: s.register("pair").write(0, {"first": 256}), "field first of a cell of I.pair: 256 does not fit in 8 bits (at most 255)"),
        (lambda s: s.meter("by_bytes").write(0, Rates(3, 1, 2, 1)), "the committed rate 3 is above the peak rate 2: no packet could be yellow"),
        (lambda s: s.meter("by_bytes").write(0, (1, 1, 1, 1)), "expected Rates or None, found (1, 1, 1, 1)"),
        (lambda s: s.meter("by_bytes").write(0, Rates("1", 1, 2, 1)), "expected a rate in units per second, found '1'"),
        (lambda s: s.meter("by_bytes").write(0, Rates(float("nan"), 1, 2, 1)), f"a rate nan is out of range: expected 0 to {2**64 - 1}"),
        (lambda s: s.meter("by_bytes").write(0, Rates(1e-10, 1, 2, 1)), "1e-10 is too small: expected at least a billionth per second"),
        (lambda s: s.meter("by_bytes").write(0, Rates(-1, 1, 2, 1)), f"a rate -1 is out of range: expected 0 to {2**64 - 1}"),
        (lambda s: s.action_profile("places").add_group(), "I.places is an action profile without selector: it has no groups"),
        (lambda s: s.action_profile("ways").add_group([3]), "`I.ways` has no member 3; its members: none"),
        (lambda s: s.action_profile("ways").add_member("to"), "action I.to needs the parameter port (9 bits)"),
        (lambda s: s.action_profile("ways").add_member("answer", {"what": 1}), 'table I.balance has no action "answer" (its actions: I.to, I.drop)'),
        (lambda s: s.action_profile("ways").delete_member(3), "`I.ways` has no member 3; its members: none"),
        (lambda s: s.table("balance").insert({"hdr.request.index": 1}, "drop"), "the actions of table `I.balance` are in its action profile `I.ways`: an entry names a member, a group, or a list of actions with weights"),
        (lambda s: s.table("prefixes").insert(PREFIX, member=1), "table `I.prefixes` has no action profile: its entries name actions, not members or groups"),
        (lambda s: s.table("prefixes").insert(PREFIX), "expected one of an action, a member, a group and a list of actions"),
        (lambda s: s.table("prefixes").insert(PREFIX, "drop", member=1), "expected one of an action, a member, a group and a list of actions"),
        (lambda s: s.table("balance").insert({"hdr.request.index": 1}, None, {"port": 1}, member=1), "parameters need an action, and there is none"),
        (lambda s: s.table("prefixes").insert(PREFIX, "drop", idle_timeout="0s"), "an idle time-out of 0 would always have run out; omit it for none"),
        (lambda s: s.table("fixed").set_idle_timeout(0, "1s"), "table `I.fixed` has no `support_timeout = true`: its entries take no idle time-out"),
        (lambda s: s.table("fixed").rates(0), "table `I.fixed` has no direct meter"),
        (lambda s: s.table("fixed").delete(0), "the entries of table `I.fixed` are constant"),
        (lambda s: s.table("prefixes").delete(-1), f"an entry's handle -1 is out of range: expected 0 to {2**64 - 1}"),
        (lambda s: s.table("prefixes").entry(7), "table `I.prefixes` has no entry with handle 7"),
        (lambda s: s.value_set("noted").add(1), "a member of P.noted takes 2 values: what (exact, 8 bits), index (ternary, 8 bits); found 1"),
        (lambda s: s.value_set("noted").remove(1, 2), "P.noted has no such member"),
        (lambda s: s.value_set("dropped").set([1, 2, 3]), "value set `P.dropped` takes 2 members, not 3"),
        (lambda s: s.delete_multicast_group(99), "there is no multicast group 99"),
        (lambda s: s.delete_clone_session(99), "there is no clone session 99"),
        (lambda s: s.value_set("dropped").set([7, 7]), "the members of value set `P.dropped` are not distinct: number 2 equals one before it"),
        (lambda s: s.value_set("dropped").remove(7), "P.dropped has no such member"),
        (lambda s: s.runtime.run("mirroring_delete 99"), "there is no clone session 99 (mirroring_add makes one)"),
        (lambda s: s.set_queue_depth(-1, port=1), "a depth in packets -1 is out of range: expected 0 to 2147483647"),
        (lambda s: s.register("pair").write(0, {"first": 2}), 'a cell of I.pair needs its field "second": a write replaces the whole cell'),
        (lambda s: s.set_multicast_group(0, [1]), "a multicast group's number 0 is out of range: expected 1 to 65535"),
        (lambda s: s.set_multicast_group(1, [Replica(1, 0, (1,))]), "the port 1 is its own backup"),
        (lambda s: s.set_clone_session(1, replicas=[Replica(1, 0, (2, 1))]), "the port 1 is its own backup"),
        (lambda s: s.set_multicast_group(1, [Replica(1, 0, (Replica(2, 0, (3,)),))]), "port 1: a backup has no backups of its own; list them in order"),
        (lambda s: s.action_profile("ways").add_group([GroupMember(0, watch_port=-1)]), f"a port to watch -1 is out of range: expected 0 to {2**32 - 1}"),
        (lambda s: (s.action_profile("ways").add_member("drop"), s.action_profile("ways").add_group([GroupMember(0, watch_port=9)])), "the switch has no port 9; its ports: 1, 2, 3"),
        (lambda s: s.table("balance").insert({"hdr.request.index": 1}, actions=[WeightedAction("drop", {}, watch_port=9)]), "the switch has no port 9; its ports: 1, 2, 3"),
        (lambda s: s.action_profile("ways").group(7), "I.ways has no group 7 (groups: none)"),
        (lambda s: s.set_clone_session(1), "a clone session needs a port, replicas or a multicast group"),
        (lambda s: s.queues(9), "the switch has no port 9; its ports: 1, 2, 3"),
        (lambda s: s.set_queue_rate("0pps"), f"a rate in packets per second 0 is out of range: expected 1 to {2**63 - 1}"),
        (lambda s: s.set_queue_rate("fast"), "cannot read rate 'fast': expected a number and a unit, such as \"10Mbit\""),
        (lambda s: s.set_queue_depth(1, priority=4), "ports have 1 queue, there is no priority 4"),
        (lambda s: s.crc("crc8"), 'there is no CRC calculation "crc8" with parameters to set (there are: calc, calc_0; `crc16_custom` and `crc32_custom` mean all of an algorithm)'),
        (lambda s: s.set_crc("crc16_custom", Crc(0x10000)), "polynomial of `crc16_custom`: value 0x10000 needs 17 bits, field has 16"),
    ],
)  # fmt: skip
def test_mistakes_are_named(s1: Switch, call: Callable[[Switch], Any], message: str):
    with pytest.raises((ControlError, UnitError)) as caught:
        call(s1)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"action_profile_members": [{"member_id": 1}]}, '$.action_profile_members[0]: missing key "action_profile"\n$.action_profile_members[0]: missing key "action_name"'),
        ({"action_profile_members": [{"action_profile": "wys", "member_id": 1}]}, '$.action_profile_members[0].action_profile: there is no action profile "wys"; did you mean "I.ways"?\n$.action_profile_members[0]: missing key "action_name"'),
        ({"action_profile_members": [{"action_profile": "ways", "member_id": 1, "action_name": "answer"}]}, '$.action_profile_members[0].action_name: table I.balance has no action "answer" (its actions: I.to, I.drop)'),
        ({"action_profile_groups": [{"action_profile": "places", "group_id": 1, "members": []}]}, "$.action_profile_groups[0].action_profile: I.places is an action profile without selector: it has no groups"),
        ({"action_profile_groups": [{"action_profile": "ways", "group_id": 1, "members": [{"member_id": 4}]}]}, "$.action_profile_groups[0]: `I.ways` has no member 4; its members: none"),
        ({"action_profile_groups": [{"action_profile": "ways", "group_id": 1, "members": [{"member_id": 4}, {"member_id": 4}]}]}, "$.action_profile_groups[0].members[1].member_id: member 4 is listed twice; give it a larger weight instead"),
        ({"table_entries": [{"table": "balance", "match": {"hdr.request.index": 1}, "action_profile_member_id": 1, "action_profile_group_id": 1}]}, "$.table_entries[0].action_profile_group_id: an entry has one of action_profile_member_id and action_profile_group_id"),
        ({"table_entries": [{"table": "balance", "match": {"hdr.request.index": 1}, "action_profile_action_set": [{"action_name": "to", "weight": 0}]}]}, "$.table_entries[0].action_profile_action_set[0]: action I.to needs the parameter port (9 bits)\n$.table_entries[0].action_profile_action_set[0].weight: 0 is out of range: expected a weight from 1 to 4294967295"),
        ({"action_profile_groups": [{"action_profile": "ways", "group_id": 1, "members": [{"member_id": 4, "watch_prt": 1}]}]}, '$.action_profile_groups[0].members[0].watch_prt: unknown key "watch_prt"; did you mean "watch_port"?'),
        ({"table_entries": [{"table": "balance", "match": {"hdr.request.index": 1}, "action_profile_action_set": [{"action_name": "drop", "watch_port": 9}]}]}, "$.table_entries[0]: the switch has no port 9; its ports: 1, 2, 3"),
        ({"table_entries": [{"table": "balance", "match": {"hdr.request.index": 1}, "action_name": "drop", "at_random": True}]}, "$.table_entries[0].at_random: an entry with group_action or at_random needs action_profile_action_set"),
        ({"table_entries": [{"table": "balance", "match": {"hdr.request.index": 1}, "action_profile_action_set": [{"action_name": "drop"}], "group_action": {"action_name": "drop"}}]}, "$.table_entries[0].group_action.action_name: I.drop cannot be a group action of table I.balance: its actions list does not mark it @groupaction"),
        ({"multicast_group_entries": [{"multicast_group_id": 1, "replicas": [{"egress_port": 1, "backup_replicas": [{"egress_port": 1}]}]}]}, '$.multicast_group_entries[0].replicas[0].backup_replicas[0].egress_port: unknown key "egress_port" (known: port, instance)\n$.multicast_group_entries[0].replicas[0].backup_replicas[0]: missing key "port"'),
        ({"multicast_group_entries": [{"multicast_group_id": 1, "replicas": [{"egress_port": 1, "backup_replicas": [{"port": 1}]}]}]}, "$.multicast_group_entries[0].replicas: the port 1 is its own backup"),
        ({"table_entries": [{"table": "fixed", "match": {"hdr.request.index": 9}, "action_name": "NoAction"}]}, "$.table_entries[0]: the entries of table `I.fixed` are constant"),
        ({"meter_entries": [{"meter": "by_bytes", "config": {"cir": 3, "cburst": 1, "pir": 2, "pburst": 1}}]}, "$.meter_entries[0]: the committed rate 3 is above the peak rate 2: no packet could be yellow"),
        ({"meter_entries": [{"meter": "by_bytes", "index": 4, "config": {"cir": 1, "cburst": 1, "pir": 2, "pburst": 1}}]}, "$.meter_entries[0]: I.by_bytes has 4 cells: index 4 is out of range"),
        ({"counter_entries": [{"counter": "both", "index": 0, "data": {"packets": 1}}]}, '$.counter_entries[0].data.packets: unknown key "packets"; did you mean "packet_count"?'),
        ({"direct_meter_entries": [{"table": "prefixes", "match": {}, "config": {"cir": 1, "cburst": 1, "pir": 2, "pburst": 1}}]}, "$.direct_meter_entries[0]: table `I.prefixes` has no entry with this key"),
        ({"register_entries": [{"register": "pair", "index": 0, "data": {"first": 256}}]}, "$.register_entries[0].data: field first of a cell of I.pair: 256 does not fit in 8 bits (at most 255)"),
        ({"value_set_entries": [{"value_set": "noted", "members": [5]}]}, "$.value_set_entries[0].members[0]: a member of P.noted takes 2 values: what (exact, 8 bits), index (ternary, 8 bits); found 1"),
    ],
)  # fmt: skip
def test_mistakes_in_files_name_their_place(s1: Switch, document: dict[str, Any], message: str):
    with pytest.raises(WeirError) as caught:
        s1.load_entries(document)
    assert str(caught.value) == message
