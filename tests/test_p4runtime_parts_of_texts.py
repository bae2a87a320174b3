"""Ternary, lpm and range keys of types translated to `string`: the same here and at a client."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weir
from weir.control import TableEntry
from weir.errors import ControlError
from weir.p4runtime import Client, ServerOptions

PROGRAM = """\
#include <core.p4>
#include <v1model.p4>
@p4runtime_translation("example.org/port", string)
@p4runtime_translation_mappings({{"Ethernet0", 256}, {"Ethernet1/1", 1}, {"Ethernet1/2", 2}})
type bit<9> name_t;
@p4runtime_translation("example.org/PortNumber", 32)
type bit<9> number_t;
struct headers_t { }
struct metadata_t { name_t name; number_t number; }
parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    value_set<name_t>(4) trusted;
    state start {
        meta.name = (name_t) standard.ingress_port;
        meta.number = (number_t) standard.ingress_port;
        transition select(meta.name) { trusted: accept; default: accept; }
    }
}
control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action send(bit<9> port) { standard.egress_spec = port; }
    table masks { key = { meta.name: ternary; } actions = { send; NoAction; } }
    table prefixes { key = { meta.name: lpm; } actions = { send; NoAction; } }
    table ranges { key = { meta.name: range; } actions = { send; NoAction; } }
    table numbers { key = { meta.number: lpm; } actions = { send; NoAction; } }
    apply { masks.apply(); prefixes.apply(); ranges.apply(); numbers.apply(); }
}
control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) { apply {} }
control MyChecks(inout headers_t hdr, inout metadata_t meta) { apply {} }
control MyDeparser(packet_out packet, in headers_t hdr) { apply {} }
V1Switch(MyParser(), MyChecks(), MyIngress(), MyEgress(), MyChecks(), MyDeparser()) main;
"""

# A table, the entries that are written, and the entries that are read back.
WRITTEN = [
    ("masks", "Ethernet0 &&& 0x1ff", "Ethernet0 &&& 0x1ff"),
    ("masks", ["Ethernet1/1", 511], "Ethernet1/1 &&& 0x1ff"),
    ("masks", "Ethernet1/2 &&& 0x1fe", "Ethernet1/2 &&& 0x1fe"),
    ("masks", "*", "*"),
    ("prefixes", "Ethernet0/9", "Ethernet0/9"),
    ("prefixes", "Ethernet1/1/9", "Ethernet1/1/9"),
    ("prefixes", ["Ethernet0", 1], "Ethernet0/1"),
    ("prefixes", "*", "*"),
    ("ranges", "Ethernet1/1..Ethernet1/2", "Ethernet1/1..Ethernet1/2"),
    ("ranges", "1..3", "Ethernet1/1..3"),
    ("ranges", "*", "*"),
]


@pytest.fixture
def net(tmp_path: Path) -> Iterator[weir.Network]:
    program = tmp_path / "parts.p4"
    program.write_text(PROGRAM)
    topo = weir.Topology()
    topo.add_switch("s1")
    for number in (1, 2):
        topo.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
        topo.add_link(f"h{number}", f"s1-p{number}")
    with weir.Network(topo, program, p4runtime=ServerOptions("127.0.0.1:0")) as network:
        yield network


@pytest.fixture(params=["by names", "by texts"])
def client(net: weir.Network, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Client]:
    """A client that knows the program, and a client that knows only its P4Info."""
    with Client(net.p4runtime.address("s1")) as found:
        if request.param == "by names":
            found.set_program(tmp_path / "parts.p4", action="reconcile_and_commit")
        yield found


def key(table: str) -> str:
    return "meta.number" if table == "numbers" else "meta.name"


def insert(to: Any, table: str, match: object, number: int) -> None:
    priority = None if table in ("prefixes", "numbers") else number
    to.table(table).insert({key(table): match}, "send", {"port": 1}, priority=priority)


def rows(of: Any, table: str) -> list[tuple[str, int | None]]:
    entries: list[TableEntry] = of.table(table).entries()
    return sorted((entry.match[key(table)], entry.priority) for entry in entries)


@pytest.mark.parametrize("writer", ["switch", "client"])
@pytest.mark.parametrize(("table", "match", "shown"), WRITTEN)
def test_parts_are_the_same_on_both_sides(
    net: weir.Network, client: Client, writer: str, table: str, match: object, shown: str
):
    switch = net.switch("s1")
    insert(switch if writer == "switch" else client, table, match, 5)
    assert [entry for entry, _ in rows(client, table)] == [shown]
    assert rows(client, table) == rows(switch, table)
    # The match that is read identifies its entry.
    with pytest.raises(ControlError, match="already"):
        insert(client, table, shown, 5)
    if shown != "*":
        insert(client, table, "*", 5)
    [entry] = [entry for entry in client.table(table).entries() if entry.match[key(table)] == shown]
    client.table(table).delete(entry)
    assert [found for found, _ in rows(switch, table)] == (["*"] if shown != "*" else [])


@pytest.mark.parametrize(
    ("table", "match", "message"),
    [
        ("masks", "Ethernet9 &&& 0x1ff", 'no number stands for "Ethernet9"|cannot read the value "Ethernet9"'),
        ("masks", "Ethernet1/1 &&& 0x1fe", "bits outside its mask|bits set where the mask"),
        ("masks", "Ethernet1/1", "a ternary key: expected"),
        ("prefixes", "Ethernet1/1/8", "bits behind its prefix|bits set past its prefix"),
        ("ranges", "Ethernet0..1", "low end is above|is empty"),
    ],
)  # fmt: skip
def test_parts_that_cannot_be_are_refused_without_a_wrong_hint(
    client: Client, table: str, match: str, message: str
):
    with pytest.raises(ControlError, match=message) as caught:
        insert(client, table, match, 5)
    assert "0x45" not in str(caught.value)  # "E" in ASCII
    assert client.table(table).entries() == []


def test_a_part_of_a_wider_number_keeps_its_meaning(net: weir.Network, client: Client):
    insert(net.switch("s1"), "numbers", [4, 7], 1)
    # 7 of the switch's 9 bits are 30 of a controller's 32.
    assert rows(client, "numbers") == [("0.0.0.4/30", None)]


def test_members_of_value_sets_are_texts(net: weir.Network, client: Client):
    client.value_set("trusted").set(["Ethernet1/1", "7"])
    assert client.value_set("trusted").members() == [("Ethernet1/1",), ("7",)]
    assert net.switch("s1").value_set("trusted").members() == [("Ethernet1/1",), ("7",)]
    with pytest.raises(ControlError, match=r"trusted`: field 1: no number stands|cannot read the value"):
        client.value_set("trusted").set(["Ethernet9"])
