"""The command: exit codes, help, errors, standard output and standard error."""

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from command import NET, RUN, WEIR, commands, weir
from weir.cli.app import app


def test_version():
    code, out, err = weir("--version")
    assert (code, err) == (0, "")
    assert re.fullmatch(r"weir \d+\.\d+\.\d+\n", out)


def test_the_verbose_version_lists_the_system():
    code, out, err = weir("--version", "--verbose")
    assert (code, err) == (0, "")
    first, *lines = out.splitlines()
    assert re.fullmatch(r"weir \d+\.\d+\.\d+", first)
    versions = dict(line.split(None, 1) for line in lines)
    assert list(versions) == ["build:", "commit:", "executors:", "cpu:", "python:", "system:", "installed:"]
    assert re.fullmatch(r"(release|debug), for \S+-linux-\S+", versions["build:"])
    assert versions["executors:"] == "native, interp"
    assert platform.python_version() in versions["python:"]
    assert weir("--verbose", "lab", "list")[0] == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str):
    code, out, _ = weir("completion", shell)
    assert code == 0
    assert f"_WEIR_COMPLETE={shell}_complete" in out
    assert 'eval "$(weir completion bash)"\' >> ~/.bashrc' in weir("completion", "--help")[1]


def test_python_m_weir():
    ended = subprocess.run(
        [sys.executable, "-m", "weir", "--version"], capture_output=True, text=True, check=True
    )
    assert ended.stdout.startswith("weir ")


@pytest.mark.parametrize(
    "command",
    [
        [],
        ["check"],
        ["explain"],
        ["ir"],
        ["run"],
        ["lab"],
        ["lab", "list"],
        ["lab", "run"],
        ["lab", "copy"],
        ["lab", "new"],
        ["lab", "fit"],
        ["ping"],
        ["iperf"],
        ["example"],
    ],
)
def test_help_has_an_example(command: list[str]):
    code, out, _ = weir(*command, "--help")
    assert code == 0
    assert re.search(rf"Examples?:\n +weir {' '.join(command)}", out), out


def every_command(command: click.Command, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield names
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from every_command(command.get_command(context, name), (*names, name))


def test_examples_have_lines_of_their_own():
    in_rust = {("switch",), ("link",)}
    for command in set(every_command(app)) - in_rust:
        text = CliRunner().invoke(app, [*command, "--help"]).output
        assert text.startswith("Usage: ")
        assert not re.search(r"Examples?: *\S", text), text


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["chek"], 'There is no command "chek". Did you mean "check"?'),
        (["help"], 'There is no command "help". Did you mean "--help"?'),
        (["check"], "Missing argument 'FILE.p4|FILE.json...'."),
        (["check", "--colour", "x.p4"], "No such option"),
        (["nosuch"], 'There is no command "nosuch". There are: check, explain, compile, ir, '),
        (["run", "--topo", "single,3"], "No such option '--topo'. Did you mean '--shape'?"),
        (["ping", "t.json", "h1", "h2", "--count", "2"], "No such option '--count'. Did you mean '-c'?"),
        (["iperf", "t.json", "h1", "h2", "--time", "2"], "No such option '--time'. Did you mean '-t'?"),
        (["check", "--time", "2", "x.p4"], "No such option '--time'."),
        (["run", "t.json", "x.p4"], "extra argument (x.p4). Did you mean --p4 x.p4?"),
        (["ping", "t.json", "h1", "h2", "x.p4", "y"], "extra argument (x.p4). Did you mean --p4 x.p4?"),
        (["run", "t.json", "x"], "Got unexpected extra argument (x)"),
        (["lab", "lst"], 'There is no command "lst". Did you mean "list"?'),
        (["check", "-D", "9x", "x.p4"], 'Invalid value for -D: "9x" is not a valid name for a macro'),
    ],
)
def test_wrong_calls_are_code_2(args: list[str], message: str):
    code, out, err = weir(*args)
    assert (code, out) == (2, "")
    assert message in err


# Ctrl-C at the moment when a module is asked for.
INTERRUPTED_IMPORT = """
import sys
class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == sys.argv[1]:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from weir.cli import main
sys.exit(main(["check", sys.argv[2]]))
"""


@pytest.mark.parametrize("raised", ["raise KeyboardInterrupt", "raise RuntimeError from KeyboardInterrupt()"])
@pytest.mark.parametrize("module", ["click", "weir.cli.app", "weir.errors", "weir.program", "weir._core"])
def test_interrupt_at_start_is_code_130(module: str, raised: str):
    # The core replaces an interrupt while it creates a class.
    code = INTERRUPTED_IMPORT.replace("raise KeyboardInterrupt", raised)
    command = [sys.executable, "-c", code, module, NET / "router.p4"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr.strip()) == (130, "", "error: interrupted")


REPLACED_INTERRUPT = """
import sys
from weir.cli import main
from weir.cli.app import app

class Attribute:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt

# Python up to 3.11 makes this a RuntimeError.
app.main = lambda **options: type("Owner", (), {"attribute": Attribute()})
sys.exit(main([]))
"""


def test_interrupt_that_python_replaces_is_code_130():
    completed = subprocess.run([sys.executable, "-c", REPLACED_INTERRUPT], capture_output=True, text=True)
    assert (completed.returncode, completed.stdout, completed.stderr) == (130, "", "error: interrupted\n")


def test_output_in_an_encoding_without_its_characters():
    packet = ["trace", NET / "router.p4", "--packet", "00" * 60, "--port", "1"]
    latin = os.environ | {"PYTHONIOENCODING": "latin-1:strict"}
    completed = subprocess.run([WEIR, *packet], env=latin, capture_output=True, encoding="latin-1")
    assert (completed.returncode, completed.stderr) == (0, "")
    assert "\n\\u2514\\u2500 out of port 0, 60 bytes" in completed.stdout
    assert completed.stdout.encode().decode("unicode_escape") == weir(*packet)[1]


@pytest.mark.parametrize(
    "words",
    [
        ["trace", str(NET / "router.p4"), "--packet", "00" * 60, "--port", "1"],
        ["lab", "list"],
        [*RUN, "-c", "h1 pîng h2"],
        ["ping", str(NET / "topology.json"), "h1", "é→"],
        ["explain"],
        ["top", "127.0.0.1:1"],
    ],
)
def test_output_in_the_locale_c(words: list[str]):
    plain = {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    completed = subprocess.run([WEIR, *words], env=environment | plain, capture_output=True, check=False)
    assert completed.returncode == weir(*words)[0]
    text = (completed.stdout + completed.stderr).decode("ascii")
    assert text and "internal error" not in text and "Traceback" not in text


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["run", "missing.json"], "missing.json: no such file"),
        (["run", str(NET / "topology.json")], "switch s1 has entries but no P4 program: give one for all switches (p4=…, or --p4), or for this one"),
        ([*RUN, "--profile", "bmv2-wm", "-c", "nodes"], 'there is no timing profile "bmv2-wm"; did you mean "bmv2-vm"?'),
        ([*RUN, "--seed", "-1", "-c", "nodes"], "the seed -1 is out of range: expected 0 to 2**63 - 1"),
        (["lab", "run", "dely"], 'there is no lab "dely"; did you mean "delay"?'),
        (["pi\udcffng"], 'argument 1 is not UTF-8 text (character 3, "\\udcffng"); rename it if it is a file'),
        (["check", "\udce4.p4"], 'argument 2 is not UTF-8 text (character 1, "\\udce4.p4"); rename it if it is a file'),
    ],
)  # fmt: skip
def test_mistakes_are_one_line_and_code_1(args: list[str], message: str, tmp_path: Path):
    assert weir(*args, cwd=tmp_path) == (1, "", f"error: {message}\n")


def test_errors_of_the_program_are_shown_by_run(tmp_path: Path):
    wrong = tmp_path / "wrong.p4"
    wrong.write_text("#include <core.p4>\nheader h_t { bit<8> a }\n")
    code, out, err = weir("run", NET / "topology.json", "--p4", wrong, "-c", "nodes")
    assert (code, out) == (1, "")
    assert f"{wrong}:2:" in err


def test_bytes_at_the_prompt_that_are_not_utf_8():
    typed = b"\xabxx\nh1 ping \xff\n# \xff\nh\xff ping h2\ns1 table_add \xff\n"
    completed = subprocess.run([WEIR, *RUN], input=typed, capture_output=True, check=False)
    errors = completed.stderr.decode().splitlines()
    words = [re.match(r"error: word (\d) is not UTF-8 text \(character (\d), ", line) for line in errors]
    assert [match and match.groups() for match in words] == [("1", "1"), ("3", "1"), ("1", "2"), ("3", "1")]
    assert (completed.returncode, completed.stdout) == (1, b"")


def test_a_full_disk_is_one_line():
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [WEIR, *commands("nodes")], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (ended.returncode, ended.stderr) == (1, "error: No space left on device\n")


def test_a_reader_that_leaves_early_is_no_error():
    completed = subprocess.run(
        f"'{WEIR}' run '{RUN[1]}' --p4 '{RUN[3]}' -c 'h1 ping -c 20000 -i 0.001 h2' | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.stdout.startswith("PING h2")
    assert completed.stderr == ""


def test_check_starts_fast():
    """The limit of time is generous: three times the benchmark's figure."""
    imported = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "weir", "check", NET / "router.p4"],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    for heavy in ["polars", "matplotlib", "numpy", "prompt_toolkit", "rich", "weir.network"]:
        assert not re.search(rf"\| +{re.escape(heavy)}$", imported, re.MULTILINE), (
            f"weir check imports {heavy}"
        )
