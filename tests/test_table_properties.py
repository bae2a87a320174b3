"""The properties of tables that the schema's readers show by name."""

import pickle
import re
from pathlib import Path

import weir

ROOT = Path(__file__).parent.parent
FIREWALL = ROOT / "python/weir/lab/templates/pna/firewall.p4"


def test_a_table_has_only_the_properties_that_apply():
    tables = weir.compile(FIREWALL).tables
    assert {name: dict(table.properties) for name, table in tables.items()} == {
        "Guard.flows": {"adds_on_miss": True},
    }
    flows = tables["Guard.flows"]
    assert pickle.loads(pickle.dumps(flows)) == flows


def test_entries_in_the_program_are_counted():
    (table,) = weir.compile(ROOT / "testdata" / "stf" / "table" / "action_run.p4").tables.values()
    assert table.properties == {"initial_entries": 4}


def test_the_page_of_the_control_plane_lists_the_properties():
    code = (ROOT / "crates/weir-switch/src/control/table_properties.rs").read_text(encoding="utf-8")
    page = (ROOT / "docs/reference/control.md").read_text(encoding="utf-8")
    table = page.partition("| property | value |")[2].partition("\n\n")[0]
    assert re.findall(r'^    \("(\w+)"', code, re.MULTILINE) == re.findall(
        r"^\| `(\w+)`", table, re.MULTILINE
    )
