"""The runtime command language: each command, its errors, files and the prompt."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from command import weir
from weir import Network
from weir.cli.shell import Shell
from weir.control.commands import COMMANDS, UNSUPPORTED, Runtime
from weir.control.sessions import Replica
from weir.errors import CommandFileError, ControlError
from weir.program import compile
from weir.stf.bench import Bench

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "testdata" / "stf"


def runtime(program: str) -> Runtime:
    return Bench(compile(CORPUS / f"{program}.p4"), [0, 1, 2, 3]).switch.runtime


def told(commands: Runtime, *lines: str) -> list[str]:
    return [printed for line in lines for printed in commands.run(line)]


def test_tables() -> None:
    commands = runtime("match")
    assert told(
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
    assert told(commands, "table_dump by_exact") == [
        "0: 16 => I.forward_marked 2 9",
        "1: 7 => I.drop",
        "default => I.forward 3",
    ]
    assert told(commands, "table_dump by_mask") == [
        "0: 0x1200&&&0xff00 => I.forward 2 priority 5",
        "1: 0x1200&&&0xffff => I.drop priority 1",
        "default => I.drop",
    ]
    assert told(commands, "table_dump_entry_from_key by_exact 7") == ["1: 7 => I.drop"]
    assert told(commands, "table_dump_entry by_range 0") == ["0: 0x1->0x5 => I.forward 2 priority 0"]
    assert told(commands, "table_dump_entry by_option 0") == ["0: 7 => I.forward 2 priority 0"]
    assert told(commands, "table_delete by_exact 0", "table_num_entries by_exact") == ["1"]
    assert told(commands, "table_clear by_exact", "table_num_entries by_exact") == ["0"]
    assert told(commands, "table_reset_default by_exact", "table_dump by_exact") == ["default => I.drop"]
    assert told(commands, "table_info by_prefix") == [
        "I.by_prefix [hdr.frame.prefix_field (lpm, 32)]",
        "size: no limit",
        "entries: 1",
        "action: I.forward (port: 9)",
        "action: I.drop ()",
    ]
    assert "I.forward_marked (port: 9, mark: 16)" in told(commands, "show_actions")
    assert len(told(commands, "show_tables")) == 6


def test_what_is_written_is_read_back() -> None:
    commands = runtime("state")
    assert told(
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
    assert told(commands, "set_queue_depth 5", "set_queue_rate 100 1", "set_queue_rate 0") == []
    with pytest.raises(ControlError):
        commands.run("set_crc16_parameters calc 0x8005 0 0 yes false")


def test_replication() -> None:
    commands = runtime("copies")
    assert told(
        commands,
        "mc_mgrp_create 7",
        "mc_node_create 1 3 2 2",
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
    assert told(commands, "mc_node_dissociate 7 0") == []
    assert commands.switch.multicast_groups() == {7: []}
    told(commands, "mc_mgrp_destroy 7")
    assert commands.switch.multicast_groups() == {}
    assert told(commands, "mirroring_add_mc 3 7", "mirroring_get 3") == ["session 3: multicast group 7"]
    told(commands, "mirroring_delete 3")
    with pytest.raises(ControlError, match="there is no clone session 3"):
        commands.run("mirroring_get 3")


def test_profiles() -> None:
    commands = runtime("profile")
    lines = (CORPUS / "profile.stf").read_text().splitlines()
    told(commands, *(line for line in lines if line.startswith(("act_prof", "table_"))))
    assert told(commands, "act_prof_dump ways", "table_dump routes") == [
        "member 0: I.out_of 3",
        "member 1: I.out_of 2",
        "group 0: 0",
        "1: 2 => group 0",
        "default => I.drop",
    ]
    assert told(commands, "act_prof_create_group ways", "act_prof_delete_group ways 1") == ["group 1 created"]
    assert told(commands, "act_prof_delete_member ways 1", "act_prof_dump ways")[0] == "member 0: I.out_of 3"


def test_link_aggregation_groups() -> None:
    commands = runtime("copies")
    told(
        commands,
        "mc_mgrp_create 7",
        "mc_node_create 5 1 | 0 9",
        "mc_node_associate 7 0",
        "mc_set_lag_membership 0 2 3",
    )
    # Of two ports that at place 255 mod 2; LAG 9 has none.
    assert commands.switch.multicast_groups() == {7: [Replica(1, 5), Replica(3, 5)]}
    assert told(commands, "mc_dump") == [
        "group 7",
        "  node 0: rid 5, ports 1, lags 0 9",
        "lag 0: ports 2 3",
    ]
    told(commands, "mc_set_lag_membership 0 0 2 3", "mc_set_lag_membership 9 2")
    assert commands.switch.multicast_groups() == {7: [Replica(1, 5), Replica(0, 5), Replica(2, 5)]}
    told(commands, "mc_node_update 0 | 9")
    assert commands.switch.multicast_groups() == {7: [Replica(2, 5)]}
    # Packets for ports that are not connected are dropped.
    told(commands, "mc_set_lag_membership 9 8")
    assert commands.switch.multicast_groups() == {7: [Replica(8, 5)]}


def test_groups_that_others_made_and_took_away() -> None:
    commands = runtime("copies")
    switch = commands.switch
    switch.set_multicast_group(3, [1, Replica(2, 4)])
    told(commands, "mc_mgrp_create 7", "mc_node_create 1 2", "mc_node_associate 7 0")
    assert told(commands, "mc_dump") == [
        "group 3, made without nodes",
        "  rid 0, port 1",
        "  rid 4, port 2",
        "group 7",
        "  node 0: rid 1, ports 2",
    ]
    with pytest.raises(ControlError, match="multicast group 3 was made without nodes"):
        told(commands, "mc_node_create 9", "mc_node_associate 3 1")
    switch.set_multicast_group(7, [3])
    assert told(commands, "mc_dump")[3:5] == ["group 7, made without nodes", "  rid 0, port 3"]
    switch.delete_multicast_group(7)
    assert told(commands, "mc_mgrp_destroy 3", "mc_dump") == [
        "node 0: rid 1, ports 2, in no group",
        "node 1: rid 9, ports none, in no group",
    ]


CONTROL = ROOT / "testdata" / "switch" / "control.p4"


def control() -> Runtime:
    return Bench(compile(CONTROL), [1, 2, 3]).switch.runtime


def test_value_sets() -> None:
    commands = control()
    assert told(
        commands,
        "show_pvs",
        "pvs_add noted 5 3&&&3",
        "pvs_add P.noted 6 7",
        "pvs_add noted 0x0607",
        "pvs_get noted",
        "pvs_remove noted 6 7",
        "pvs_remove noted 9 9",
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


def test_profiles_by_their_tables() -> None:
    commands = control()
    assert told(
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
    told(
        commands,
        "counter_write both 1 2 3",
        "mirroring_add 4 2",
        "mc_mgrp_create 1",
        "mc_node_create 1 2",
        "set_queue_rate 10Mbit 2",
        "set_queue_rate 5 2 0",
        "set_queue_depth 9 2",
    )
    assert told(commands, "switch_info", "show_ports", "show_queues 2", "get_time_elapsed") == [
        "name: switch",
        f"program: {CONTROL}",
        "ports: 1 2 3",
        "port 1: 0 packets waiting, depth 64, rate unlimited",
        "port 2: 0 packets waiting, depth 9, rate 10Mbit",
        "port 3: 0 packets waiting, depth 64, rate unlimited",
        "priority 0: 0 packets waiting, depth 9, rate 5pps, of the port 10Mbit",
        "0",
    ]
    assert told(commands, "reset_state", "counter_read both 1", "mc_dump", "mirroring_get 4") == [
        "both[1] = 0 packets, 0 bytes",
        "session 4: port 2",
    ]


def test_rates_with_units() -> None:
    commands = control()
    assert told(
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
        ("meter_set_rates by_packets 0 1Mbit:1 2:2", "this meter counts packets: its rates are no bits per second, found 1Mbit"),
        ("meter_set_rates by_bytes 0 1pps:1 2:2", "this meter counts bytes: its rates are no packets per second, found 1pps"),
        ("meter_set_rates by_bytes 0 1Mbyte:1 2:2", "unknown unit 'Mbyte' in rate '1Mbyte': use bit, kbit, Mbit, Gbit or Tbit (per second)"),
        ("meter_set_rates by_bytes 0 2:1 1:2", "the second rate (1:2) is below the first (2:1)"),
        ("meter_set_rates by_packets 0 1e-16:1 1:2", "1e-16 is less than a billionth a second: no meter is that slow"),
        ("meter_set_rates by_bytes 9 1:1 1:2", "I.by_bytes has 4 cells: index 9 is out of range"),
        ("set_queue_rate fast", 'expected a rate in packets per second, or one with a unit such as 10Mbit, a whole number, found "fast"'),
        ("set_queue_rate 5 9", "the switch has no port 9; its ports: 1, 2, 3"),
        ("set_queue_depth 5 1 3", "ports have 1 queues, there is no priority 3"),
        ("table_add fixed answer 9 => 1", "the entries of table `I.fixed` are constant"),
        ("table_set_timeout fixed 0 5", "table `I.fixed` has no `support_timeout = true`: its entries take no idle time-out"),
        ("swap_configs", f"swap_configs is not supported: {UNSUPPORTED['swap_configs']}"),
        ("serialize_state x", f"serialize_state is not supported: {UNSUPPORTED['serialize_state']}"),
    ],
)  # fmt: skip
def test_errors_of_what_can_be_controlled(line: str, message: str) -> None:
    with pytest.raises(ControlError) as error:
        control().run(line)
    assert str(error.value) == message


def test_a_table_takes_no_more_entries_than_its_size() -> None:
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
    assert told(
        commands,
        "table_add prefixes answer 10.0.0.0/8 => 1",
        "table_set_timeout prefixes 0 1500",
        "table_dump_entry_from_key prefixes 10.0.0.0/8",
    ) == ["entry 0 added", "0: 167772160/8 => I.answer 1 idle after 1.5s"]


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
            'key hdr.frame.range_field: the range 5->1 is empty; did you mean "1->5"?',
        ),
        ("table_delete by_exact 9", "table `I.by_exact` has no entry with handle 9"),
        ("table_delete by_exact x", 'expected an entry\'s handle, a whole number, found "x"'),
        (
            "table_delete by_exact 1 2",
            'table_delete takes 2 arguments, found also "2" (table_delete TABLE HANDLE)',
        ),
        ("mirroring_get 3", "there is no clone session 3 (mirroring_add makes one)"),
        ("mc_node_associate 1 0", "there is no multicast node 0 (there are: none)"),
        ("mc_mgrp_create 0", "a group's number 0 is out of range: expected 1 to 65535"),
        ("register_read last", 'there is no register "last" (there are: none)'),
        ("counter_read hits 5", "table `I.by_exact` has no entry with handle 5"),
        ("help tabel_add", 'there is no runtime command "tabel_add"; did you mean "table_add"?'),
    ],
)
def test_errors(line: str, message: str) -> None:
    with pytest.raises(ControlError) as error:
        runtime("match").run(line)
    assert str(error.value) == message


def test_every_command_has_help_whose_example_is_a_call_of_it() -> None:
    commands = runtime("match")
    listed = commands.run("help")
    for name, command in COMMANDS.items():
        assert any(line.startswith(f"{name} ") for line in listed)
        words = command.example.split()
        assert words[0] == name
        assert len(words) - 1 >= command.least
        assert command.most is None or len(words) - 1 <= command.most
        assert commands.run(f"help {name}")[-1] == f"Example: {command.example}"


def test_the_document_tells_of_every_command_and_no_other() -> None:
    text = (ROOT / "docs" / "runtime-commands.md").read_text()
    rows = re.findall(r"^\| `([^`]+)` \| (.+) \|$", text, re.MULTILINE)
    there = {command.usage: command.summary for command in COMMANDS.values()}
    assert {usage.replace(r"\|", "|"): summary for usage, summary in rows} == {**there, **UNSUPPORTED}


def test_completion() -> None:
    commands = runtime("match")
    assert commands.choices([]) == list(COMMANDS)
    assert "I.by_exact" in commands.choices(["table_add"])
    assert commands.choices(["table_add", "by_prefix"]) == ["I.forward", "I.drop"]
    assert commands.choices(["counter_read"]) == ["I.hits"]
    assert commands.choices(["nothing", "here"]) == []
    commands = control()
    told(
        commands,
        "act_prof_create_member ways to 2",
        "act_prof_create_group ways",
        "mirroring_add 4 2",
        "mc_mgrp_create 8",
        "mc_node_create 1 2",
        "mc_set_lag_membership 6 1 2",
    )
    for line, wanted in {
        "act_prof_create_member": ["I.ways", "I.places"],
        "act_prof_create_group": ["I.ways"],
        "act_prof_create_member ways": ["I.to", "I.drop"],
        "act_prof_add_member_to_group ways": ["0"],
        "act_prof_add_member_to_group ways 0": ["0"],
        "table_indirect_add": ["I.balance", "I.place"],
        "table_indirect_delete_member balance": ["0"],
        "table_delete fixed": ["0", "1"],
        "table_delete nothing": [],
        "pvs_add": ["P.noted", "P.dropped"],
        "mirroring_delete": ["4"],
        "mc_mgrp_destroy": ["8"],
        "mc_node_associate 8": ["0"],
        "mc_node_create 1 2 3": ["1", "2", "3"],
        "mc_node_create 1 2 |": ["6"],
        "mc_set_lag_membership": ["6"],
        "set_queue_depth 5": ["1", "2", "3"],
    }.items():
        assert (line, commands.choices(line.split())) == (line, wanted)


def topology(tmp_path: Path, commands: str) -> Path:
    (tmp_path / "s1-commands.txt").write_text(commands)
    hosts = {f"h{n}": {"ip": f"10.0.0.{n}/24", "mac": f"08:00:00:00:00:0{n}"} for n in (1, 2)}
    links = [["h1", "s1-p1"], ["h2", "s1-p2"]]
    file = tmp_path / "topology.json"
    switches = {"s1": {"cli_input": "s1-commands.txt"}}
    file.write_text(json.dumps({"hosts": hosts, "switches": switches, "links": links}))
    return file


def test_files_and_the_prompt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = topology(tmp_path, "# entries\ntable_add by_exact forward 1 => 2\n")
    with Network.load(file, CORPUS / "match.p4") as network:
        shell = Shell(network)
        assert shell.run("s1 table_dump by_exact")
        assert capsys.readouterr().out == "0: 1 => I.forward 2\ndefault => I.drop\n"
        assert not shell.run("s1")
        assert "s1 alone is not a command" in capsys.readouterr().err


WRONG_LINES = """\
// The second line and the last are wrong.
table_del by_exact 0
table_add by_exact forward 1 => 2 // to port 2
table_add by_exakt forward 2 => 2
"""


def test_all_wrong_lines_of_a_file_are_named(tmp_path: Path) -> None:
    file = topology(tmp_path, WRONG_LINES)
    with pytest.raises(CommandFileError) as error:
        Network.load(file, CORPUS / "match.p4")
    first, second = str(error.value).splitlines()
    assert first.endswith(
        's1-commands.txt:2: there is no runtime command "table_del" (help shows them); did you mean "table_delete"?'
    )
    assert second.endswith('s1-commands.txt:4: there is no table "by_exakt"; did you mean "I.by_exact"?')
    with Network.load(file, CORPUS / "match.p4", strict=False) as network:
        assert len(network.switch("s1").table("by_exact")) == 1
        assert list(map(str, network.command_errors)) == [first, second]


def test_a_network_with_wrong_commands_runs_unless_strict(tmp_path: Path) -> None:
    file = topology(tmp_path, WRONG_LINES)
    call = ["run", file, "--p4", CORPUS / "match.p4", "-c", "s1 table_num_entries by_exact"]
    code, out, err = weir(*call)
    assert (code, out) == (1, "1\n")
    assert re.findall(r"s1-commands.txt:(\d+): ", err) == ["2", "4"]
    code, out, err = weir(*call, "--strict")
    assert (code, out) == (1, "")
    assert re.findall(r"s1-commands.txt:(\d+): ", err) == ["2", "4"]


def test_only_the_first_wrong_lines_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "commands.txt"
    file.write_text("wrong\n" * 30)
    with pytest.raises(CommandFileError) as error:
        control().load(file)
    assert len(error.value.errors) == 30
    assert str(error.value).splitlines()[-1] == "10 more lines failed"
