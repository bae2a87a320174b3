"""The files that commands name: no output overwrites what the command reads, or another output.

The options come from the commands themselves, so that a new command is tested, too.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import click
import pytest

from all_commands import COMMANDS
from command import NET, weir
from weir.cli.files import Input, InputFolder, Output, OutputFile
from weir.errors import CommandError

NAMES_A_FILE = re.compile("FILE|DIR|FOLDER|STORE|TOPOLOGY")
TOPOLOGY, P4 = str(NET / "topology.json"), str(NET / "router.p4")


def parameters(*kinds: type[click.ParamType]) -> list[tuple[str, str]]:
    """The parameters of these types, each with the words of its command."""
    return [
        (words, str(parameter.name))
        for words, command in COMMANDS.items()
        for parameter in command.params
        if isinstance(parameter.type, kinds)
    ]


def test_parameters_say_what_they_name():
    unknown = [
        f"{words}: {parameter.name}"
        for words, command in COMMANDS.items()
        for parameter in command.params
        if (NAMES_A_FILE.search(parameter.metavar or "") or isinstance(parameter.type, click.Path))
        and parameter.name != "shape"
        and not isinstance(parameter.type, (Input, Output))
    ]
    assert unknown == [], "expected a type of weir.cli.files"
    assert ("weir lab fit", "out") in parameters(OutputFile)
    assert len(parameters(OutputFile)) > 20 and len(parameters(InputFolder)) > 10


def parse(command: click.Command, given: Mapping[str, str]) -> None:
    """Parses a command line with these values, and with others for what else is required."""
    options: list[str] = []
    arguments: list[str] = []
    last = max((place for place, one in enumerate(command.params) if one.name in given), default=0)
    for place, parameter in enumerate(command.params):
        value = given.get(str(parameter.name), "1")
        if isinstance(parameter, click.Argument):
            if parameter.required or parameter.name in given or place < last:
                arguments.append(value)
        elif parameter.required or parameter.name in given:
            options += [max(parameter.opts, key=len), value]
    command.make_context("command", [*options, *arguments])


def takes_a_file(words: str, name: str) -> bool:
    parameter = next(one for one in COMMANDS[words].params if one.name == name)
    return isinstance(parameter.type, click.Path) and parameter.type.file_okay


def pairs(*kinds: type[Input] | type[Output]) -> list[tuple[str, str, str]]:
    """Each output with each other parameter of these types of the same command, unless only one of
    them can be a file."""
    return [
        (words, output, other)
        for words, output in parameters(Output)
        for its_words, other in parameters(*kinds)
        if its_words == words
        and other != output
        and takes_a_file(words, output) == takes_a_file(words, other)
    ]


@pytest.mark.parametrize(("words", "output", "input"), pairs(Input))
def test_no_output_is_an_input(tmp_path: Path, words: str, output: str, input: str):
    file, link = tmp_path / "a", tmp_path / "b"
    file.write_text("")
    link.symlink_to(file)
    if is_folder := (words, input) in parameters(InputFolder):
        (tmp_path / "runs.parquet").write_text("")
        link = tmp_path / "." / "runs.parquet"
    for name in (file, link)[is_folder:]:
        with pytest.raises(CommandError, match=r"would overwrite .* which the command reads"):
            parse(COMMANDS[words], {output: str(name), input: str(tmp_path if is_folder else file)})


@pytest.mark.parametrize(("words", "output", "other"), pairs(Output))
def test_no_output_is_another(tmp_path: Path, words: str, output: str, other: str):
    with pytest.raises(CommandError, match=r"both name .* each needs its own file"):
        parse(COMMANDS[words], {output: str(tmp_path / "a"), other: f"{tmp_path}/./a"})


@pytest.mark.parametrize(("words", "name"), parameters(Input, Output))
def test_a_name_is_not_empty(words: str, name: str):
    kind = next(one.type for one in COMMANDS[words].params if one.name == name)
    if isinstance(kind, Input) and kind.may_be_empty:
        assert (words, name) == ("weir trace", "packet")
        return
    with pytest.raises((CommandError, click.BadParameter), match=r'expected a name, found ""|does not exist'):
        parse(COMMANDS[words], {name: ""})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a topology with its files, in the current folder."""
    for file in NET.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_that_a_topology_names(folder: Path):
    entries = next(folder.glob("s1*.json"))
    before = entries.read_bytes()
    code, out, err = weir(
        "ping", "topology.json", "h1", "h2", "--p4", "router.p4", "--csv", entries, cwd=folder
    )
    assert (code, out) == (1, "") and "--csv would overwrite" in err
    assert entries.read_bytes() == before


def test_files_that_a_program_includes(folder: Path):
    (folder / "all.p4").write_text('#include "router.p4"\n')
    for words in (
        ["compile", "all.p4", "--dissector", "router.p4"],
        ["ping", "topology.json", "h1", "h2", "--p4", "all.p4", "--csv", "router.p4"],
    ):
        code, out, err = weir(*words, cwd=folder)
        assert (code, out) == (1, "") and "would overwrite" in err
        assert (folder / "router.p4").read_bytes() == Path(P4).read_bytes()


def test_a_drawing_without_a_name(folder: Path):
    topology = (folder / "topology.json").rename(folder / "topology.svg")
    code, _, err = weir("draw", topology.name, cwd=folder)
    assert code == 1 and "the drawing would overwrite topology.svg" in err
    assert topology.read_bytes() == Path(TOPOLOGY).read_bytes()


def test_captures_at_the_prompt(folder: Path):
    (folder / "commands.txt").write_text("capture commands.txt h1\n")
    lines = ["-c", "capture topology.json h1", "-c", "source commands.txt", "-c", "capture a.pcapng h1"]
    code, _, err = weir("run", "topology.json", "--p4", "router.p4", *lines, cwd=folder)
    assert code == 1 and err.count("capture would overwrite") == 2
    assert (folder / "topology.json").read_bytes() == Path(TOPOLOGY).read_bytes()
    assert (folder / "commands.txt").read_text() == "capture commands.txt h1\n"
    assert (folder / "a.pcapng").exists()
