"""An ambiguous end of names is refused with a list of them, wherever a name is resolved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from weir.control.switch import Switch
from weir.errors import WeirError
from weir.program import Program, compile
from weir.stf import run_stf
from weir.stf.bench import Bench

TWO_TABLES = """\
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; }
struct headers_t { h_t h; }
struct metadata_t {}
parser P(packet_in p, out headers_t hdr, inout metadata_t m, inout standard_metadata_t s) {
    state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout metadata_t m) { apply {} }
control Part(inout headers_t hdr) {
    action keep() {}
    table t {
        key = { hdr.h.a: exact; }
        actions = { keep; }
    }
    apply { t.apply(); }
}
control I(inout headers_t hdr, inout metadata_t m, inout standard_metadata_t s) {
    Part() one;
    Part() two;
    apply {
        one.apply(hdr);
        two.apply(hdr);
    }
}
control E(inout headers_t hdr, inout metadata_t m, inout standard_metadata_t s) { apply {} }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""

ENTRY = {"table": "t", "match": {"hdr.h.a": 1}, "action_name": "keep"}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    file = tmp_path_factory.mktemp("names") / "two_tables.p4"
    file.write_text(TWO_TABLES)
    return compile(file)


@pytest.mark.parametrize(
    "use",
    [
        lambda s: s.table("t"),
        lambda s: s.runtime.run("table_add t keep 1 =>"),
        lambda s: s.runtime.run("table_dump t"),
        lambda s: s.runtime.run("table_num_entries t"),
        lambda s: s.load_entries({"table_entries": [ENTRY]}),
    ],
    ids=["python", "table_add", "table_dump", "table_num_entries", "json"],
)
def test_an_ambiguous_table(program: Program, use: Callable[[Switch], Any]) -> None:
    switch = Bench(program, [0]).switch
    with pytest.raises(WeirError) as caught:
        use(switch)
    assert caught.value.message == 'table "t" is ambiguous: I.one.t, I.two.t'
    switch.table("one.t").insert({"a": 1}, "keep")
    assert len(switch.table("I.one.t")) == 1


def test_an_ambiguous_table_in_a_test(program: Program, tmp_path: Path) -> None:
    file = tmp_path / "ambiguous.stf"
    file.write_text("add one.t a:1 keep()\nadd t a:1 keep()\n")
    with pytest.raises(WeirError) as caught:
        run_stf(program, file)
    assert str(caught.value) == f'{file}:2: table "t" is ambiguous: I.one.t, I.two.t'
