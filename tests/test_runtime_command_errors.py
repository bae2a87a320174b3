"""Runtime commands that are refused, and the reasons."""

from __future__ import annotations

import pytest

from runtime_commands import control, runtime
from weir.control.commands import UNSUPPORTED
from weir.errors import ControlError


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("pvs_add notde 1", 'there is no value set "notde"; did you mean "P.noted"?'),
        ("pvs_add noted 1 2 3", "a member of P.noted [what (exact, 8), index (ternary, 8)] size 3 takes 2 values, found 3"),
        ("pvs_add noted 0x10000", "a member of P.noted: 0x10000 does not fit in 16 bits (at most 65535)"),
        ("pvs_add noted 5 256", "field index: 256 does not fit in 8 bits (at most 255)"),
        ("act_prof_dump_member ways 3", "I.ways has no member 3 (there are: none)"),
        ("act_prof_dump_group ways 3", "I.ways has no group 3 (there are: none)"),
        ("act_prof_create_group places", "I.places is an action profile without selector: it has no groups"),
        ("table_dump_group fixed 0", "table I.fixed has no action profile: table_add adds its entries"),
        ("meter_set_rates by_packets 0 1Mbit:1 2:2", "this meter counts packets: its rates are not bits per second, found 1Mbit"),
        ("meter_set_rates by_bytes 0 1pps:1 2:2", "this meter counts bytes: its rates are not packets per second, found 1pps"),
        ("meter_set_rates by_bytes 0 1Mbyte:1 2:2", "unknown unit 'Mbyte' in rate '1Mbyte': use bit, kbit, Mbit, Gbit or Tbit (per second)"),
        ("meter_set_rates by_bytes 0 2:1 1:2", "the second rate (1:2) is below the first (2:1)"),
        ("meter_set_rates by_packets 0 1e-16:1 1:2", "1e-16 is less than a billionth a second: no meter is that slow"),
        ("meter_set_rates by_bytes 9 1:1 1:2", "I.by_bytes has 4 cells: index 9 is out of range"),
        ("set_queue_rate fast", 'expected a rate in packets per second, or one with a unit such as 10Mbit, a whole number, found "fast"'),
        ("set_queue_rate 5 9", "the switch has no port 9; its ports: 1, 2, 3"),
        ("set_queue_depth 5 1 3", "ports have 1 queue, there is no priority 3"),
        ("table_add fixed answer 9 => 1", "the entries of table `I.fixed` are constant"),
        ("table_set_timeout fixed 0 5", "table `I.fixed` has no `support_timeout = true`: its entries take no idle time-out"),
        ("swap_configs", f"swap_configs is not supported: {UNSUPPORTED['swap_configs']}"),
        ("serialize_state x", f"serialize_state is not supported: {UNSUPPORTED['serialize_state']}"),
    ],
)  # fmt: skip
def test_errors_of_control_objects(line: str, message: str) -> None:
    with pytest.raises(ControlError) as error:
        control().run(line)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "tabel_add by_exact drop 1",
            'there is no runtime command "tabel_add" (help shows them); did you mean "table_add"?',
        ),
        (
            "table_add by_exact",
            "table_add needs 2 or more arguments, found 1 (table_add TABLE ACTION KEY… => [PARAMETER…] [PRIORITY])",
        ),
        ("table_add by_exakt drop 1 =>", 'there is no table "by_exakt"; did you mean "I.by_exact"?'),
        (
            "table_add by_exact drob 1 =>",
            'table I.by_exact has no action "drob"; did you mean "I.drop"?',
        ),
        (
            "table_add by_exact drop 1 2 =>",
            "table I.by_exact needs 1 keys: hdr.frame.exact_field (exact, 16 bits); found 2",
        ),
        ("table_add by_exact forward 1 =>", "action I.forward takes 1 parameters: port (9 bits); found 0"),
        ("table_add by_exact forward 1 2 3", 'expected "=>" between the keys and the action\'s parameters'),
        (
            "table_add by_exact forward 1 => 512",
            "parameter port of I.forward: 512 does not fit in 9 bits (at most 511)",
        ),
        (
            "table_add by_prefix drop 10.0.0.0 =>",
            'key hdr.frame.prefix_field is matched lpm: expected VALUE/LENGTH, found "10.0.0.0"',
        ),
        (
            "table_add by_mask drop 1 => 5",
            'key hdr.frame.masked_field is matched ternary: expected VALUE&&&MASK, found "1"',
        ),
        (
            "table_add by_mask drop 1&&&1 =>",
            "entries of table I.by_mask need a priority at the end (the smallest is preferred)",
        ),
        (
            "table_add by_range drop 5->1 => 0",
            'key hdr.frame.range_field: the range 5 to 1 is empty; did you mean "1->5"?',
        ),
        ("table_delete by_exact 9", "table `I.by_exact` has no entry with handle 9"),
        ("table_delete by_exact x", 'expected an entry\'s handle, a whole number, found "x"'),
        (
            "table_delete by_exact 1 2",
            'table_delete takes 2 arguments, found also "2" (table_delete TABLE HANDLE)',
        ),
        ("mirroring_get 3", "there is no clone session 3 (mirroring_add makes one)"),
        ("mc_node_associate 1 0", "there is no multicast node 0 (there are: none)"),
        ("mc_node_create 1 2 3 2", "port 2 is listed twice"),
        ("mc_node_create 1 2 | 4 4", "LAG 4 is listed twice"),
        ("mc_mgrp_create 0", "a group's number 0 is out of range: expected 1 to 65535"),
        ("register_read last", 'there is no register "last" (there are: none)'),
        ("counter_read hits 5", "table `I.by_exact` has no entry with handle 5"),
        ("help tabel_add", 'there is no runtime command "tabel_add"; did you mean "table_add"?'),
    ],
)
def test_errors_of_tables(line: str, message: str) -> None:
    with pytest.raises(ControlError) as error:
        runtime("match").run(line)
    assert str(error.value) == message
