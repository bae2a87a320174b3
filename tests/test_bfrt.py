"""``weir bfrt``: the tables of a switch as Python objects, and scripts for BfRt's shell."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from command import process
from weir.bfrt import BfRtTableError, Device, connect
from weir.bfrt.names import identifier, parameters
from weir.bfrt.schema import Field
from weir.bfrt.script import namespace, show
from weir.bfrt.values import key_row, number, text

CONTROL = Path(__file__).parents[1] / "testdata" / "switch" / "control.p4"
TERNARY = Field(1, "hdr.a.value", "uint", 16, match="Ternary")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a switch that runs control.p4."""
    socket = tmp_path_factory.mktemp("bfrt") / "socket"
    command = [sys.executable, "-m", "weir", "switch", str(CONTROL), "--bfrt", f"unix:{socket}", "-q"]
    with subprocess.Popen(command) as switch:
        end = time.monotonic() + 60
        while not socket.exists():
            assert switch.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        yield f"unix:{socket}"
        switch.terminate()


@pytest.fixture
def bfrt(address: str) -> Iterator[Device]:
    """A client of the switch, whose table of all kinds is empty."""
    with connect(address) as device:
        device.control.pipe.I.all_kinds.clear()
        yield device


def test_entries_are_added_changed_read_and_removed(bfrt: Device):
    table = bfrt.control.pipe.I.all_kinds
    key = {"what": 1, "index": 2, "index_mask": 0xFF, "value_start": 5, "value_end": 9}
    table.add_with_to(**key, MATCH_PRIORITY=3, port=4)
    [entry] = table.entries()
    assert entry.action == "I.to" and entry.data[b"port"] == 4
    assert entry.key[b"hdr.request.what"] == 1
    assert entry.key[b"hdr.request.index"] == [2, 0xFF]
    assert entry.key[b"value"] == [5, 9]
    assert entry.key[b"$MATCH_PRIORITY"] == 3
    entry.data[b"port"] = 6
    entry.push()
    found = table.get(**key, MATCH_PRIORITY=3, print_ents=False)
    assert found.data[b"port"] == 6
    assert table.usage() == 1 and table.get_handle(**key, MATCH_PRIORITY=3) >= 0
    found.remove()
    assert table.entries() == [] and table.get(**key, MATCH_PRIORITY=3) == -1


def test_cells_defaults_and_lists(bfrt: Device):
    inner = bfrt.control.pipe.I
    inner.both.mod(COUNTER_INDEX=2, COUNTER_SPEC_BYTES=70, COUNTER_SPEC_PKTS=3)
    assert inner.both.get(2, print_ents=False).data == {b"$COUNTER_SPEC_BYTES": 70, b"$COUNTER_SPEC_PKTS": 3}
    inner.both.operation_counter_sync()
    inner.number.mod(1, "0x1122334455")
    assert inner.number.get(REGISTER_INDEX=1, print_ents=False).data == {b"I.number.f1": 0x1122334455}
    inner.number.clear()
    assert not any(entry.data[b"I.number.f1"] for entry in inner.number.entries())
    inner.all_kinds.set_default_with_to(port=3)
    assert inner.all_kinds.get_default(print_ent=False).data[b"port"] == 3
    inner.all_kinds.reset_default()
    assert inner.all_kinds.get_default(print_ent=False).action == "I.drop"
    bfrt.pre.node.add(MULTICAST_NODE_ID=1, MULTICAST_RID=5, MULTICAST_LAG_ID=[], DEV_PORT=[1, 2])
    bfrt.pre.mgid.add(
        MGID=7, MULTICAST_NODE_ID=[1], MULTICAST_NODE_L1_XID_VALID=[0], MULTICAST_NODE_L1_XID=[0]
    )
    assert bfrt.pre.mgid.get(7, print_ents=False).data[b"$MULTICAST_NODE_ID"] == [1]
    bfrt.pre.mgid.clear()
    bfrt.pre.node.clear()
    bfrt.mirror.cfg.add_with_normal(
        sid=5, session_enable=True, direction="INGRESS", ucast_egress_port=2, ucast_egress_port_valid=True
    )
    assert bfrt.mirror.cfg.get(5, print_ents=False).data[b"$ucast_egress_port"] == 2
    bfrt.mirror.cfg.clear()


def test_mistakes_are_explained(bfrt: Device):
    table = bfrt.control.pipe.I.prefixes
    with pytest.raises(BfRtTableError, match="has 9 bits; 512 does not fit"):
        table.add_with_to(answer="10.0.0.0", answer_p_length=8, port=512)
    with pytest.raises(BfRtTableError, match=r"prt.*did you mean \"port\""):
        table.add_with_to(answer="10.0.0.0", answer_p_length=8, prt=1)
    with pytest.raises(BfRtTableError, match=r"pipe\.I\.prefixes: "):
        table.delete(answer="10.0.0.0", answer_p_length=8)
    with pytest.raises(AttributeError, match="did you mean"):
        table.add_with_two()
    with pytest.raises(AttributeError, match='did you mean "control"'):
        _ = bfrt.contrl
    with pytest.raises(weir.ControlError, match=r"no BfRt server answers at 127.0.0.1:1: .*--bfrt"):
        connect("127.0.0.1:1")


def test_tables_are_listed_dumped_and_loaded(bfrt: Device, capsys: pytest.CaptureFixture[str]):
    rows = bfrt.control.pipe.info(return_info=True, print_info=False)
    table = bfrt.control.pipe.I.all_kinds
    [row] = [row for row in rows if row["node"] is table]
    assert (row["full_name"], row["type"], row["capacity"]) == ("pipe.I.all_kinds", "MATCH_DIRECT", 6)
    table.add_with_to(1, 2, 255, 5, 9, port=4)
    dumped = table.dump(json=True)
    table.clear()
    table.add_from_json(dumped)
    assert json.loads(dumped) == [entry.raw() for entry in table.entries()]
    bfrt.control.dump()
    table.info()
    text = capsys.readouterr().out
    assert "----- pipe.I.all_kinds Dump Start -----" in text and "Entry data (action : I.to):" in text
    assert "Capacity: 6" in text and "Data Fields for action I.to:" in text


def test_scripts_run_with_the_shell_s_modules(address: str, tmp_path: Path):
    script = tmp_path / "setup.py"
    script.write_text(
        """import sys
from ipaddress import ip_address
from bfrtcli import *

p4 = bfrt.control.pipe
p4.I.prefixes.entry_with_to(answer=ip_address("10.1.0.0"), answer_p_length=16, port=2).push()
p4.I.prefixes.dump(table=True)
bfrt.complete_operations()
print("arguments", sys.argv[1:], __name__)
"""
    )
    code, out, err = process("bfrt", str(script), "one", "--address", address)
    assert code == 0, err
    assert "port=2" in out and "arguments ['one'] __main__" in out
    lines = (
        "p4 = bfrt.control.pipe\np4.I.prefixes.clear\nfor e in p4.I.prefixes.entries():\n  print(e)\n\nexit\n"
    )
    code, out, err = process("bfrt", "--address", address, stdin=lines)
    assert (code, out) == (0, ""), err
    script.write_text("bfrt.control.pipe.I.prefixes.add_with_to(answer=1, port=9999)\n")
    code, out, err = process("bfrt", str(script), "--address", address)
    assert code == 1 and "port has 9 bits" in err and "Traceback" not in err


def test_names_and_values_have_the_forms_of_the_shell(bfrt: Device):
    fields = [Field(1, "hdr.a.x", "uint", 8, match="LPM"), Field(2, "hdr.b.x", "uint", 8, match="Range")]
    names = [parts for _, parts in parameters(fields, [Field(1, "port", "uint", 9)])]
    assert names == [("a_x", "a_x_p_length"), ("b_x_start", "b_x_end"), ("port",)]
    assert [identifier(name) for name in ("$DEV_PORT", "vlan$0", "class", "a-b")] == [
        "DEV_PORT", "vlan0", "p4_class", "a_b",
    ]  # fmt: skip
    assert number("10.0.0.1", Field(1, "a", "uint", 32)) == 0x0A000001
    assert number("00:11:22:33:44:55", Field(1, "a", "uint", 48)) == 0x1122334455
    assert key_row(TERNARY, 0x1234, 0xFF00) == (1, "Ternary", b"\x12\x00", b"\xff\x00", 0)
    assert key_row(TERNARY, None, None) is None
    assert text(TERNARY, [0x12, 0xFF]) == "(0x0012, 0x00FF)"
    assert {"bfrt", "BfRtTableError", "ip", "mac"} <= set(namespace(bfrt))
    show(bfrt.control.pipe.I.fixed.usage)
