"""Warnings name packets that stay in a network forever; a run in which they multiply ends."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import weir
from command import weir as run_weir
from weir.bench.pipeline import time_pipeline
from weir.control import Switch

PROGRAM = """
#include <v1model.p4>
header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { eth_t eth; }
struct meta_t { @field_list(1) bit<8> passes; @field_list(1) bit<9> port; }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t sm) {
    state start { p.extract(h.eth); transition accept; }
}
control V(inout headers_t h, inout meta_t m) { apply { } }
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) {
    apply {
        if (sm.instance_type == 0) { m.port = sm.ingress_port == 1 ? 9w2 : 9w1; }
        sm.egress_spec = m.port;
        /*INGRESS*/
    }
}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) { apply { /*EGRESS*/ } }
control D(packet_out p, in headers_t h) { apply { p.emit(h.eth); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""

PACKET = bytes.fromhex("08000000022208000000011108004500")
AGAIN = "recirculate_preserving_field_list(1);"
COPIES_AGAIN = f"if (sm.instance_type != 0) {{ {AGAIN} }}"
CLONE = "clone_preserving_field_list(CloneType.I2E, 5, 1);"
ENDLESS = {
    "recirculated": ("", AGAIN, "warning"),
    "resubmitted": ("resubmit_preserving_field_list(1);", "", "warning"),
    "clones": (CLONE, AGAIN, "error"),
    "multicast": ("sm.mcast_grp = 1;", COPIES_AGAIN, "error"),
    "egress clones": (
        "",
        f"clone_preserving_field_list(CloneType.E2E, 5, 1); {COPIES_AGAIN}",
        "error",
    ),
}


def program(ingress: str = "", egress: str = "") -> str:
    return PROGRAM.replace("/*INGRESS*/", ingress).replace("/*EGRESS*/", egress)


def network(tmp_path: Path, text: str, **options: str) -> weir.Network:
    file = tmp_path / "loop.p4"
    file.write_text(text)
    topo = weir.Topology()
    topo.add_switch("s1")
    for number in (1, 2):
        topo.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
        topo.add_link(f"h{number}", f"s1-p{number}")
    net = weir.Network(topo, weir.compile(file), **options)
    net.switch("s1").set_multicast_group(1, [1, 2])
    net.switch("s1").set_clone_session(5, port=1)
    return net


@pytest.mark.parametrize("kind", ENDLESS)
def test_an_endless_loop_in_a_switch_is_named(tmp_path: Path, kind: str) -> None:
    ingress, egress, outcome = ENDLESS[kind]
    with network(tmp_path, program(ingress, egress)) as net, warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        refusal = None
        try:
            net.host("h1").ping("h2", count=1, timeout="700ms")
        except weir.NetworkError as error:
            refusal = str(error)
        assert net.events < 1_500_000
    messages = [str(one.message) for one in seen if issubclass(one.category, weir.WeirWarning)]
    assert len(messages) == 1, "one warning for a switch"
    assert messages[0].startswith("s1 seems to repeat packets forever: in ")
    assert "an ARP request for 10.0.0.2 from 10.0.0.1" in messages[0]
    assert messages[0].endswith("Ctrl-C ends the run")
    assert (refusal is not None) == (outcome == "error")
    if refusal is not None:
        assert "s1 seems to repeat packets" in refusal and "copied packets" in refusal
        assert "the run ends here" in refusal


def test_the_same_run_ends_at_the_same_event(tmp_path: Path) -> None:
    def run() -> tuple[int, int, str]:
        with network(tmp_path, program("sm.mcast_grp = 1;", AGAIN)) as net:
            with pytest.warns(weir.WeirWarning), pytest.raises(weir.NetworkError) as refused:
                net.host("h1").ping("h2", count=1)
            return net.now_ns, net.events, str(refused.value)

    assert run() == run()


def test_few_passes_per_second_go_on(tmp_path: Path) -> None:
    with network(tmp_path, program("sm.mcast_grp = 1;", AGAIN), profile="bmv2-vm") as net:
        result = net.host("h1").ping("h2", count=1, timeout="2s")
    assert result.received == 0
    assert "its program recirculated or resubmitted packets" in str(result.why), result.why


@pytest.mark.parametrize("passes", [1, 200])
def test_programs_with_an_end_are_not_meant(tmp_path: Path, passes: int) -> None:
    ends = f"if (m.passes < {passes}) {{ m.passes = m.passes + 1; {AGAIN} }}"
    with network(tmp_path, program("", ends)) as net, warnings.catch_warnings():
        warnings.simplefilter("error")
        net.run_for("1ms")
        result = net.host("h1").ping("h2", count=200, interval="10us")
    assert result.received == 200 and net.events > 2 * 200 * passes


def test_a_storm_between_switches_is_named_and_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "flood.p4"
    flood = "sm.mcast_grp = 1;"
    file.write_text(program(flood, "if (sm.egress_port == sm.ingress_port) { mark_to_drop(sm); }"))
    topo = weir.Topology()
    for number in (1, 2, 3):
        topo.add_switch(f"s{number}")
    topo.add_host("h1", ip="10.0.0.1/24")
    topo.add_link("h1", "s1-p1")
    for a, b in (("s1-p2", "s2-p1"), ("s2-p2", "s3-p1"), ("s3-p2", "s1-p3")):
        topo.add_link(a, b)
    with weir.Network(topo, weir.compile(file)) as net:
        for switch in net.switches:
            switch.set_multicast_group(1, switch.ports)
        with pytest.warns(weir.WeirWarning, match="pass a packet round") as seen:
            net.host("h1").ping("10.0.0.9", count=1, timeout="30ms")
        [messages] = [str(one.message) for one in seen]
        assert messages.startswith(
            "s1, s2 and s3 pass a packet round: an ARP request for 10.0.0.9 from 10.0.0.1"
        )
        net.run_for("1ms")


def test_a_trace_of_a_long_chain_of_clones_has_an_end(tmp_path: Path) -> None:
    file, commands = tmp_path / "loop.p4", tmp_path / "commands.txt"
    file.write_text(program(CLONE, COPIES_AGAIN))
    commands.write_text("mirroring_add 5 1\n")
    code, out, err = run_weir("trace", file, "--packet", PACKET.hex(), "--port", "1", "--entries", commands)
    assert code == 1 and "endlessly" in err and "internal" not in err
    assert "of this copy or of its copies" in out


def test_a_measurement_of_copies_that_multiply_ends(tmp_path: Path) -> None:
    file = tmp_path / "loop.p4"
    _, egress, _ = ENDLESS["egress clones"]
    file.write_text(program("", egress))

    def load(switch: Switch) -> None:
        switch.set_clone_session(5, port=1)

    with pytest.raises(weir.NetworkError, match="endlessly"):
        time_pipeline(weir.compile(file), load=load, packet=PACKET, flows=1, seconds=0.05)
