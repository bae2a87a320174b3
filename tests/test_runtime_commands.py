"""The effect of each runtime command."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime_commands import CONTROL, CORPUS, control, output, runtime
from weir.control import Replica
from weir.errors import ControlError, WeirWarning


def test_tables() -> None:
    commands = runtime("match")
    assert output(
        commands,
        "table_add by_exact forward 0x10 => 1  # a comment",
        "table_add by_mask I.forward 0x1200&&&0xff00 => 2 5",
        "table_add by_mask drop 0x1200&&&0xffff => 1",
        "table_add by_range forward 1->5 => 2 0",
        "table_add by_option forward 7 => 2 0",
        "table_add by_prefix forward 10.0.0.0/8 => 3",
        "table_add by_exact drop 7",
        "table_modify by_exact forward_marked 0 2 9",
        "table_set_default by_exact forward 3",
    ) == [f"entry {n} added" for n in (0, 0, 1, 0, 0, 0, 1)]
    assert output(commands, "table_dump by_exact") == [
        "0: 16 => I.forward_marked 2 9",
        "1: 7 => I.drop",
        "default => I.forward 3",
    ]
    assert output(commands, "table_dump by_mask") == [
        "0: 0x1200&&&0xff00 => I.forward 2 priority 5",
        "1: 0x1200&&&0xffff => I.drop priority 1",
        "default => I.drop",
    ]
    assert output(commands, "table_dump_entry_from_key by_exact 7") == ["1: 7 => I.drop"]
    assert output(commands, "table_dump_entry by_range 0") == ["0: 0x1->0x5 => I.forward 2 priority 0"]
    assert output(commands, "table_dump_entry by_option 0") == ["0: 7 => I.forward 2 priority 0"]
    assert output(commands, "table_delete by_exact 0", "table_num_entries by_exact") == ["1"]
    assert output(commands, "table_clear by_exact", "table_num_entries by_exact") == ["0"]
    assert output(commands, "table_reset_default by_exact", "table_dump by_exact") == ["default => I.drop"]
    assert output(commands, "table_info by_prefix") == [
        "I.by_prefix [hdr.frame.prefix_field (lpm, 32)]",
        "size: no limit",
        "entries: 1",
        "action: I.forward (port: 9)",
        "action: I.drop ()",
    ]
    assert "I.forward_marked (port: 9, mark: 16)" in output(commands, "show_actions")
    assert len(output(commands, "show_tables")) == 6


def test_bits_that_do_not_count_are_named(tmp_path: Path) -> None:
    prefix = "10.1.2.3/8 has bits outside its prefix, which do not count: 10.0.0.0/8"
    mask = "0x1234&&&0xff00 has bits outside its mask, which do not count: 0x1200 &&& 0xff00"
    lines = ["table_add by_prefix forward 10.1.2.3/8 => 3", "table_add by_mask drop 0x1234&&&0xff00 => 1"]
    assert output(runtime("match"), *lines) == ["entry 0 added", prefix, "entry 0 added", mask]

    file = tmp_path / "commands.txt"
    file.write_text("\n".join(["# two entries", *lines]))
    with pytest.warns(WeirWarning) as caught:
        printed = runtime("match").load(file)
    assert printed == ["entry 0 added"] * 2
    assert [str(one.message) for one in caught] == [f"{file}:2: {prefix}", f"{file}:3: {mask}"]


def test_written_state_is_read_back() -> None:
    commands = runtime("state")
    assert output(
        commands,
        "counter_write seen 2 5 600",
        "counter_read seen 2",
        "counter_reset seen",
        "counter_read I.seen 2",
        "register_write last 3 0xff",
        "register_read last 3",
        "register_reset last",
        "register_read last",
        "meter_get_rates limiter 0",
        "meter_set_rates limiter 0 0.5:10 1:20",
        "meter_get_rates limiter 0",
    ) == [
        "seen[2] = 5 packets, 600 bytes",
        "I.seen[2] = 0 packets, 0 bytes",
        "last[3] = 255",
        "last = 0, 0, 0, 0",
        "limiter[0] has no rates: all is green",
        "green: 0.5:10",
        "yellow: 1:20",
    ]
    assert output(commands, "set_queue_depth 5", "set_queue_rate 100 1", "set_queue_rate 0") == []
    with pytest.raises(ControlError):
        commands.run("set_crc16_parameters calc 0x8005 0 0 yes false")


def test_replication() -> None:
    commands = runtime("copies")
    assert output(
        commands,
        "mc_mgrp_create 7",
        "mc_node_create 1 3 2",
        "mc_node_create 2 1",
        "mc_node_associate 7 0",
        "mc_dump",
        "mc_node_update 0 1",
        "mc_node_destroy 1",
        "mc_dump",
    ) == [
        "node 0 created",
        "node 1 created",
        "group 7",
        "  node 0: rid 1, ports 2 3",
        "node 1: rid 2, ports 1, in no group",
        "group 7",
        "  node 0: rid 1, ports 1",
    ]
    assert commands.switch.multicast_groups() == {7: [Replica(1, 1)]}
    assert output(commands, "mc_node_dissociate 7 0") == []
    assert commands.switch.multicast_groups() == {7: []}
    output(commands, "mc_mgrp_destroy 7")
    assert commands.switch.multicast_groups() == {}
    assert output(commands, "mirroring_add_mc 3 7", "mirroring_get 3") == ["session 3: multicast group 7"]
    output(commands, "mirroring_delete 3")
    with pytest.raises(ControlError, match="there is no clone session 3"):
        commands.run("mirroring_get 3")


def test_profiles() -> None:
    commands = runtime("profile")
    lines = (CORPUS / "profile.stf").read_text().splitlines()
    output(commands, *(line for line in lines if line.startswith(("act_prof", "table_"))))
    assert output(commands, "act_prof_dump ways", "table_dump routes") == [
        "member 0: I.out_of 3",
        "member 1: I.out_of 2",
        "group 0: 0",
        "1: 2 => group 0",
        "default => I.drop",
    ]
    assert output(commands, "act_prof_create_group ways", "act_prof_delete_group ways 1") == [
        "group 1 created"
    ]
    assert (
        output(commands, "act_prof_delete_member ways 1", "act_prof_dump ways")[0] == "member 0: I.out_of 3"
    )


def test_link_aggregation_groups() -> None:
    commands = runtime("copies")
    output(
        commands,
        "mc_mgrp_create 7",
        "mc_node_create 5 1 | 0 9",
        "mc_node_associate 7 0",
        "mc_set_lag_membership 0 2 3",
    )
    # LAG 0 has two ports: the one at place 255 mod 2 gets the packet. LAG 9 has no ports.
    assert commands.switch.multicast_groups() == {7: [Replica(1, 5), Replica(3, 5)]}
    assert output(commands, "mc_dump") == [
        "group 7",
        "  node 0: rid 5, ports 1, lags 0 9",
        "lag 0: ports 2 3",
    ]
    output(commands, "mc_set_lag_membership 0 0 2 3", "mc_set_lag_membership 9 2")
    assert commands.switch.multicast_groups() == {7: [Replica(1, 5), Replica(0, 5), Replica(2, 5)]}
    output(commands, "mc_node_update 0 | 9")
    assert commands.switch.multicast_groups() == {7: [Replica(2, 5)]}
    # Packets for ports that are not connected are dropped.
    output(commands, "mc_set_lag_membership 9 8")
    assert commands.switch.multicast_groups() == {7: [Replica(8, 5)]}


def test_groups_changed_without_commands() -> None:
    commands = runtime("copies")
    switch = commands.switch
    switch.set_multicast_group(3, [1, Replica(2, 4)])
    output(commands, "mc_mgrp_create 7", "mc_node_create 1 2", "mc_node_associate 7 0")
    assert output(commands, "mc_dump") == [
        "group 3, made without nodes",
        "  rid 0, port 1",
        "  rid 4, port 2",
        "group 7",
        "  node 0: rid 1, ports 2",
    ]
    with pytest.raises(ControlError, match="multicast group 3 was made without nodes"):
        output(commands, "mc_node_create 9", "mc_node_associate 3 1")
    switch.set_multicast_group(7, [3])
    assert output(commands, "mc_dump")[3:5] == ["group 7, made without nodes", "  rid 0, port 3"]
    switch.delete_multicast_group(7)
    assert output(commands, "mc_mgrp_destroy 3", "mc_dump") == [
        "node 0: rid 1, ports 2, in no group",
        "node 1: rid 9, ports none, in no group",
    ]


def test_value_sets() -> None:
    commands = control()
    with pytest.raises(ControlError, match=r"P\.noted has no member 9 9"):
        output(commands, "pvs_remove noted 9 9")
    assert output(
        commands,
        "show_pvs",
        "pvs_add noted 5 3&&&3",
        "pvs_add P.noted 6 7",
        "pvs_add noted 0x0607",
        "pvs_get noted",
        "pvs_remove noted 6 7",
        "pvs_get noted",
        "pvs_clear noted",
        "pvs_get noted",
        "pvs_add dropped 0x1234",
        "pvs_get dropped",
    ) == [
        "P.noted [what (exact, 8), index (ternary, 8)] size 3",
        "P.dropped [dropped (exact, 16)] size 2",
        "5 0x3&&&0x3",
        "6 0x7&&&0xff",
        "5 0x3&&&0x3",
        "4660",
    ]


def test_an_arrow_before_a_members_parameters() -> None:
    commands = control()
    assert output(
        commands,
        "act_prof_create_member ways to 2",
        "act_prof_modify_member ways to 0 => 3",
        "act_prof_dump_member ways 0",
        "act_prof_modify_member ways drop 0 =>",
        "act_prof_dump_member ways 0",
    ) == ["member 0 created", "member 0: I.to 3", "member 0: I.drop"]


def test_profiles_by_their_tables() -> None:
    commands = control()
    assert output(
        commands,
        "table_indirect_create_member balance to 2",
        "table_indirect_create_member balance drop",
        "table_indirect_modify_member balance to 1 3",
        "table_indirect_create_group balance",
        "table_indirect_add_member_to_group balance 0 0",
        "table_indirect_add_member_to_group balance 1 0",
        "table_dump_member balance 1",
        "table_dump_group balance 0",
        "act_prof_dump_member ways 0",
        "act_prof_dump_group ways 0",
        "table_indirect_add_with_group balance 1 => 0",
        "table_indirect_add balance 2 => 1",
        "table_indirect_set_default balance 1",
        "table_dump balance",
        "table_indirect_remove_member_from_group balance 0 0",
        "table_indirect_reset_default balance",
        "table_indirect_delete balance 0",
        "table_indirect_delete_group balance 0",
        "table_indirect_delete_member balance 0",
        "act_prof_dump ways",
    ) == [
        "member 0 created",
        "member 1 created",
        "group 0 created",
        "member 1: I.to 3",
        "group 0: 0 1",
        "member 0: I.to 2",
        "group 0: 0 1",
        "entry 0 added",
        "entry 1 added",
        "0: 1 => group 0",
        "1: 2 => member 1",
        "default => member 1",
        "member 1: I.to 3",
    ]


def test_the_switch_as_a_whole() -> None:
    commands = control()
    output(
        commands,
        "counter_write both 1 2 3",
        "mirroring_add 4 2",
        "mc_mgrp_create 1",
        "mc_node_create 1 2",
        "set_queue_rate 10Mbit 2",
        "set_queue_rate 5 2 0",
        "set_queue_depth 9 2",
    )
    assert output(commands, "switch_info", "show_ports", "show_queues 2", "get_time_elapsed") == [
        "name: switch",
        f"program: {CONTROL}",
        "ports: 1 2 3",
        "port 1: 0 packets waiting, depth 64, rate unlimited",
        "port 2: 0 packets waiting, depth 9, rate 10Mbit",
        "port 3: 0 packets waiting, depth 64, rate unlimited",
        "priority 0: 0 packets waiting, depth 9, rate 5pps, of the port 10Mbit",
        "0",
    ]
    assert output(commands, "reset_state", "counter_read both 1", "mc_dump", "mirroring_get 4") == [
        "both[1] = 0 packets, 0 bytes",
        "session 4: port 2",
    ]


def test_rates_with_units() -> None:
    commands = control()
    assert output(
        commands,
        "meter_set_rates by_bytes 0 8Mbit:1500 16Mbit:3000",
        "meter_get_rates by_bytes 0",
        "meter_array_set_rates by_packets 1000pps:10 0.002:20",
        "meter_get_rates by_packets 3",
        "table_add prefixes paced 10.0.0.0/8 =>",
        "meter_set_rates pace 0 8kbit:1 1:1",
        "meter_get_rates pace 0",
    ) == [
        "green: 1:1500",
        "yellow: 2:3000",
        "green: 0.001:10",
        "yellow: 0.002:20",
        "entry 0 added",
        "green: 0.001:1",
        "yellow: 1:1",
    ]


def test_full_tables_refuse_entries() -> None:
    commands = control()
    for number in range(6):
        commands.run(f"table_add all_kinds to {number} 0&&&0 0->9 * 0.0.0.0/0 => 1 5")
    with pytest.raises(ControlError, match=r"table `I.all_kinds` is full: its size is 6"):
        commands.run("table_add all_kinds to 9 0&&&0 0->9 * 0.0.0.0/0 => 1 5")
    # A group that exists already is refused as such.
    with pytest.raises(ControlError, match="has this entry already, with handle 2"):
        commands.run("table_add all_kinds to 2 0&&&0 0->9 * 0.0.0.0/0 => 1 5")


def test_timeouts_are_shown() -> None:
    commands = control()
    assert output(
        commands,
        "table_add prefixes answer 10.0.0.0/8 => 1",
        "table_set_timeout prefixes 0 1500",
        "table_dump_entry_from_key prefixes 10.0.0.0/8",
    ) == ["entry 0 added", "0: 167772160/8 => I.answer 1 idle after 1.5s"]
