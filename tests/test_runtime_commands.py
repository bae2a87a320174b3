"""The runtime command language: each command, its errors, files and the prompt."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from weir import Network
from weir.cli.shell import Shell
from weir.control.commands import COMMANDS, Runtime
from weir.control.commands.completion import choices
from weir.errors import ControlError
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
    assert commands.switch.core.multicast_group(7) == [(1, 1)]
    assert told(commands, "mc_node_dissociate 7 0") == []
    assert commands.switch.core.multicast_group(7) == []
    told(commands, "mc_mgrp_destroy 7")
    assert commands.switch.core.multicast_group(7) is None
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
            'there is no action of I.by_exact called "drob"; did you mean "I.drop"?',
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
    rows = dict(re.findall(r"^\| `([^`]+)` \| (.+) \|$", text, re.MULTILINE))
    assert rows == {command.usage: command.summary for command in COMMANDS.values()}


def test_completion() -> None:
    commands = runtime("match")
    assert choices(commands, []) == list(COMMANDS)
    assert "I.by_exact" in choices(commands, ["table_add"])
    assert choices(commands, ["table_add", "by_prefix"]) == ["I.forward", "I.drop"]
    assert choices(commands, ["counter_read"]) == ["I.hits"]
    assert choices(commands, ["nothing", "here"]) == []


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
        assert "s1 alone is no command" in capsys.readouterr().err


def test_a_wrong_line_of_a_file_is_named(tmp_path: Path) -> None:
    file = topology(tmp_path, "\ntable_add by_exact forward 1 => 2\ntable_del by_exact 0\n")
    with pytest.raises(ControlError) as error:
        Network.load(file, CORPUS / "match.p4")
    assert str(error.value).endswith(
        's1-commands.txt:3: there is no runtime command "table_del" (help shows them); did you mean "table_delete"?'
    )
