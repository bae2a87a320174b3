"""Tables from Python: written entries are read back, and errors name every mistake."""

from typing import Any

import pytest

import weir
from weir.errors import ControlError
from weir.program.values import format_value, read_value

FORWARD = {"dstAddr": "08:00:00:00:02:22", "port": 2}


def test_tables_of_the_program(router: weir.Program):
    lpm = router.tables["MyIngress.ipv4_lpm"]
    assert [(key.name, key.width, key.match_kind) for key in lpm.keys] == [("hdr.ipv4.dstAddr", 32, "lpm")]
    assert [action.name for action in lpm.actions] == [
        "MyIngress.ipv4_forward",
        "MyIngress.drop",
        "MyIngress.flood",
        "NoAction",
    ]
    assert lpm.actions[3].default_only
    assert lpm.size == 4
    assert router.tables["MyIngress.ports"].const_default


def test_entries_of_the_file_are_read_back(s1: weir.Switch):
    table = s1.table("ipv4_lpm")
    assert [str(entry) for entry in table.entries()] == [
        "hdr.ipv4.dstAddr=10.0.1.1/32 -> MyIngress.ipv4_forward(dstAddr=08:00:00:00:01:11, port=1)",
        "hdr.ipv4.dstAddr=10.0.2.0/24 -> MyIngress.ipv4_forward(dstAddr=08:00:00:00:02:22, port=2)",
    ]
    assert str(table.default) == "(default) -> MyIngress.drop()"


@pytest.mark.parametrize(
    ("name", "match", "priority", "shown"),
    [
        ("ipv4_lpm", {"hdr.ipv4.dstAddr": ["10.9.0.0", 16]}, None, {"hdr.ipv4.dstAddr": "10.9.0.0/16"}),
        ("ipv4_lpm", {"hdr.ipv4.dstAddr": "10.9.0.0/16"}, None, {"hdr.ipv4.dstAddr": "10.9.0.0/16"}),
        ("ipv4_lpm", {"hdr.ipv4.dstAddr": [0x0A090000, 16]}, None, {"hdr.ipv4.dstAddr": "10.9.0.0/16"}),
        ("ipv4_lpm", {}, None, {"hdr.ipv4.dstAddr": "0.0.0.0/0"}),
        ("ports", {"standard_metadata.ingress_port": 1}, None, {"standard_metadata.ingress_port": "1"}),
        (
            "ports",
            {"standard_metadata.ingress_port": "0x1ff"},
            None,
            {"standard_metadata.ingress_port": "511"},
        ),
        (
            "acl",
            {"hdr.ipv4.srcAddr": ["10.0.0.0", "255.0.0.0"], "hdr.ipv4.ttl": [1, 5], "hdr.ipv4.protocol": 6},
            7,
            {
                "hdr.ipv4.srcAddr": "0xa000000 &&& 0xff000000",
                "hdr.ipv4.ttl": "1..5",
                "hdr.ipv4.protocol": "6",
            },
        ),
        (
            "acl",
            {"hdr.ipv4.ttl": "0..0"},
            1,
            {"hdr.ipv4.srcAddr": "*", "hdr.ipv4.ttl": "0..0", "hdr.ipv4.protocol": "*"},
        ),
        (
            "acl",
            {"hdr.ipv4.srcAddr": "*", "hdr.ipv4.ttl": "0..255"},
            1,
            {"hdr.ipv4.srcAddr": "*", "hdr.ipv4.ttl": "*", "hdr.ipv4.protocol": "*"},
        ),
    ],
)
def test_entries_survive_text(
    s1: weir.Switch, name: str, match: dict[str, Any], priority: int | None, shown: dict[str, str]
):
    table = s1.table(name)
    table.insert(match, "drop", priority=priority)
    entry = table.entries()[-1]
    assert (dict(entry.match), entry.action, entry.priority) == (shown, "MyIngress.drop", priority)
    table.delete(entry.match, entry.priority)
    table.insert(entry.match, entry.action, entry.params, entry.priority)
    assert table.entries()[-1] == entry


def test_modify_delete_and_default(s1: weir.Switch):
    table = s1.table("MyIngress.ipv4_lpm")
    table.modify({"hdr.ipv4.dstAddr": "10.0.2.0/24"}, "drop")
    assert [entry.action for entry in table.entries()] == ["MyIngress.ipv4_forward", "MyIngress.drop"]
    table.delete({"hdr.ipv4.dstAddr": "10.0.1.1/32"})
    assert [entry.action for entry in table.entries()] == ["MyIngress.drop"]
    table.set_default("ipv4_forward", FORWARD)
    assert dict(table.default.params) == {"dstAddr": "08:00:00:00:02:22", "port": "2"}


def test_written_entries_take_effect(network: weir.Network):
    table = network.switch("s1").table("acl")
    h1 = network.host("h1")
    assert h1.ping("h2", count=1).received == 1
    table.insert({"hdr.ipv4.srcAddr": ["10.0.1.1", "0xffffffff"]}, "drop", priority=1)
    assert h1.ping("h2", count=1).received == 0
    table.delete({"hdr.ipv4.srcAddr": ["10.0.1.1", "0xffffffff"]}, priority=1)
    assert h1.ping("h2", count=1).received == 1


def test_frames(s1: weir.Switch):
    frame = s1.table("ipv4_lpm").to_frame()
    assert frame.columns == ["hdr.ipv4.dstAddr", "action", "params", "priority", "packets", "bytes"]
    assert frame["hdr.ipv4.dstAddr"].to_list() == ["10.0.1.1/32", "10.0.2.0/24"]
    assert frame["params"][0] == "dstAddr=08:00:00:00:01:11, port=1"


LPM = {"hdr.ipv4.dstAddr": "10.9.0.0/16"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.table("ipv4_lmp"), 'there is no table "ipv4_lmp"; did you mean "MyIngress.ipv4_lpm"?'),
        (lambda s: s.table("zzz"), 'there is no table "zzz" (there are: MyIngress.ipv4_lpm, MyIngress.acl, MyIngress.ports)'),
        (lambda s: s.table("acl").insert({}, "dorp", priority=1), 'table MyIngress.acl has no action "dorp"; did you mean "MyIngress.drop"?'),
        (lambda s: s.table("acl").insert({}, 5, priority=1), "expected an action's name, found 5"),
        (lambda s: s.table("acl").insert({}, "drop"), "table MyIngress.acl has the ternary key hdr.ipv4.srcAddr: its entries need a priority of 1 or more"),
        (lambda s: s.table("acl").insert({}, "drop", priority=0), "table MyIngress.acl has the ternary key hdr.ipv4.srcAddr: its entries need a priority of 1 or more"),
        (lambda s: s.table("acl").insert({}, "drop", priority=2**31), "priority 2147483648 is out of range: expected 1 to 2147483647"),
        (lambda s: s.table("acl").insert({}, "drop", priority=-1), "priority -1 is out of range: expected 1 to 2147483647"),
        (lambda s: s.table("acl").insert({}, "drop", priority=2**80), "priority 1208925819614629174706176 is out of range: expected 1 to 2147483647"),
        (lambda s: s.table("acl").insert({}, "drop", priority="3"), 'expected a priority, a whole number, found a string "3"'),
        (lambda s: s.table("acl").insert({}, "drop", priority=3.5), "expected a priority, a whole number, found a number 3.5"),
        (lambda s: s.table("acl").insert({}, "drop", priority=True), "expected a priority, a whole number, found true"),
        (lambda s: s.table("acl").insert({}, "drop", priority=b"x"), "expected a priority, a whole number, found bytes b'x'"),
        (lambda s: s.table("acl").delete({}, priority="3"), 'expected a priority, a whole number, found a string "3"'),
        (lambda s: s.table("ipv4_lpm").insert(LPM, "drop", priority=3), "table MyIngress.ipv4_lpm has no ternary, range or optional key: its entries have no priority"),
        (lambda s: s.table("ipv4_lpm").insert({"hdr.ipv4.dstAdr": "1.2.3.4/32"}, "drop"), 'table MyIngress.ipv4_lpm has no key "hdr.ipv4.dstAdr"; did you mean "hdr.ipv4.dstAddr"?'),
        (lambda s: s.table("ports").insert({}, "drop"), "table MyIngress.ports needs a value for the exact key standard_metadata.ingress_port"),
        (lambda s: s.table("ports").insert({"standard_metadata.ingress_port": 512}, "drop"), "key standard_metadata.ingress_port: 512 does not fit in 9 bits (at most 511)"),
        (lambda s: s.table("ports").insert({"standard_metadata.ingress_port": -1}, "drop"), "key standard_metadata.ingress_port: -1 is negative: the values here are unsigned"),
        (lambda s: s.table("ports").insert({"standard_metadata.ingress_port": [1, 2]}, "drop"), "key standard_metadata.ingress_port: standard_metadata.ingress_port matches exactly: expected one value, found 2"),
        (lambda s: s.table("ports").insert({"standard_metadata.ingress_port": "10.0.0.1"}, "drop"), "key standard_metadata.ingress_port: 10.0.0.1 is an IPv4 address of 32 bits, but 9 bits are wanted here"),
        (lambda s: s.table("ipv4_lpm").insert({"hdr.ipv4.dstAddr": "10.9.0.0"}, "drop"), 'key hdr.ipv4.dstAddr: hdr.ipv4.dstAddr is an lpm key: expected [value, prefix length], found a string "10.9.0.0"'),
        (lambda s: s.table("ipv4_lpm").insert({"hdr.ipv4.dstAddr": ["10.9.0.0", 33]}, "drop"), "key hdr.ipv4.dstAddr: prefix length 33 is out of range: hdr.ipv4.dstAddr has 32 bits"),
        (lambda s: s.table("ipv4_lpm").insert({"hdr.ipv4.dstAddr": ["10.9.0.0", "9" * 5000]}, "drop"), "key hdr.ipv4.dstAddr: expected a prefix length from 0 to 32, found a string"),
        (lambda s: s.table("ipv4_lpm").insert({"hdr.ipv4.dstAddr": ["10.9.0.1", 16]}, "drop"), 'key hdr.ipv4.dstAddr: 10.9.0.1/16 has bits set past its prefix; did you mean "10.9.0.0/16"?'),
        (lambda s: s.table("ipv4_lpm").insert({"hdr.ipv4.dstAddr": ["10.9.0", 16]}, "drop"), 'key hdr.ipv4.dstAddr: cannot read the value "10.9.0": expected a number, 0x…, an IPv4, IPv6 or MAC address'),
        (lambda s: s.table("acl").insert({"hdr.ipv4.ttl": [5, 1]}, "drop", priority=1), 'key hdr.ipv4.ttl: the range 5 to 1 is empty; did you mean "[1, 5]"?'),
        (lambda s: s.table("acl").insert({"hdr.ipv4.ttl": 5}, "drop", priority=1), "key hdr.ipv4.ttl: hdr.ipv4.ttl is a range key: expected [low, high], found a number 5"),
        (lambda s: s.table("acl").insert({"hdr.ipv4.srcAddr": [3, 1]}, "drop", priority=1), 'key hdr.ipv4.srcAddr: 3 has bits set where the mask 1 has none; did you mean "0x1 &&& 0x1"?'),
        (lambda s: s.table("ipv4_lpm").insert(LPM, "ipv4_forward", {"dstAddr": "08:00:00:00:02:22"}), "action MyIngress.ipv4_forward needs the parameter port (9 bits)"),
        (lambda s: s.table("ipv4_lpm").insert(LPM, "ipv4_forward", {**FORWARD, "prot": 1}), 'action MyIngress.ipv4_forward has no parameter "prot"; did you mean "port"?'),
        (lambda s: s.table("ipv4_lpm").insert(LPM, "ipv4_forward", {**FORWARD, "port": 512}), "parameter port of MyIngress.ipv4_forward: 512 does not fit in 9 bits (at most 511)"),
        (lambda s: s.table("ipv4_lpm").insert(LPM, "ipv4_forward", {**FORWARD, "dstAddr": "08:00"}), 'parameter dstAddr of MyIngress.ipv4_forward: "08:00" is not a MAC address: expected six pairs of hex digits, found 2'),
        (lambda s: s.table("ipv4_lpm").insert(LPM, "NoAction"), "NoAction is for the default of table MyIngress.ipv4_lpm only (@defaultonly)"),
        (lambda s: s.table("ports").set_default("drop"), "the default action of table `MyIngress.ports` is constant"),
        (lambda s: s.table("ipv4_lpm").delete(LPM), "table `MyIngress.ipv4_lpm` has no entry with this key"),
        (lambda s: s.table("ipv4_lpm").modify(LPM, "drop"), "table `MyIngress.ipv4_lpm` has no entry with this key"),
    ],
)  # fmt: skip
def test_mistakes_are_named(s1: weir.Switch, call, message: str):
    before = {name: table.entries() for name, table in s1.tables.items()}
    with pytest.raises(ControlError) as caught:
        call(s1)
    assert str(caught.value) == message
    assert {name: table.entries() for name, table in s1.tables.items()} == before


def test_an_entry_twice_and_a_full_table(s1: weir.Switch):
    table = s1.table("ipv4_lpm")
    table.insert({"hdr.ipv4.dstAddr": "10.3.0.0/16"}, "drop")
    with pytest.raises(ControlError, match="has this entry already"):
        table.insert({"hdr.ipv4.dstAddr": "10.3.0.0/16"}, "drop")
    table.insert({"hdr.ipv4.dstAddr": "10.4.0.0/16"}, "drop")
    with pytest.raises(ControlError, match="is full: its size is 4"):
        table.insert({"hdr.ipv4.dstAddr": "10.5.0.0/16"}, "drop")


@pytest.mark.parametrize(
    ("value", "width", "number"),
    [
        (5, 8, 5),
        ("5", 8, 5),
        ("0x0800", 16, 0x800),
        ("0b101", 3, 5),
        ("10.0.1.1", 32, 0x0A000101),
        ("08:00:00:00:01:11", 48, 0x080000000111),
        ("08-00-00-00-01-11", 48, 0x080000000111),
        ("2001:db8::1", 128, 0x20010DB8000000000000000000000001),
        (True, 1, 1),
        (b"\x01\x02", 16, 0x102),
        (2**2048 - 1, 2048, 2**2048 - 1),
    ],
)
def test_values(value: Any, width: int, number: int):
    assert read_value(value, width) == number


@pytest.mark.parametrize(
    ("number", "width", "name", "text"),
    [
        (0x080000000111, 48, "x", "08:00:00:00:01:11"),
        (0x0A000101, 32, "hdr.ipv4.dstAddr", "10.0.1.1"),
        (7, 32, "counter", "7"),
        (0x800, 16, "hdr.ethernet.etherType", "0x0800"),
        (1, 128, "hdr.ipv6.dstAddr", "::1"),
    ],
)
def test_values_are_formatted_and_read(number: int, width: int, name: str, text: str):
    assert format_value(number, width, name) == text
    assert read_value(text, width) == number
