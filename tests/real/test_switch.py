"""``weir switch`` between interfaces of the kernel, in network namespaces of their own."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import needed

HERE = Path(__file__).parent


def test_frames_cross_the_switch_and_a_controller_changes_it(play):
    assert play("forwarding.py") == "done s1-eth1@h1:\n"


def test_files_are_read_again(play):
    assert play("reload.py") == "done\n"


def test_roles_and_certificates_are_read_again(play):
    needed.need("openssl")
    assert play("roles.py") == "done\n"


def test_many_switches_share_a_process(play):
    assert play("many.py", "20") == "done\n"


def test_frames_go_on_after_failures(play):
    assert play("failures.py") == "done\n"


def test_queues_have_rates_and_disciplines(play):
    assert play("switch_queues.py") == "done\n"


def test_memory_stays_while_a_controller_changes_tables(play):
    """A short `make soak`: a leak of a kilobyte for each update would show.

    The allocator needs seconds to settle, and up to 15 MB meanwhile, so it cannot see less.
    The test `leaks` of weir-switchd counts every byte.
    """
    printed = play("soak.py", "4", "--updates", "8000", "--allow", "30000", "--any-rate")
    assert printed.endswith("passed\n"), printed


@pytest.mark.parametrize(
    "options", [[], ["--gso", "force"], ["--workers", "2"], ["--executor", "interp"], ["--poll"]]
)
def test_hosts_of_the_kernel_exchange_tcp(play, options: list[str]):
    assert play("tcp.py", *options).startswith("done")


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("kind", ["socket", "ring", "direct"])
def test_workers_get_the_frames_of_the_wire_as_they_came(play, kind: str, workers: int):
    assert play("workers.py", kind, str(workers)) == "done\n"


def test_switches_in_containers_share_a_network_namespace(play):
    assert play("workers.py") == "done\n"


def weir_switch(*arguments: str) -> tuple[int, str]:
    """The exit code of a command that fails, and what it prints."""
    command = [sys.executable, "-m", "weir", "switch", *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["ports.p4"], 2, "--interface <PORT@INTERFACE>"),
        (["ports.p4", "-i", "eth1"], 2, "expected PORT@INTERFACE, such as 1@veth1"),
        (["ports.p4", "-i", "x@eth1"], 2, '"x" is not a port number'),
        (["ports.p4", "-i", "1@a-name-that-is-too-long"], 2, "is not an interface name"),
        (["ports.p4", "-i", "1@a", "-i", "1@b"], 1, "port 1 has two interfaces: a and b"),
        (["ports.p4", "-i", "1@a", "-i", "2@a"], 1, "a is two ports: 1 and 2"),
        (["ports.p4", "-i", "511@a"], 1, "port 511 is the drop port"),
        (["nowhere.p4", "-i", "1@a"], 1, "nowhere.p4: no such file"),
        (["prts.p4", "-i", "1@a"], 1, "ports.p4"),
        (["ruter", "-i", "1@a"], 1, "ruter: no such file"),
        (["ports.p4", "-i", "1@a", "--entries", "test_switch.py"], 1, "test_switch.py:1:3"),
        (["ports.p4", "-i", "1@a", "--interfaces", "2@b"], 2, "--interface"),
        (["../net/topology.json", "-i", "1@a"], 1, "`weir run` takes topologies"),
        (["--config", "nowhere.json"], 1, "nowhere.json: no such file"),
        (["ports.p4", "--config", "nowhere.json"], 1, "leave others out"),
    ],
)
def test_mistakes_have_a_diagnosis(arguments: list[str], code: int, expected: str):
    files = [
        str(HERE / argument) if argument.endswith((".p4", ".py", "y.json")) else argument
        for argument in arguments
    ]
    ended, text = weir_switch(*files)
    assert expected in text
    assert ended == code
    assert "panicked" not in text


def test_failures_at_the_start_are_explained(play):
    wrong = 'there is no interface "{}"; {} `ip link` lists the interfaces'
    meant = wrong.format("vteh1", 'did you mean "veth1"?')
    expected = [
        'there is no interface "no-such"; there are lo, veth1, veth2 (`ip link`)',
        meant,
        meant,
        "metrics cannot be served at USED: another program listens there (`ss -lnp` shows which); "
        "choose another address with --metrics",
        "P4Runtime cannot be served at USED: another program listens there (`ss -lnp` shows which); "
        "choose another address with `--p4runtime`, or `--grpc-server-addr` of simple_switch_grpc",
        "metrics cannot be served at 192.0.2.1:9100: no interface has this IP address "
        "(`ip address` shows them); choose another address with --metrics",
    ]
    shared = (
        "{} is also a port of another Weir switch or link: both receive its frames, so whatever they forward "
        "goes out twice; stop one of them, or give it another interface"
    )
    lines = [line for line in expected for _ in range(2)]
    lines += [shared.format(interface) for interface in ("veth2", "veth1", "veth2")]
    assert play("missing.py").splitlines() == lines


def test_help_has_an_example_of_each_option():
    code, text = weir_switch("--help")
    assert code == 0
    for option in ("--interface", "--entries", "--p4runtime", "--pcap", "--metrics", "--workers"):
        assert option in text


@pytest.mark.parametrize(
    ("command", "ready"),
    [
        (["switch", "--p4runtime", "unix:p4.sock", "--log-format", "json"], "ready"),
        (["link", "--control"], '{"ready":0}'),
    ],
)
def test_ctrl_c_is_a_usual_end(tmp_path: Path, command: list[str], ready: str):
    process = subprocess.Popen(
        [sys.executable, "-m", "weir", *command],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines = []
    while not lines or ready not in lines[-1]:
        line = process.stdout.readline()
        assert line, lines
        lines.append(line)
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=60)[0]
    assert process.returncode == 0, rest
    assert "interrupted" not in rest
