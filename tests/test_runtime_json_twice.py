"""A file of runtime JSON that sets something twice is refused with both places."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weir
from weir.control import Switch
from weir.errors import WeirError

ROOT = Path(__file__).parent.parent


@pytest.fixture
def s1() -> Iterator[Switch]:
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
        topology.add_link(f"h{number}", f"s1-p{number}")
    with weir.Network(topology, ROOT / "testdata" / "switch" / "control.p4") as network:
        yield network.switch("s1")


ROUTE = {"table": "prefixes", "match": {"hdr.request.answer": ["10.0.1.0", 24]}}
METER = {"cir": 1, "cburst": 1, "pir": 2, "pburst": 1}
COUNTS = {"data": {"packet_count": 1}}


@pytest.mark.parametrize(
    ("section", "element", "what"),
    [
        ("table_entries", {**ROUTE, "action_name": "drop"}, "this entry of table `I.prefixes`"),
        ("table_entries", {"table": "prefixes", "default_action": True, "action_name": "drop"}, "the default action of table `I.prefixes`"),
        ("multicast_group_entries", {"multicast_group_id": 3, "replicas": [{"egress_port": 1}]}, "multicast group 3"),
        ("clone_session_entries", {"clone_session_id": 5, "replicas": [{"egress_port": 1}]}, "clone session 5"),
        ("value_set_entries", {"value_set": "dropped", "members": [7]}, "value set `P.dropped`"),
        ("register_entries", {"register": "number", "index": 2, "data": 7}, "cell 2 of `I.number`"),
        ("counter_entries", {"counter": "both", "index": 2, **COUNTS}, "cell 2 of `I.both`"),
        ("meter_entries", {"meter": "by_bytes", "index": 2, "config": METER}, "cell 2 of `I.by_bytes`"),
        ("meter_entries", {"meter": "by_bytes", "config": METER}, "`I.by_bytes` as a whole"),
        ("direct_meter_entries", {**ROUTE, "config": METER}, "the meter of this entry of table `I.prefixes`"),
        ("action_profile_members", {"action_profile": "ways", "member_id": 4, "action_name": "drop"}, "member 4 of `I.ways`"),
        ("action_profile_groups", {"action_profile": "ways", "group_id": 4, "members": []}, "group 4 of `I.ways`"),
    ],
)  # fmt: skip
def test_what_a_file_sets_twice_is_refused_with_both_places(
    s1: Switch, tmp_path: Path, section: str, element: dict[str, Any], what: str
):
    others = (
        {"value_set_entries": [{"value_set": "noted", "members": []}]}
        if section != "value_set_entries"
        else {}
    )
    path = tmp_path / "s1.json"
    first = json.dumps(others)[1:-1] + ("," if others else "")
    path.write_text(f'{{{first}\n"{section}": [\n{json.dumps(element)},\n{json.dumps(element)}]}}')
    with pytest.raises(WeirError) as caught:
        s1.load_entries(path)
    assert str(caught.value) == (
        f"{path}:4:1: $.{section}[1]: {what} is here twice; the first is at 3:1: $.{section}[0]"
    )
    # The file changed nothing.
    assert s1.multicast_groups() == s1.clone_sessions() == s1.action_profile("ways").members() == {}
    assert len(s1.table("prefixes")) == len(s1.value_set("dropped")) == s1.register("number")[2] == 0


def test_a_value_set_that_has_a_member_keeps_it_once(s1: Switch):
    dropped = s1.value_set("dropped")
    dropped.add(7)
    dropped.add(7)
    s1.runtime.run("pvs_add dropped 7")
    assert dropped.members() == [("7",)]
