"""Control of programs for PSA: special ports over P4Runtime, empty groups, initial values, and
ports that a switch does not have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from command import NET, weir as run_weir
from weir.p4runtime import Client, ServerOptions

PROGRAM = NET / "psa_ports.p4"
CPU, RECIRCULATE = 0xFFFFFFFD, 0xFFFFFFFA


@pytest.fixture(params=["native", "interp"])
def net(request: pytest.FixtureRequest) -> Iterator[weir.Network]:
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
        topology.add_link(f"h{number}", f"s1-p{number}")
    options = ServerOptions("127.0.0.1:0")
    with weir.Network(topology, p4=PROGRAM, p4runtime=options, executor=request.param) as network:
        yield network


def test_controllers_recirculate_by_the_port_of_psa(net: weir.Network) -> None:
    with Client(net.p4runtime.address("s1"), device_id=0) as client:
        ports = client.table("ports")
        first = {"istd.ingress_port": 1, "hdr.order.kind": 1}
        second = {"istd.ingress_port": RECIRCULATE, "hdr.order.kind": 2}
        ports.insert(first, "to", {"port": RECIRCULATE})
        ports.insert(second, "to", {"port": 2})
        # PSA_PORT_CPU is an ordinary port, which this switch does not have.
        ports.insert({"istd.ingress_port": CPU, "hdr.order.kind": 9}, "to", {"port": CPU})
        assert {(entry.match["istd.ingress_port"], entry.params["port"]) for entry in ports.entries()} == {
            ("1", f"{RECIRCULATE}"), (f"{RECIRCULATE}", "2"), (f"{CPU}", f"{CPU}")
        }  # fmt: skip
        client.set_clone_session(5, replicas=[CPU])
        sniffer = net.sniff("s1-p2")
        net.host("h1").send(bytes([1, 0]) + bytes(58))
        net.run_for("1ms")
        assert [frame.data[:2] for frame in sniffer.frames] == [bytes([3, 0])]


def test_clones_have_a_class_of_service_of_psa(net: weir.Network, tmp_path: Path) -> None:
    switch = net.switch("s1")
    path = tmp_path / "sessions.json"

    def load(service: int) -> None:
        replicas = [{"egress_port": 2}]
        session = {"clone_session_id": 7, "class_of_service": service, "replicas": replicas}
        path.write_text(json.dumps({"clone_session_entries": [session]}))
        switch.load_entries(path)

    load(200)
    assert switch.clone_sessions()[7].priority == 200
    with pytest.raises(weir.WeirError, match="class of service 256: the classes are 0 to 255"):
        load(256)


def test_an_empty_action_set_is_refused(net: weir.Network, tmp_path: Path) -> None:
    path = tmp_path / "entries.json"
    entry = {"table": "members", "match": {"hdr.order.kind": 1}, "action_profile_action_set": []}
    path.write_text(json.dumps({"table_entries": [entry]}))
    with pytest.raises(weir.WeirError, match="an action set needs an action"):
        net.switch("s1").load_entries(path)


def test_initial_values_return_with_a_reset(net: weir.Network) -> None:
    counts = net.switch("s1").register("counts")
    counts.write(1, 5)
    counts.reset()
    assert [counts.read(0), counts.read(1)] == [77, 77]


def test_an_action_for_empty_groups_needs_a_selector(tmp_path: Path) -> None:
    code, output, problems = run_weir("check", PROGRAM)
    assert (code, problems) == (0, "") and "psa_empty_group_action" not in output
    profile = PROGRAM.read_text().replace(
        "ActionSelector(PSA_HashAlgorithm_t.CRC16, 8, 4)", "ActionProfile(8)"
    )
    path = tmp_path / "profile.p4"
    path.write_text(profile.replace(" hdr.order.mark: selector;", ""))
    _, output, problems = run_weir("check", path)
    expected = "warning[ignored-property]: `psa_empty_group_action` of table `Choose.members` has no effect"
    assert expected in output + problems


def test_a_port_that_no_line_names_has_its_number(tmp_path: Path) -> None:
    lines = [
        "add ports istd.ingress_port:1 hdr.order.kind:1 to(port:5)",
        "packet 1 01 00",
    ]
    path = tmp_path / "case.stf"
    path.write_text("\n".join(lines) + "\n")
    _, output, _ = run_weir("test", PROGRAM, path)
    assert "packets left at port 5, which are not checked" in output
