"""The command lines of the stand-ins for BMv2's switches."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from weir.dropin.options import read
from weir.dropin.simple_switch import simple_switch, simple_switch_grpc
from weir.dropin.simple_switch.command import command_line
from weir.dropin.simple_switch.flags import GRPC, SIMPLE_SWITCH


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("simple_switch -i 1@a -i 2@b x.json", "x.json --end-at-hangup -q -i 1@a -i 2@b"),
        ("simple_switch x.json --device-id 3", "x.json --end-at-hangup -q"),
        ("simple_switch x.json --log-console -L info -i1@a", "x.json --end-at-hangup -i 1@a"),
        (
            "simple_switch --log-file f --priority-queues 8 x.json",
            "x.json --end-at-hangup -v --priority-queues 8",
        ),
        (
            "simple_switch_grpc --pcap --device-id 3 x.json -- --grpc-server-addr 0.0.0.0:50051 --cpu-port 255",
            "x.json --end-at-hangup -q --pcap . --pcap-format pcap --cpu-port 255 --device-id 3 "
            "--p4runtime 0.0.0.0:50051 --plaintext",
        ),
        (
            "simple_switch_grpc --no-p4 -i 0@a --drop-port=510",
            "--end-at-hangup -q -i 0@a --drop-port 510 --p4runtime 127.0.0.1:9559 --plaintext",
        ),
        (
            "simple_switch_grpc --no-p4 -- --grpc-server-ssl --grpc-server-cert c --grpc-server-key k "
            "--grpc-server-cacert a --grpc-server-with-client-auth --grpc-server-addr localhost:1",
            "--end-at-hangup -q --p4runtime 127.0.0.1:1 --tls-certificate c --tls-key k --tls-clients a",
        ),
    ],
)
def test_a_command_line_becomes_that_of_weir_switch(line: str, expected: str):
    name, *words = line.split()
    options = GRPC if name == "simple_switch_grpc" else SIMPLE_SWITCH
    given = read([word for word in words if word != "--"], options)
    assert command_line(name, given) == [name, *expected.split()]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "no program is given: expected JSON from p4c, or --no-p4"),
        ("a.json b.json", "expected one program, found a.json, b.json"),
        ("--no-p4 a.json", "--no-p4 starts without a program, but a.json is given"),
        ("--thrift-prot 1 a.json", 'there is no option "--thrift-prot"; did you mean "--thrift-port"?'),
        ("--use-files 1 a.json", "--use-files is not supported: packets come only from interfaces"),
        ("-L loud a.json", 'there is no log level "loud" (trace, debug, info, warn, error, off)'),
        ("--pcap no-such-folder a.json", "--pcap: there is no folder no-such-folder"),
        (
            "--device-id one a.json",
            '--device-id: expected a whole number from 0 to 9223372036854775807, found "one"',
        ),
        ("--log-console --log-file x a.json", "--log-console and --log-file exclude each other"),
        ("a.json -- --grpc-server-ssl", "--grpc-server-ssl needs --grpc-server-cert FILE"),
    ],
)
def test_mistakes_have_a_diagnosis(line: str, expected: str, capsys: pytest.CaptureFixture[str]):
    assert simple_switch_grpc(line.split()) == 1
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "--interface <PORT@INTERFACE>"),
        ("-i veth0", "expected PORT@INTERFACE, such as 1@veth1"),
        ("-i 512@veth0", "there is no port 512"),
        ("-i 1@veth0 -i 1@veth1", "port 1 has two interfaces: veth0 and veth1"),
    ],
)
def test_the_switch_itself_checks_interfaces(line: str, expected: str, capfd: pytest.CaptureFixture[str]):
    router = Path(__file__).parents[1] / "net" / "router.p4"
    assert simple_switch([*line.split(), str(router)]) == 1
    assert expected in capfd.readouterr().err


def test_an_error_that_is_in_the_log_file_is_announced(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    router = Path(__file__).parents[1] / "net" / "router.p4"
    assert simple_switch([str(router), "--log-file", "log", "-i", "1@nosuch"]) == 1
    assert capfd.readouterr().err == "simple_switch: error: log.txt gives the reason why the switch stopped\n"
    assert 'ERROR there is no interface "nosuch"' in Path("log.txt").read_text()


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: path.symlink_to("precious"), "it is a symbolic link, expected a file"),
        (os.mkfifo, "it is a named pipe, expected a file"),
    ],
)
def test_a_log_file_is_no_link_and_no_pipe(
    make: Callable[[Path], object],
    why: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("precious").write_text("precious")
    make(Path("log.txt"))
    router = Path(__file__).parents[1] / "net" / "router.p4"
    assert simple_switch([str(router), "--log-file", "log", "-i", "1@nosuch"]) == 1
    assert capfd.readouterr().err == f"simple_switch: error: log.txt: cannot be written: {why}\n"
    assert Path("precious").read_text() == "precious"


def test_help_and_versions(capsys: pytest.CaptureFixture[str]):
    assert simple_switch(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(option.names[0] in text for option in SIMPLE_SWITCH)
    assert simple_switch(["-v"]) == 0 and simple_switch_grpc(["--json-version"]) == 0
    assert capsys.readouterr().out.startswith("simple_switch stand-in of Weir")
