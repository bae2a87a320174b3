"""Members of action profiles, and weighted actions, that lead to a port without a link."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from weir.control import WeightedAction

PROGRAM = Path(__file__).parents[1] / "testdata/switch/control.p4"
MEMBER = r"s1: \S*places: (the member|1 member) sends packets to port 9 \((\w+\.)*to\), which no link is connected to \(linked: 1\)"


@pytest.fixture
def network() -> Iterator[weir.Network]:
    topology = weir.Topology()
    topology.add_host("h1", ip="10.0.0.1/24")
    topology.add_switch("s1")
    topology.add_link("h1", "s1-p1")
    with weir.Network(topology, p4=PROGRAM) as net:
        yield net


def test_a_member_gives_a_warning(network: weir.Network):
    places = network.switch("s1").action_profile("places")
    with pytest.warns(weir.WeirWarning, match=MEMBER) as caught:
        places.add_member("to", {"port": 9})
    assert caught[0].filename == __file__
    member = places.add_member("to", {"port": 1})
    with pytest.warns(weir.WeirWarning, match=MEMBER):
        places.modify_member(member, "to", {"port": "0x9"})


def test_weighted_actions_give_a_warning(network: weir.Network):
    balance = network.switch("s1").table("balance")
    one, two = WeightedAction("to", {"port": "1"}), WeightedAction("to", {"port": "9"})
    with pytest.warns(weir.WeirWarning, match=r"balance: the entry sends packets to port 9 \(to\)") as caught:
        balance.insert({"hdr.request.index": 3}, actions=[one, two])
    assert len(caught) == 1
    with pytest.warns(weir.WeirWarning, match="to port 9"):
        balance.modify({"hdr.request.index": 3}, actions=[two])


@pytest.mark.parametrize(
    "command",
    [
        "act_prof_create_member places to 9",
        "act_prof_modify_member places to 0 9",
        "act_prof_modify_member places to 0 => 9",
        "table_indirect_create_member place to 9",
        "table_indirect_modify_member place to 0 9",
    ],
)
def test_commands_give_a_warning(network: weir.Network, tmp_path: Path, command: str):
    s1 = network.switch("s1")
    s1.runtime.run("act_prof_create_member places to 1")
    with pytest.warns(weir.WeirWarning, match="member sends packets to port 9") as caught:
        s1.runtime.run(command)
    assert len(caught) == 1
    file = tmp_path / "s1.txt"
    file.write_text(f"{command.replace(' places', ' ways').replace(' place ', ' balance ')}\n")
    s1.runtime.run("act_prof_create_member ways to 1")
    with pytest.warns(weir.WeirWarning, match="1 member sends packets to port 9"):
        s1.run_commands(file)


def test_a_document_gives_a_warning_for_each_port(network: weir.Network):
    members = [
        {"action_profile": "ways", "member_id": number, "action_name": "to", "action_params": {"port": port}}
        for number, port in enumerate([1, 9, 9, 7], start=1)
    ]
    entry = {
        "table": "balance",
        "match": {"hdr.request.index": 3},
        "action_profile_action_set": [
            {"action_name": "to", "action_params": {"port": 8}},
            {"action_name": "drop"},
        ],
    }
    with pytest.warns(weir.WeirWarning) as caught:
        network.switch("s1").load_entries({"action_profile_members": members, "table_entries": [entry]})
    assert [str(one.message).partition(", which")[0] for one in caught] == [
        "s1: ways: 2 members send packets to port 9 (to)",
        "s1: ways: 1 member sends packets to port 7 (to)",
        "s1: balance: 1 entry sends packets to port 8 (to)",
    ]


def test_members_of_linked_ports_give_none(network: weir.Network, recwarn):
    s1 = network.switch("s1")
    member = s1.action_profile("ways").add_member("to", {"port": 1})
    s1.action_profile("ways").add_group([member])
    s1.runtime.run(f"act_prof_modify_member ways to {member} 511")
    assert not recwarn.list
