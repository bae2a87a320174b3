"""Copies for a port without a link: multicast groups, clone sessions, backups, watched ports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from weir.control import GroupMember, Replica, WeightedAction
from weir.p4runtime import Client, ServerOptions

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "testdata/switch/control.p4"


def made(program: Path, p4runtime: ServerOptions | bool = False) -> weir.Network:
    topology = weir.Topology()
    topology.add_host("h1", ip="10.0.0.1/24")
    topology.add_switch("s1")
    topology.add_link("h1", "s1-p1")
    return weir.Network(topology, p4=program, p4runtime=p4runtime)


@pytest.fixture
def network() -> Iterator[weir.Network]:
    with made(PROGRAM) as net:
        yield net


def said(found: pytest.WarningsRecorder) -> list[str]:
    return [str(one.message).partition(", which")[0] for one in found.list]


def test_replicas_and_their_backups_give_a_warning(network: weir.Network, recwarn: pytest.WarningsRecorder):
    s1 = network.switch("s1")
    s1.set_multicast_group(1, [1, 9, Replica(1, 1, (Replica(7),))])
    assert said(recwarn) == [
        "s1: multicast group 1: copies go to port 9",
        "s1: multicast group 1: copies of a backup go to port 7",
    ]
    assert recwarn.list[0].filename == __file__
    assert "no link is connected to (linked: 1)" in str(recwarn.list[0].message)


@pytest.mark.parametrize("port", [9, 511])
def test_clone_sessions_give_a_warning(network: weir.Network, recwarn: pytest.WarningsRecorder, port: int):
    s1 = network.switch("s1")
    s1.set_clone_session(5, port)
    s1.set_clone_session(6, replicas=[port, weir.Replica(port, 1)])
    assert said(recwarn) == [
        f"s1: clone session 5: copies go to port {port}",
        f"s1: clone session 6: copies go to port {port}",
    ]


def test_commands_give_a_warning(network: weir.Network, recwarn: pytest.WarningsRecorder, tmp_path: Path):
    s1 = network.switch("s1")
    file = tmp_path / "s1.txt"
    file.write_text(
        "mirroring_add 5 511\nmc_mgrp_create 1\nmc_node_create 3 1 8 | 2\nmc_node_associate 1 0\n"
        "mc_set_lag_membership 2 1 6\n"
    )
    s1.run_commands(file)
    s1.runtime.run("mc_node_update 0 1 4")
    assert said(recwarn) == [
        "s1: clone session 5: copies go to port 511",
        "s1: multicast node with instance 3: copies go to port 8",
        "s1: LAG 2: copies go to port 6",
        "s1: multicast node 0: copies go to port 4",
    ]


def test_documents_give_a_warning(network: weir.Network, recwarn: pytest.WarningsRecorder):
    replica = {"egress_port": 1, "instance": 1, "backup_replicas": [{"port": 3}]}
    network.switch("s1").load_entries(
        {
            "multicast_group_entries": [{"multicast_group_id": 1, "replicas": [{"egress_port": 9}, replica]}],
            "clone_session_entries": [{"clone_session_id": 2, "replicas": [{"egress_port": 511}]}],
        }
    )
    assert said(recwarn) == [
        "s1: multicast group 1: copies go to port 9",
        "s1: multicast group 1: copies of a backup go to port 3",
        "s1: clone session 2: copies go to port 511",
    ]


def test_controllers_make_the_network_warn(recwarn: pytest.WarningsRecorder):
    with made(PROGRAM, ServerOptions("127.0.0.1:0")) as net:
        with Client(net.p4runtime.address("s1")) as client:
            client.set_program(PROGRAM)
            client.set_multicast_group(1, [1, 9, Replica(1, 1, (Replica(7),))])
            client.set_clone_session(5, replicas=[9, 511])
        net.run_for("1ms")
    assert sorted(str(one.message) for one in recwarn.list) == [
        f"s1: {what}, but the switch has no such port"
        for what in (
            "clone session 5: copies go to port 511",
            "multicast group 1: copies go to port 9",
            "multicast group 1: copies of a backup go to port 7",
        )
    ]


def test_defaults_give_a_warning(network: weir.Network, recwarn: pytest.WarningsRecorder):
    network.switch("s1").runtime.run("act_prof_create_member places to 9")
    assert said(recwarn) == ["s1: places: 1 member sends packets to port 9 (to)"]


def test_linked_ports_give_none(network: weir.Network, recwarn: pytest.WarningsRecorder):
    s1 = network.switch("s1")
    s1.set_multicast_group(1, [1])
    s1.set_clone_session(5, 1, group=1)
    s1.runtime.run("mirroring_add 6 1")
    s1.load_entries({"clone_session_entries": [{"clone_session_id": 2, "replicas": [{"egress_port": 1}]}]})
    assert said(recwarn) == []


def test_recirculated_copies_cause_no_warning(recwarn: pytest.WarningsRecorder):
    """The program of the pacing lab, which clones to a port without a link and recirculates the
    copies."""
    with made(ROOT / "labs/weir_labs/pacing/pace.p4") as net:
        net.switch("s1").set_clone_session(5, 511)
        assert said(recwarn) == []


def test_watched_ports_must_exist(network: weir.Network):
    s1 = network.switch("s1")
    ways = s1.action_profile("ways")
    member = ways.add_member("to", {"port": 1})
    group = ways.add_group([GroupMember(member, 1, 1)])
    refused = "the switch has no port 9; its ports: 1"
    with pytest.raises(weir.ControlError, match=refused):
        ways.modify_group(group, [GroupMember(member, 1, 9)])
    with pytest.raises(weir.ControlError, match=refused):
        s1.table("balance").insert(
            {"hdr.request.index": 3}, actions=[WeightedAction("to", {"port": 1}, 1, 9)]
        )
    watching = {"action_profile": "ways", "group_id": 7, "members": [{"member_id": member, "watch_port": 9}]}
    with pytest.raises(weir.ControlError, match=refused):
        s1.load_entries({"action_profile_groups": [watching]})
