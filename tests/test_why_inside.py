"""Explanations of losses inside a switch."""

import re
from pathlib import Path

import pytest

import weir
from command import NET
from weir.cli.shell.shell import Shell


@pytest.mark.parametrize(
    ("ingress", "egress"),
    [
        ("s.egress_spec = 2;", "recirculate_preserving_field_list(0);"),
        ("resubmit_preserving_field_list(0);", ""),
    ],
)
def test_a_packet_that_never_leaves_a_switch(tmp_path: Path, ingress: str, egress: str, capsys):
    with circle(tmp_path, ingress, egress) as net:
        shell = Shell(net)
        why = net.host("h1").ping("h2", count=2, interval="1ms", timeout="2ms").why or ""
        match = re.fullmatch(
            r"2 packets did not leave s1: its program recirculated or resubmitted them (\d+) times, "
            r"and still does\.",
            why,
        )
        # A pass takes 1 us; the first request is inside for 2 ms, the second for 1 ms.
        assert match and 2900 < int(match[1]) < 3100
        assert net.host("h1").traceroute("h2", max_hops=1, timeout="2ms").hops
        shell.run("why")
    assert "s1: its program recirculated or resubmitted them" in capsys.readouterr().out


def test_a_packet_that_leaves_after_some_passes(tmp_path: Path):
    again = "if (m.left < 5) { m.left = m.left + 1; recirculate_preserving_field_list(1); }"
    with circle(tmp_path, "s.egress_spec = 2;", again) as net:
        h1 = net.host("h1")
        h1.ping("h2", count=1, timeout="2ms")
        # The reply is on its way when the request is given up.
        net.link("s1", "h2").delay = "5ms"
        why = h1.ping("h2", count=400, interval="10us", timeout="2ms").why
    assert why is not None and "did not leave" not in why


def circle(folder: Path, ingress: str, egress: str) -> weir.Network:
    """A network h1 - s1 - h2 with a program that runs this statement for each packet."""
    program = folder / "circle.p4"
    program.write_text(
        f"""
        #include <v1model.p4>
        struct headers {{ }}
        struct meta {{ @field_list(1) bit<8> left; }}
        parser P(packet_in b, out headers h, inout meta m, inout standard_metadata_t s) {{
            state start {{ transition accept; }}
        }}
        control V(inout headers h, inout meta m) {{ apply {{ }} }}
        control I(inout headers h, inout meta m, inout standard_metadata_t s) {{ apply {{ {ingress} }} }}
        control E(inout headers h, inout meta m, inout standard_metadata_t s) {{ apply {{ {egress} }} }}
        control C(inout headers h, inout meta m) {{ apply {{ }} }}
        control D(packet_out b, in headers h) {{ apply {{ }} }}
        V1Switch(P(), V(), I(), E(), C(), D()) main;
        """
    )
    topo = weir.Topology.load(NET / "topology.json")
    topo.switches["s1"].entries = None
    return weir.Network(topo, str(program))
