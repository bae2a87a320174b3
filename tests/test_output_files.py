"""Two options of a command that name the same file for their output."""

from pathlib import Path

import pytest

from command import NET, weir as weir_command
from weir.dropin.p4c import bm2_ss

TOPOLOGY = str(NET / "topology.json")
P4 = ["--p4", str(NET / "router.p4")]
PING = ["ping", TOPOLOGY, "h1", "h2", "-c", "1", *P4]
IPERF = ["iperf", TOPOLOGY, "h1", "h2", "-t", "0.1", *P4]


@pytest.mark.parametrize("command", [PING, IPERF])
def test_no_output_replaces_another(tmp_path: Path, command: list[str]):
    file = tmp_path / "a.svg"
    both = ["--csv", str(file), "--plot", f"{tmp_path}/./a.svg"]
    code, out, err = weir_command(*command, *both)
    assert (code, out) == (1, "")
    assert err.startswith("error: --csv and --plot both name ") and "each needs its own file" in err
    assert not file.exists()


def test_links_and_other_names_of_a_file(tmp_path: Path):
    file, link, second = (tmp_path / name for name in ("a.svg", "b.svg", "c.svg"))
    file.write_text("")
    link.symlink_to(file)
    second.hardlink_to(file)
    for other in (link, second):
        code, _, err = weir_command(*PING, "--csv", str(file), "--plot", str(other))
        assert code == 1 and "--csv and --plot both name" in err
    assert file.read_text() == ""


def test_a_folder_of_captures_is_no_file(tmp_path: Path):
    code, _, err = weir_command(*PING, "--csv", str(tmp_path / "a"), "--pcap", str(tmp_path / "a"))
    assert code == 1 and "--csv and --pcap both name" in err


def test_answers_of_telemetry(tmp_path: Path):
    file = str(tmp_path / "a.svg")
    code, _, err = weir_command("telemetry", "paths", str(tmp_path), "--csv", file, "--plot", file)
    assert code == 1 and "--csv and --plot both name" in err


def test_devices_take_several_outputs(tmp_path: Path):
    code, _, err = weir_command(*PING, "--csv", "/dev/null", "--plot", str(tmp_path / "a.svg"))
    assert (code, err.count("both name")) == (0, 0)


def test_standard_output_has_another_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = weir_command(*PING, "--csv", "-")
    assert code == 1 and 'found "-"' in err and 'did you mean "/dev/stdout"?' in err
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize(
    "options",
    [
        ["-o", "a.json", "--p4runtime-file", "./a.json"],
        ["-o", "a.json", "--p4runtime-files", "b.txt,a.json"],
        ["--p4runtime-files", "a.json", "--p4runtime-file", "a.json"],
        ["-o", "a.json", "-MD", "-MF", "a.json"],
        ["-o", "router.p4"],
    ],
)
def test_the_stand_in_for_p4c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys, options: list[str]):
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "router.p4"
    program.write_text((NET / "router.p4").read_text())
    assert bm2_ss([*options, "router.p4"]) != 0
    assert "both name" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["router.p4"]


@pytest.mark.parametrize("option", ["--p4info", "--bfrt-json", "--dissector"])
def test_no_output_of_compile_replaces_the_program(tmp_path: Path, option: str):
    program, link = tmp_path / "a.p4", tmp_path / "b"
    program.write_bytes((NET / "router.p4").read_bytes())
    link.symlink_to(program)
    for name in (program, tmp_path / "." / "a.p4", link):
        more = ["--p4info-format", "text"] if option == "--p4info" else []
        code, _, err = weir_command("compile", str(program), option, str(name), *more)
        assert code == 1 and f"{option} would overwrite {program}" in err
    assert program.read_bytes() == (NET / "router.p4").read_bytes()


def test_no_output_of_compile_replaces_another(tmp_path: Path):
    both = ["--bfrt-json", str(tmp_path / "a"), "--dissector", f"{tmp_path}/./a"]
    code, _, err = weir_command("compile", str(NET / "router.p4"), *both)
    assert code == 1 and "--bfrt-json and --dissector both name" in err
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("command", [PING, IPERF])
def test_no_output_replaces_the_topology_or_the_program(tmp_path: Path, command: list[str]):
    read = [tmp_path / "topology.json", tmp_path / "router.p4"]
    for file in read:
        file.write_bytes((NET / file.name).read_bytes())
    replaced = [str(tmp_path / Path(word).name) if word.startswith(str(NET)) else word for word in command]
    for file in read:
        code, out, err = weir_command(*replaced, "--csv", str(file))
        assert (code, out) == (1, "") and f"--csv would overwrite {file}" in err
        assert file.read_bytes() == (NET / file.name).read_bytes()
