"""The tutorials' runtime JSON is applied whole or not at all; mistakes have a JSON path."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

import weir
from weir.control import CloneSession, Replica
from weir.errors import ControlError

NET = Path(__file__).parent / "net"
GOOD: dict[str, Any] = json.loads((NET / "s1-runtime.json").read_text())


@pytest.fixture
def empty(router: weir.Program):
    """A switch with four ports and no entries."""
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in range(1, 5):
        topology.add_host(f"h{number}", ip=f"10.0.{number}.{number}/24")
        topology.add_link(f"h{number}", f"s1-p{number}")
    with weir.Network(topology, router) as net:
        yield net.switch("s1")


def at_entry(**values: Any):
    return lambda d: d["table_entries"][1].update(values)


def without(key: str):
    return lambda d: d["table_entries"][1].pop(key)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(table_entry=[]), '$.table_entry: unknown key "table_entry"; did you mean "table_entries"?'),
        (lambda d: d.update(target="bmv3"), '$.target: unknown target "bmv3"; did you mean "bmv2"?'),
        (lambda d: d.update(p4info=1), "$.p4info: expected a file's name (a string), found a number 1"),
        (lambda d: d.update(table_entries={}), "$.table_entries: expected a list, found an object"),
        (lambda d: d["table_entries"].append(1), "$.table_entries[3]: expected an object, found a number 1"),
        (at_entry(tabel="x"), '$.table_entries[1].tabel: unknown key "tabel"; did you mean "table"?'),
        (without("table"), '$.table_entries[1]: missing key "table"'),
        (without("action_name"), '$.table_entries[1]: missing key "action_name"'),
        (at_entry(table="MyIngress.ipv4_lmp"), '$.table_entries[1].table: there is no table "MyIngress.ipv4_lmp"; did you mean "MyIngress.ipv4_lpm"?'),
        (at_entry(table=5), "$.table_entries[1].table: expected a table's name (a string), found a number 5"),
        (at_entry(action_name="MyIngress.ipv4_foward"), '$.table_entries[1].action_name: table MyIngress.ipv4_lpm has no action "MyIngress.ipv4_foward"; did you mean "MyIngress.ipv4_forward"?'),
        (at_entry(action_name="NoAction", action_params={}), "$.table_entries[1].action_name: NoAction is for the default of table MyIngress.ipv4_lpm only (@defaultonly)"),
        (at_entry(match={"hdr.ipv4.dstAdr": ["10.0.1.1", 32]}), '$.table_entries[1].match."hdr.ipv4.dstAdr": table MyIngress.ipv4_lpm has no key "hdr.ipv4.dstAdr"; did you mean "hdr.ipv4.dstAddr"?'),
        (at_entry(match={"hdr.ipv4.dstAddr": "10.0.1.1"}), '$.table_entries[1].match."hdr.ipv4.dstAddr": key hdr.ipv4.dstAddr: hdr.ipv4.dstAddr is an lpm key: expected [value, prefix length], found a string "10.0.1.1"'),
        (at_entry(match={"hdr.ipv4.dstAddr": ["10.0.1.300", 32]}), '$.table_entries[1].match."hdr.ipv4.dstAddr": key hdr.ipv4.dstAddr: "10.0.1.300" is not an IPv4 address (300 is above 255)'),
        (at_entry(match=[]), "$.table_entries[1].match: expected an object, found a list"),
        (at_entry(action_params={"dstAddr": "08:00:00:00:01:11", "prt": 1}), '$.table_entries[1].action_params.prt: action MyIngress.ipv4_forward has no parameter "prt"; did you mean "port"?'),
        (at_entry(action_params={"dstAddr": "08:00:00:00:01:11", "port": 1000}), "$.table_entries[1].action_params.port: parameter port of MyIngress.ipv4_forward: 1000 does not fit in 9 bits (at most 511)"),
        (at_entry(action_params={"port": 1}), "$.table_entries[1].action_params: action MyIngress.ipv4_forward needs the parameter dstAddr (48 bits)"),
        (without("action_params"), "$.table_entries[1]: action MyIngress.ipv4_forward needs the parameter dstAddr (48 bits)"),
        (at_entry(priority=5), "$.table_entries[1].priority: table MyIngress.ipv4_lpm has no ternary, range or optional key: its entries have no priority"),
        (at_entry(priority="5"), '$.table_entries[1].priority: expected a priority (a whole number), found a string "5"'),
        (at_entry(default_action="yes"), '$.table_entries[1].default_action: expected true or false, found a string "yes"'),
        (at_entry(default_action=True), "$.table_entries[1].match: a default action has no match"),
        (at_entry(table="MyIngress.acl", match={}, action_name="MyIngress.drop", action_params={}), "$.table_entries[1]: table MyIngress.acl has the ternary key hdr.ipv4.srcAddr: its entries need a priority of 1 or more"),
        (lambda d: d["table_entries"].append(d["table_entries"][1]), "$.table_entries[3]: this entry of table `MyIngress.ipv4_lpm` is here twice; the first is at 1:"),
        (lambda d: d.update(multicast_group_entries=[{"multicast_group_id": 0, "replicas": []}]), "$.multicast_group_entries[0].multicast_group_id: 0 is out of range: expected a group's number from 1 to 65535"),
        (lambda d: d.update(multicast_group_entries=[{"multicast_group_id": 1}]), '$.multicast_group_entries[0]: missing key "replicas"'),
        (lambda d: d.update(multicast_group_entries=[{"multicast_group_id": 1, "replicas": [{"port": 1}]}]), '$.multicast_group_entries[0].replicas[0].port: unknown key "port"; did you mean "egress_port"?'),
        (lambda d: d.update(clone_session_entries=[{"clone_session_id": 1, "replicas": []}]), "$.clone_session_entries[0].replicas: a clone session needs a replica"),
    ],
)  # fmt: skip
def test_mistakes_change_nothing(empty: weir.Switch, tmp_path: Path, change, message: str):
    document = copy.deepcopy(GOOD)
    change(document)
    path = tmp_path / "s1-runtime.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ControlError) as caught:
        empty.load_entries(path)
    place, _, found = str(caught.value).removeprefix(f"{path}:").partition(": ")
    assert re.fullmatch("1:[0-9]+", place), "the document is one line"
    assert found.startswith(message)
    assert all(table.entries() == [] for table in empty.tables.values())
    assert empty.table("ipv4_lpm").default.action == "MyIngress.drop"


def test_a_document_made_in_python(empty: weir.Switch):
    assert empty.load_entries(GOOD) == 3
    assert len(empty.table("ipv4_lpm").entries()) == 2
    with pytest.raises(ControlError) as caught:
        empty.load_entries({"table_entries": [{}]})
    assert str(caught.value) == (
        '$.table_entries[0]: missing key "table"\n$.table_entries[0]: missing key "action_name"'
    )


def test_multicast_groups_and_clone_sessions(empty: weir.Switch):
    document = {
        "multicast_group_entries": [
            {
                "multicast_group_id": 1,
                "replicas": [{"egress_port": 1, "instance": 1}, {"egress_port": 2, "instance": 1}],
            }
        ],
        "clone_session_entries": [
            {"clone_session_id": 5, "replicas": [{"egress_port": 3}], "packet_length_bytes": 128},
            {
                "clone_session_id": 6,
                "replicas": [{"egress_port": 3, "instance": 1}, {"egress_port": 4, "instance": 2}],
            },
        ],
    }
    assert empty.load_entries(document) == 3
    assert empty.clone_sessions() == {
        5: CloneSession(3, length=128),
        6: CloneSession(replicas=(Replica(3, 1), Replica(4, 2))),
    }


def test_every_kind_of_match(empty: weir.Switch):
    row = {
        "table": "MyIngress.acl",
        "match": {
            "hdr.ipv4.srcAddr": ["10.0.0.0", "0xff000000"],
            "hdr.ipv4.ttl": [1, 9],
            "hdr.ipv4.protocol": 6,
        },
        "priority": 3,
        "action_name": "MyIngress.drop",
        "action_params": {},
    }
    empty.load_entries({"table_entries": [row]})
    (entry,) = empty.table("acl").entries()
    assert dict(entry.match) == {
        "hdr.ipv4.srcAddr": "0xa000000 &&& 0xff000000",
        "hdr.ipv4.ttl": "1..9",
        "hdr.ipv4.protocol": "6",
    }
