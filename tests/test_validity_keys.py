"""The key of a header's validity has two names, and both are accepted everywhere."""

from pathlib import Path
from typing import Any

import pytest

import weir
from weir.errors import ControlError
from weir.p4runtime import Client, ServerOptions
from weir.stf.bench import Bench

PROGRAM = Path(__file__).parent.parent / "testdata" / "switch" / "validity.p4"
NAMES = ["hdr.more.isValid()", "hdr.more.$valid$", "more.isValid()", "more.$valid$", "isValid()", "$valid$"]


@pytest.fixture(scope="module")
def program() -> weir.Program:
    return weir.compile(PROGRAM)


def network(program: weir.Program, **options: Any) -> weir.Network:
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
        topology.add_link(f"h{number}", f"s1-p{number}")
    return weir.Network(topology, p4=program, **options)


@pytest.mark.parametrize("name", NAMES)
def test_a_switch_and_a_client_accept_both_names(name: str, program: weir.Program):
    with network(program, p4runtime=ServerOptions("127.0.0.1:0")) as net:
        local = net.switch("s1").table("by_validity")
        with Client(net.p4runtime.address("s1"), device_id=0) as client:
            remote = client.table("by_validity")
            for table in (local, remote):
                table.insert({name: 1}, "mark", {"mark": 7})
                (entry,) = table.entries()
                assert list(entry.match) == ["hdr.more.isValid()"]
                table.delete({name: 1})
    assert b"hdr.more.$valid$" in program.p4info() and b"isValid()" not in program.p4info()


@pytest.mark.parametrize("name", NAMES)
def test_files_and_commands_accept_both_names(name: str, program: weir.Program):
    s1 = Bench(program, [1, 2]).switch
    entry = {"table": "by_validity", "match": {name: 1}, "action_name": "mark", "action_params": {"mark": 7}}
    assert s1.load_entries({"table_entries": [entry]}) == 1
    assert len(s1.table("by_validity")) == 1
    twice = {"table_entries": [entry, {**entry, "match": {"hdr.more.isValid()": 1}}]}
    with pytest.raises(ControlError, match=r"twice|already"):
        s1.load_entries(twice)


def test_other_names_are_refused_with_the_known_names(program: weir.Program):
    table = Bench(program, [1, 2]).switch.table("by_validity")
    with pytest.raises(ControlError, match=r"hdr\.more\.isValid\(\)"):
        table.insert({"hdr.mor.$valid$": 1}, "mark", {"mark": 7})


def test_a_client_answers_as_a_switch_where_something_is_constant(program: weir.Program):
    with network(program, p4runtime=ServerOptions("127.0.0.1:0")) as net:
        local = net.switch("s1")
        with Client(net.p4runtime.address("s1"), device_id=0) as client:
            for switch in (local, client):
                with pytest.raises(ControlError, match=r"the entries of table `In\.fixed` are constant"):
                    switch.table("fixed").clear()
                with pytest.raises(
                    ControlError, match=r"default action of table `In\.unchanged` is constant"
                ):
                    switch.table("unchanged").set_default("mark", {"mark": 1})
                switch.table("unchanged").reset_default()
                switch.table("ways").reset_default()
            with pytest.raises(ControlError, match=r"`In\.ways` has an action profile: P4Runtime"):
                client.table("ways").set_default("to", {"port": 2})
            local.table("ways").set_default("to", {"port": 2})
