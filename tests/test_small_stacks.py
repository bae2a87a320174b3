"""Threads with a small stack check, compile and run programs."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import weir
from weir.topology import shapes

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { ethernet_t ethernet; }
struct metadata_t { }
parser Parse(packet_in p, out headers_t hdr, inout metadata_t m, inout standard_metadata_t sm) {
    state start { p.extract(hdr.ethernet); transition accept; }
}
control Check(inout headers_t hdr, inout metadata_t m) { apply { } }
control In(inout headers_t hdr, inout metadata_t m, inout standard_metadata_t sm) { apply { BODY } }
control Out(inout headers_t hdr, inout metadata_t m, inout standard_metadata_t sm) { apply { } }
control Deparse(packet_out p, in headers_t hdr) { apply { p.emit(hdr.ethernet); } }
V1Switch(Parse(), Check(), In(), Out(), Check(), Deparse()) main;
"""
DEPTH = 60


@pytest.fixture
def small_stacks() -> Iterator[None]:
    """Gives threads 256 KiB of stack."""
    before = threading.stack_size(256 << 10)
    yield
    threading.stack_size(before)


def test_nested_statements_need_no_large_stack(small_stacks: None, tmp_path: Path):
    body = "sm.egress_spec = sm.ingress_port;"
    for depth in range(DEPTH):
        body = f"if (hdr.ethernet.src != {depth}) {{ {body} }}"
    path = tmp_path / "nested.p4"
    path.write_text(PROGRAM.replace("BODY", body))

    def play() -> int:
        assert weir.check(path) == []
        with weir.Network(shapes.star(2, routes=None), weir.compile(path)) as network:
            h1, h2 = network.hosts
            return h1.ping(h2, count=1).received

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(play).result() == 0  # Everything goes back to where it came from.
