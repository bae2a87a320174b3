"""`else if` chains of any length: compiled in bounded stack, with one meaning on both executors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import weir
from weir.program import EXECUTORS
from weir.trace import Step

LINKS = 10_000

PROGRAM = """
#include <core.p4>
#include <v1model.p4>

header key_t { bit<16> x; bit<16> y; }
struct headers_t { key_t key; }
struct meta_t { }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start { packet.extract(hdr.key); transition accept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    register<bit<32>>(65536) taken;
    register<bit<32>>(65536) after;
    bit<32> way = 0;
    action set(bit<32> number) { way = number; }
    table even {
        key = { hdr.key.x: exact; }
        actions = { set; NoAction; }
        const entries = { 300: set(300); 9000: set(9000); }
        const default_action = NoAction;
    }
    apply {
        standard.egress_spec = 2;
        CHAIN
        taken.write((bit<32>)hdr.key.x, way);
        if (way == 0) { return; }
        after.write((bit<32>)hdr.key.x, 1);
    }
}
control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


def chain(links: int) -> str:
    """A chain in which branch n is taken for x = n; branch 200 contains a chain over y, and branch
    400 returns."""
    inner = " else ".join(f"if (hdr.key.y == {n}) {{ way = {100_000 + n}; }}" for n in range(links // 10))
    bodies = {200: inner, 400: "taken.write(400, 4); return;"}
    special = {300: "even.apply().hit", 9000: "even.apply().hit"}
    parts = [
        f"if ({special.get(n, f'hdr.key.x == {n}')}) {{ {bodies.get(n) or ('' if n in special else f'way = {n};')} }}"
        for n in range(1, links + 1)
    ]
    return "\n".join(f"{part} else" for part in parts) + " { way = 99999; }"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chain") / "chain.p4"
    path.write_text(PROGRAM.replace("CHAIN", chain(LINKS)))
    return path


@pytest.fixture(scope="module", params=EXECUTORS)
def program(request: pytest.FixtureRequest, text: Path) -> weir.Program:
    return weir.compile(text, executor=request.param)


def network(program: weir.Program) -> weir.Network:
    topology = weir.Topology()
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_link(f"h{number}", f"s1-p{number}")
    return weir.Network(topology, p4=program)


def test_the_first_true_condition_is_taken(program: weir.Program):
    expected = {n: n for n in (1, 2, 127, 128, 129, 130, 255, 256, 257, 300, 5000, 9000, LINKS - 1, LINKS)}
    expected |= {0: 99999, LINKS + 1: 99999, 65535: 99999}
    with network(program) as net:
        s1 = net.switch("s1")
        h1 = net.host("h1")
        for x in expected:
            h1.send(x.to_bytes(2, "big") + bytes(58))
        net.run_for("1s")
        assert {x: s1.register("taken")[x] for x in expected} == expected
        assert all(s1.register("after")[x] == 1 for x in expected)


def test_chains_inside_links_and_returns(program: weir.Program):
    with network(program) as net:
        s1 = net.switch("s1")
        for y, way in {0: 100_000, 63: 100_063, 64: 100_064, 500: 100_500, 999: 100_999, 1000: 0}.items():
            net.host("h1").send((200).to_bytes(2, "big") + y.to_bytes(2, "big") + bytes(56))
            net.run_for("1ms")
            assert s1.register("taken")[200] == way
        net.host("h1").send((400).to_bytes(2, "big") + bytes(58))
        net.run_for("1ms")
        assert s1.register("taken")[400] == 4 and s1.register("after")[400] == 0


def test_a_trace_shows_each_condition_once(program: weir.Program):
    with network(program) as net:
        s1 = net.switch("s1")
        s1.trace(1)
        net.host("h1").send((260).to_bytes(2, "big") + bytes(58))
        net.run_for("1ms")
        (journey,) = s1.journeys()
        branches: list[Step] = [step for step in journey.steps if step.kind == "branch"]
        assert [step.what["taken"] for step in branches] == [*[False] * 259, True, False]
        lines = [step.place.line for step in branches if step.place is not None]
        assert lines[:260] == list(range(lines[0], lines[0] + 260))


def test_the_ir_of_a_chain_is_printed(text: Path):
    ended = subprocess.run([sys.executable, "-m", "weir", "ir", text], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("if ") > LINKS
    assert max(len(line) - len(line.lstrip()) for line in ended.stdout.splitlines()) < 80
