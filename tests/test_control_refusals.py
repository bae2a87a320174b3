"""A P4Runtime client refuses the same calls as a switch in this process, with the same words."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import weir
from weir.control.switch_objects import SwitchObjects
from weir.errors import ControlError
from weir.p4runtime import Client, ServerOptions

CONTROL = Path(__file__).parents[1] / "testdata" / "switch" / "control.p4"


@pytest.fixture(params=["here", "elsewhere"])
def switch(request: pytest.FixtureRequest) -> Iterator[SwitchObjects]:
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
        topology.add_link(f"h{number}", f"s1-p{number}")
    with weir.Network(topology, CONTROL, p4runtime=ServerOptions("127.0.0.1:0")) as network:
        if request.param == "here":
            yield network.switch("s1")
        else:
            with Client(network.p4runtime.address("s1")) as client:
                yield client


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.delete_multicast_group(99), "there is no multicast group 99"),
        (lambda s: s.delete_clone_session(99), "there is no clone session 99"),
        (lambda s: s.register("pair").write(0, {"second": 2}), 'a cell of I.pair needs its field "first": a write replaces the whole cell'),
        (lambda s: s.table("all_kinds").insert({"what": 1}, "NoAction", priority=2**31), "priority 2147483648 is out of range: expected 1 to 2147483647"),
        (lambda s: s.table("all_kinds").insert({"what": 1}, "NoAction", priority="3"), 'expected a priority, a whole number, found a string "3"'),
    ],
)  # fmt: skip
def test_mistakes_have_the_same_words(
    switch: SwitchObjects, call: Callable[[SwitchObjects], object], message: str
):
    switch.register("pair").write(0, {"first": 7, "second": 1})
    with pytest.raises(ControlError) as caught:
        call(switch)
    assert str(caught.value) == message
    assert switch.register("pair").read_fields(0) == {"first": 7, "second": 1}


def test_a_value_set_has_each_member_once(switch: SwitchObjects):
    dropped = switch.value_set("dropped")
    with pytest.raises(ControlError, match=r"not distinct|two members are the same"):
        dropped.set([1, 1])
    assert dropped.members() == []
    dropped.add(1)
    dropped.add(1)
    assert dropped.members() == [("1",)]


def test_a_file_that_sets_a_group_twice_changes_nothing(switch: SwitchObjects):
    group = {"multicast_group_id": 1, "replicas": [{"egress_port": 1}]}
    with pytest.raises(ControlError) as caught:
        switch.load_entries({"multicast_group_entries": [group, group]})
    assert str(caught.value) == (
        "$.multicast_group_entries[1]: multicast group 1 is here twice; the first is at "
        "$.multicast_group_entries[0]"
    )
    assert switch.multicast_groups() == {}
