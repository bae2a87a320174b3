"""Runtime commands at the prompt and in files; their help, their page and their completion."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from command import weir
from runtime_commands import CORPUS, ROOT, control, output, runtime
from weir import Network
from weir.cli.shell import Shell
from weir.control.commands import COMMANDS, UNSUPPORTED
from weir.errors import CommandFileError


def test_help_examples_are_valid_calls() -> None:
    commands = runtime("match")
    listed = commands.run("help")
    for name, command in COMMANDS.items():
        assert any(line.startswith(f"{name} ") for line in listed)
        words = command.example.split()
        assert words[0] == name
        assert len(words) - 1 >= command.least
        assert command.most is None or len(words) - 1 <= command.most
        assert commands.run(f"help {name}")[-1] == f"Example: {command.example}"


def test_the_page_lists_every_command() -> None:
    text = (ROOT / "docs" / "reference" / "runtime-commands.md").read_text()
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
    output(
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


def test_wrong_lines_are_named(tmp_path: Path) -> None:
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


def test_strict_networks_refuse_wrong_lines(tmp_path: Path) -> None:
    file = topology(tmp_path, WRONG_LINES)
    call = ["run", file, "--p4", CORPUS / "match.p4", "-c", "s1 table_num_entries by_exact"]
    code, out, err = weir(*call)
    assert (code, out) == (1, "1\n")
    assert re.findall(r"s1-commands.txt:(\d+): ", err) == ["2", "4"]
    code, out, err = weir(*call, "--strict")
    assert (code, out) == (1, "")
    assert re.findall(r"s1-commands.txt:(\d+): ", err) == ["2", "4"]


def test_many_wrong_lines_are_abbreviated(tmp_path: Path) -> None:
    file = tmp_path / "commands.txt"
    file.write_text("wrong\n" * 30)
    with pytest.raises(CommandFileError) as error:
        control().load(file)
    assert len(error.value.errors) == 30
    assert str(error.value).splitlines()[-1] == "10 more lines failed"
