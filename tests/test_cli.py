"""The command as people call it: exit codes, what goes to standard output and what to standard error."""

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from weir.cli.prompt import ShellCompleter
from weir.cli.shell import Shell
from weir.network import Network

NET = Path(__file__).parent / "net"
WEIR = Path(sys.executable).with_name("weir")
RUN = ["run", str(NET / "topology.json"), "--p4", str(NET / "router.p4")]


def weir(*args: str | Path, stdin: str = "", cwd: Path | None = None) -> tuple[int, str, str]:
    """Calls the command: its exit code, standard output and standard error."""
    done = subprocess.run(
        [WEIR, *map(str, args)], input=stdin, capture_output=True, text=True, cwd=cwd, timeout=60, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def commands(*lines: str) -> list[str]:
    """As ``-c`` options after ``weir run``."""
    return [*RUN, *(word for line in lines for word in ("-c", line))]


def test_version():
    code, out, err = weir("--version")
    assert (code, err) == (0, "")
    assert re.fullmatch(r"weir \d+\.\d+\.\d+\n", out)


def test_python_m_weir():
    done = subprocess.run(
        [sys.executable, "-m", "weir", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("weir ")


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
        ["lab", "new"],
        ["ping"],
        ["iperf"],
    ],
)
def test_help_has_an_example(command: list[str]):
    code, out, _ = weir(*command, "--help")
    assert code == 0
    assert re.search(rf"Examples?:\n +weir {' '.join(command)}", out), out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["chek"], 'There is no command "chek". Did you mean "check"?'),
        (["check"], "Missing argument 'FILE.p4...'."),
        (["check", "--colour", "x.p4"], "No such option"),
        (["nosuch"], 'There is no command "nosuch". There are: check, explain, ir, '),
        (["lab", "lst"], 'There is no command "lst". Did you mean "list"?'),
        (["check", "-D", "9x", "x.p4"], 'Invalid value for -D: "9x" is not a name for a macro'),
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


@pytest.mark.parametrize("module", ["click", "weir.cli.app", "weir.errors", "weir.program", "weir._core"])
def test_an_interrupt_while_it_starts_is_code_130(module: str):
    command = [sys.executable, "-c", INTERRUPTED_IMPORT, module, NET / "router.p4"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "error: interrupted")


def test_check_is_silent_about_a_valid_program():
    assert weir("check", NET / "router.p4") == (0, "", "")


def test_check_shows_an_error_where_it_stands(tmp_path: Path):
    source = (NET / "router.p4").read_text()
    assert "hdr.ipv4.ttl - 1" in source
    wrong = tmp_path / "wrong.p4"
    wrong.write_text(source.replace("hdr.ipv4.ttl - 1", "hdr.ipv4.tll - 1"))
    line = wrong.read_text()[: wrong.read_text().index("tll")].count("\n") + 1
    code, out, err = weir("check", wrong)
    assert (code, out) == (1, "")
    assert f"{wrong}:{line}:" in err
    assert "hdr.ipv4.ttl = hdr.ipv4.tll - 1;" in err
    assert "^^^" in err
    assert "`ttl`" in err
    assert "\x1b" not in err


def test_ir_shows_what_a_program_becomes():
    code, out, err = weir("ir", NET / "router.p4")
    assert (code, err) == (0, "")
    assert out.startswith('file "')
    assert re.search(r"^package main: V1Switch @\d+:\d+ {$", out, re.MULTILINE)
    assert "\x1b" not in out


def test_ir_after_a_pass(tmp_path: Path):
    shown = {
        stage: weir("ir", NET / "router.p4", "--after", stage) for stage in ("lower", "bind")
    }
    assert all((code, err) == (0, "") for code, _, err in shown.values())
    variables = {
        stage: len(re.findall("^(?:var|header) ", out, re.MULTILINE)) for stage, (_, out, _) in shown.items()
    }
    assert variables["lower"] > variables["bind"]
    assert weir("ir", NET / "router.p4") == shown["bind"], "what runs is shown"
    code, out, _ = weir("ir", "--passes")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["pass", *shown]


def test_ir_of_what_it_cannot_show(tmp_path: Path):
    assert weir("ir", NET / "router.p4", "--after", "bin") == (
        1,
        "",
        'error: there is no pass "bin"; did you mean "bind"?\n',
    )
    assert weir("ir") == (1, "", "error: name the program: weir ir FILE.p4\n")
    own = tmp_path / "own.p4"
    own.write_text(
        "control C(inout bit<8> x);\npackage Own(C c);\ncontrol A(inout bit<8> x) { apply { x = 1; } }\nOwn(A()) main;\n"
    )
    code, out, err = weir("ir", own, "--after", "lower")
    assert (code, err) == (0, "")
    assert "A.x = 8w1;" in out
    code, out, err = weir("ir", own)
    assert (code, out) == (1, "")
    assert "Own" in err
    assert "V1Switch" in err
    assert "`--after lower` shows what the compiler makes of it" in err
    library = tmp_path / "library.p4"
    library.write_text("const bit<8> X = 1;\nerror { Mine }\n")
    assert weir("ir", library, "--after", "lower") == (0, "errors { Mine }\n\n", "")
    library.write_text("const bit<8> X = 1\n")
    assert weir("ir", library)[0] == 1


def test_colours_change_nothing_but_colours():
    import click

    from weir.cli.ir import highlight

    plain = weir("ir", NET / "router.p4")[1]
    assert highlight(plain) != plain
    assert click.unstyle(highlight(plain)) == plain


def test_check_finds_includes(tmp_path: Path):
    headers = tmp_path / "headers"
    headers.mkdir()
    (headers / "eth.p4").write_text("header eth_t { bit<48> a; }\n")
    (tmp_path / "near.p4").write_text("const bit<8> NEAR = 1;\n")
    main = tmp_path / "main.p4"
    main.write_text('#include <core.p4>\n#include "near.p4"\n#include "eth.p4"\nstruct s { eth_t e; }\n')
    assert weir("check", main, "-I", headers) == (0, "", "")
    code, _, err = weir("check", main)
    assert code == 1
    assert f"{main}:3:" in err
    assert "eth.p4" in err


def test_a_users_folder_comes_before_ours(tmp_path: Path):
    (tmp_path / "core.p4").write_text("#error this is mine\n")
    main = tmp_path / "main.p4"
    main.write_text("#include <core.p4>\n")
    code, _, err = weir("check", main, "-I", tmp_path)
    assert code == 1
    assert "this is mine" in err


def test_check_defines(tmp_path: Path):
    main = tmp_path / "main.p4"
    main.write_text("#ifdef WRONG\n#error wrong\n#endif\nconst bit<8> X = WIDTH;\n")
    assert weir("check", main, "-D", "WIDTH=8") == (0, "", "")
    assert weir("check", main, "-D", "WIDTH=8", "-D", "WRONG")[0] == 1


def test_unreadable_sources(tmp_path: Path):
    binary = tmp_path / "binary.p4"
    binary.write_bytes(b"\xff\xfe")
    (tmp_path / "router.p4").touch()
    for name, message in [
        ("missing.p4", "no such file"),
        ("routr.p4", f'no such file; did you mean "{tmp_path / "router.p4"}"?'),
        ("", "is a directory, expected a file"),
        ("binary.p4", "is not UTF-8 text (byte 0)"),
    ]:
        path = tmp_path / name
        assert weir("check", path) == (1, "", f"error: {path}: {message}\n")


def test_a_file_without_end():
    if not Path("/dev/zero").exists():
        pytest.skip("this system has no /dev/zero")
    assert weir("check", "/dev/zero") == (1, "", "error: /dev/zero: is larger than 16 MiB\n")


def test_an_include_that_is_a_folder(tmp_path: Path):
    (tmp_path / "x.p4").mkdir()
    main = tmp_path / "main.p4"
    main.write_text('#include "x.p4"\n')
    code, _, err = weir("check", main)
    assert code == 1
    assert f"{main}:1:" in err
    assert "is a directory" in err


def test_run_pings():
    code, out, err = weir(*commands("h1 ping -c 2 -s 1200 -i 0.1 h2"))
    assert (code, err) == (0, "")
    # 1242 bytes each way: two links of 1 ms and 2 ms, one of them at 10 Mbit/s, and a pass of 1 us.
    assert out == (
        "PING h2 (10.0.2.2) 1200(1228) bytes of data.\n"
        "1208 bytes from h2 (10.0.2.2): icmp_seq=1 ttl=63 time=7.9892 ms\n"
        "1208 bytes from h2 (10.0.2.2): icmp_seq=2 ttl=63 time=7.9892 ms\n"
        "\n"
        "--- h2 ping statistics ---\n"
        "2 packets transmitted, 2 received, 0% packet loss, time 100ms\n"
        "rtt min/avg/max/mdev = 7.9892/7.9892/7.9892/0.000 ms\n"
    )


def test_run_shows_the_network():
    code, out, err = weir(*commands("nodes", "links", "tables s1", "tables s1 ipv4_lpm", "pingall"))
    assert (code, err) == (0, "")
    assert out == (
        "node  kind    address      MAC\n"
        "h1    host    10.0.1.1/24  08:00:00:00:01:11\n"
        "h2    host    10.0.2.2/24  08:00:00:00:02:22\n"
        "s1    switch\n"
        "end  end    rate       delay  loss\n"
        "h1   s1-p1  unlimited  1ms    0%\n"
        "h2   s1-p2  10Mbit     2ms    0%\n"
        "table               keys                                                                         entries  size  default\n"
        "MyIngress.ipv4_lpm  hdr.ipv4.dstAddr: lpm                                                        2        4     MyIngress.drop\n"
        "MyIngress.acl       hdr.ipv4.srcAddr: ternary, hdr.ipv4.ttl: range, hdr.ipv4.protocol: optional  0              NoAction\n"
        "MyIngress.ports     standard_metadata.ingress_port: exact                                        0              NoAction\n"
        "MyIngress.ipv4_lpm\n"
        "  hdr.ipv4.dstAddr=10.0.1.1/32 -> MyIngress.ipv4_forward(dstAddr=08:00:00:00:01:11, port=1)\n"
        "  hdr.ipv4.dstAddr=10.0.2.0/24 -> MyIngress.ipv4_forward(dstAddr=08:00:00:00:02:22, port=2)\n"
        "  (default) -> MyIngress.drop()\n"
        "h1 -> h2\n"
        "h2 -> h1\n"
        "0% dropped (2/2 received)\n"
    )


def test_tools_and_links_at_the_prompt():
    lines = [
        "link h1 s1 down",
        "pingall",
        "link s1 h1 up",
        "h1 tc qdisc add dev eth0 root netem delay 20ms",
        "h1 ping -c 1 h2",
    ]
    lines += ["h1 ip route del default", "h1 ping -c 1 -W 1 h2"]
    code, out, err = weir(*commands(*lines))
    assert (code, err) == (1, "")
    assert "100% dropped (0/2 received)" in out
    assert "time=2" in out
    assert "100% packet loss" in out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("h1 ping h9", 'there is no host "h9"; did you mean "h1"?'),
        ("h9 ping h1", 'there is no host "h9"; did you mean "h1"?'),
        ("h1 png h2", 'h1 has no command "png" (it has: ping, iperf, arp, ifconfig, ip, route, sysctl, tc); did you mean "ping"?'),
        ("h1", 'h1 alone is not a command; did you mean "h1 ping h2"?'),
        ("h1 tc qdisc add dev eth0 root fk", "host command `tc qdisc add dev eth0 root fk`: queueing discipline `fk` is not supported (supported: pfifo, bfifo, tbf, htb, fq, codel, fq_codel, red, netem); did you mean `fq`?"),
        ("s1 tc qdisc add dev s1-p9 root fq", "`s1` has no interface `s1-p9` with a link; it has s1-p1, s1-p2"),
        ("h1 ip link set eth0 mtu 9", '"9" in the host command "ip link set eth0 mtu 9" is not an MTU: expected 68 to 65535 bytes'),
        ("link h1 s1", "expected two nodes and up or down, such as link h1 s1 down"),
        ("link h1 h2 down", "no link joins h1 and h2 (h1 has h1 <-> s1-p1)"),
        ("ping h2", 'there is no command "ping" (help lists them); did you mean "HOST ping h2"?'),
        ("pingal", 'there is no command "pingal" (help lists them); did you mean "pingall"?'),
        ("xyzzy", 'there is no command "xyzzy" (help lists them)'),
        ("h1 ping", "ping: expected one target, found 0 (HOST ping [-c COUNT] [-s BYTES] [-i SECONDS] [-W SECONDS] [-f] TARGET)"),
        ("h1 ping -c x h2", 'ping: -c takes a whole number, found "x"'),
        ("h1 ping -c 0 h2", "count: 0 is out of range: expected 1 or more"),
        ("h1 ping -i x h2", "cannot read ping -i 'x': expected a number and a unit, such as \"1s\""),
        ("h1 ping -z h2", "ping: option -z not recognized (HOST ping [-c COUNT] [-s BYTES] [-i SECONDS] [-W SECONDS] [-f] TARGET)"),
        ("h1 ping -s 70000 h2", "ping: 70000 bytes of payload; expected at most 65507"),
        ("h1 iperf", "iperf: expected one target, found 0 (HOST iperf [-u] [-b RATE] [-t SECONDS] [-n BYTES] [-P FLOWS] [-R] [-i SECONDS] [-l BYTES] [-M BYTES] [-w BYTES] [-C NAME] [-p PORT] [--server HOST] TARGET)"),
        ("h1 iperf -z h2", "iperf: no such option '-z' (HOST iperf [-u] [-b RATE] [-t SECONDS] [-n BYTES] [-P FLOWS] [-R] [-i SECONDS] [-l BYTES] [-M BYTES] [-w BYTES] [-C NAME] [-p PORT] [--server HOST] TARGET)"),
        ("h1 iperf -n x h2", 'iperf: -n takes a number such as 10 or 2.5M, found "x"'),
        ("h1 iperf -P 0 h2", "iperf: -P: 0 is out of range: expected 1 or more"),
        ("h1 iperf -l 100 h2", "iperf: -l does not apply to TCP: give -u for a flow of datagrams"),
        ("h1 iperf -u -M 100 h2", "iperf: -M does not apply to UDP"),
        ("h1 iperf -t 1 -n 1M h2", "iperf: -t and -n are given: expected one of them"),
        ("h1 iperf -b 0 h2", "iperf: -b '0bit' lets nothing through: a rate must be above zero (None means unlimited)"),
        ("h1 iperf 10.0.2.9", "no host has the address 10.0.2.9: name the one that receives with --server HOST"),
        ("h1 iperf -C vegas h2", 'there is no congestion control "vegas" (there are: reno, cubic, bbr)'),
        ("h1 iperf -t x h2", "cannot read iperf -t 'x': expected a number and a unit, such as \"1s\""),
        ("h1 ping 10.0.9", '"10.0.9" is not an IPv4 address (expected 4 octets)'),
        ("tables", "tables: expected a switch and optionally a table (tables SWITCH [TABLE])"),
        ("tables s9", 'there is no switch "s9"; did you mean "s1"?'),
        ("tables s1 ipv4_lmp", 'the program router.p4 has no table "ipv4_lmp"; did you mean "MyIngress.ipv4_lpm"?'),
        ("nodes x", 'nodes takes no arguments, found "x"'),
        ("help pong", 'there is no command "pong"; did you mean "ping"?'),
        ('h1 "x', "cannot read the command: no closing quotation"),
    ],
)  # fmt: skip
def test_a_wrong_command_is_one_line_and_code_1(line: str, message: str):
    code, out, err = weir(*commands(line))
    assert (code, out, err) == (1, "", f"error: {message}\n")


def test_run_sends_flows():
    code, out, err = weir(*commands("h1 iperf -t 2 h2", "h1 iperf -u -b 1M -n 14700 -R -i 0 h2"))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "h1 -> h2"
    assert re.fullmatch(r"\[  1\] 1\.00-2\.00 sec +1\.19 MB +9\.5\d Mbit/s  0     [\d.]+ kB", lines[3])
    assert lines[-4] == "h2 -> h1"
    # Ten datagrams of 1470 bytes: the last leaves after nine times 11.76 ms and takes 3 ms and a bit.
    assert re.fullmatch(r"\[  1\] 0\.00-0\.11 sec +14\.70 kB +1\.0\d Mbit/s  0/10  0\.000 ms", lines[-1])
    assert weir(*commands("h1 iperf -c h2 -n 1k"))[0] == 0, "-c as the client's own program has it"


def test_iperf_measures_a_flow_over_a_topology(tmp_path: Path):
    net = [str(NET / "topology.json"), "h1", "h2", "--p4", str(NET / "router.p4")]
    code, out, err = weir(
        "iperf", *net, "-t", "2", "--plot", str(tmp_path / "a.png"), "--csv", str(tmp_path / "a.csv")
    )
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "h1 -> h2" and len(out.splitlines()) == 7
    assert (tmp_path / "a.png").stat().st_size > 5000
    assert (tmp_path / "a.csv").read_text().startswith("stream,start_s,end_s,bytes,retransmits")
    code, out, err = weir("iperf", *net, "-u", "-b", "2M", "-n", "1M", "-P", "2", "-R", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert (told["source"], told["target"], told["bytes"]) == ("h2", "h1", 2 * 681 * 1470)
    assert [stream["port"] for stream in told["streams"]] == [5201, 5201]
    assert sum(interval["received"] for interval in told["intervals"]) == 2 * 681
    again = weir(
        "iperf", *net, "-u", "-b", "2M", "-n", "1M", "-P", "2", "-R", "--json", "--executor", "interp"
    )
    assert again == (0, out, "")
    assert weir("iperf", *net, "-b", "x")[::2] == (
        1,
        'error: iperf: -b takes a number such as 10 or 2.5M, found "x"\n',
    )
    assert 'error: there is no host "h9"; did you mean "h1"?' in weir("iperf", net[0], "h9", *net[2:])[2]


def test_iperf_tells_who_served_each_flow():
    net = [str(NET / "balancer.json"), "h1", "10.0.9.9", "--p4", str(NET / "balancer.p4")]
    code, out, err = weir("iperf", *net, "-n", "100k", "-P", "12", "--server", "h2,h3,h4")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "h1 -> h2, h3, h4"
    assert {line.split()[-1] for line in out.splitlines()[-13:-1]} == {"h2", "h3", "h4"}
    told = weir("iperf", *net, "--server", "h2,h2")[2]
    assert told == "error: iperf: --server: h2 is given twice: expected each host once\n"


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["-t", "-1"], 1, "error: iperf -t '-1s' is negative"),
        (["-t", "-n"], 1, "error: cannot read iperf -t '-n'"),
        (["-i", "-0.5"], 1, "error: iperf -i '-0.5s' is negative"),
        (["-n", "-5"], 1, 'error: iperf: -n takes a number such as 10 or 2.5M, found "-5"'),
        (["-P", "-1"], 1, 'error: iperf: -P takes a number such as 10 or 2.5M, found "-1"'),
        (["-t"], 2, "Error: Option '-t' requires an argument."),
    ],
)
def test_what_follows_an_option_of_iperf_is_its_value(options: list[str], code: int, message: str):
    net = [str(NET / "topology.json"), "h1", "h2", "--p4", str(NET / "router.p4")]
    got, out, err = weir("iperf", *net, *options)
    assert (got, out) == (code, "")
    assert message in err
    got, out, err = weir(*commands(f"h1 iperf h2 {' '.join(options)}"))
    assert (got, out) == (1, "")
    assert err.startswith("error: iperf: option '-t' requires" if code == 2 else message)


def test_ping_measures_round_trips_over_a_topology(tmp_path: Path):
    net = [str(NET / "topology.json"), "h1", "h2", "--p4", str(NET / "router.p4")]
    assert weir("ping", *net, "-c", "2") == weir(*commands("h1 ping -c 2 h2"))
    files = "--plot", str(tmp_path / "a.png"), "--csv", str(tmp_path / "a.csv")
    code, out, err = weir("ping", *net, "-c", "5", "-s", "1000", "-i", "0.01", "--json", *files)
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert (told["source"], told["target"], told["sent"], told["received"]) == ("h1", "h2", 5, 5)
    assert [reply["time_ns"] for reply in told["replies"]] == [10_000_000 * n for n in range(5)]
    assert told["rtt_min_ms"] <= told["rtt_avg_ms"] <= told["rtt_max_ms"]
    assert all(reply["bytes"] == 1008 and reply["rtt_ns"] > 6_000_000 for reply in told["replies"])
    assert (tmp_path / "a.png").stat().st_size > 5000
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 6
    flood = json.loads(weir("ping", *net, "-c", "5", "-f", "--json", "--executor", "interp")[1])
    assert flood["duration_ns"] == 4 * flood["replies"][0]["rtt_ns"]
    code, out, err = weir("ping", net[0], "h1", "10.0.9.9", *net[3:], "--json")
    assert (code, err, json.loads(out)["rtt_avg_ms"]) == (1, "", None)
    for options, message in (
        (["-c", "-1"], 'error: ping: -c takes a whole number, found "-1"\n'),
        (["-i", "-1"], "error: ping -i '-1s' is negative\n"),
        (["-s", "70000"], "error: ping: 70000 bytes of payload; expected at most 65507\n"),
    ):
        assert weir("ping", *net, *options) == (1, "", message)
    assert 'error: there is no host "h9"; did you mean "h1"?' in weir("ping", net[0], "h9", *net[2:])[2]


def test_a_ping_without_reply_is_code_1():
    code, out, err = weir(*commands("h1 ping -c 2 10.0.9.9"))
    assert (code, err) == (1, "")
    assert "2 packets transmitted, 0 received, 100% packet loss" in out


def test_after_a_failure_the_next_command_runs():
    code, out, err = weir(*commands("bad", "nodes"))
    assert code == 1
    assert out.startswith("node  kind")
    assert err.startswith("error: there is no command")


def test_help_inside():
    code, out, _ = weir(*commands("help", "help ping"))
    assert code == 0
    for name in ["ping", "pingall", "nodes", "links", "tables", "help", "exit"]:
        assert name in out
    assert "Example: h1 ping -c 5 -s 1200 -i 0.1 h2" in out


def test_commands_from_a_pipe():
    code, out, err = weir(*RUN, stdin="# a comment\n\nh1 ping -c 1 h2\nexit\nnodes\n")
    assert (code, err) == (0, "")
    assert out.startswith("PING h2")
    assert "node" not in out
    code, out, err = weir(*RUN, stdin="bad\n")
    assert (code, out) == (1, "")


def test_captures_are_whole_and_the_same_each_time(tmp_path: Path):
    files = []
    for name in ["a", "b"]:
        assert weir(*commands("h1 ping -c 2 h2"), "--pcap", tmp_path / name)[0] == 0
        files.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert sorted(files[0]) == ["h1_s1-p1.pcapng", "h2_s1-p2.pcapng"]
    assert files[0] == files[1]


def test_a_capture_folder_that_cannot_be(tmp_path: Path):
    taken = tmp_path / "taken"
    taken.touch()
    expected = f"error: {taken}: is a file, expected a folder for captures\n"
    assert weir(*commands("pingall"), "--pcap", taken) == (1, "", expected)
    code, out, err = weir(*commands("pingall"), "--pcap", taken / "below")
    assert (code, out) == (1, "")
    assert err == f"error: {taken / 'below'}: cannot be created: Not a directory\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_capture_folder_that_may_not_be_written(tmp_path: Path):
    tmp_path.chmod(0o500)
    code, out, err = weir(*commands("pingall"), "--pcap", tmp_path)
    tmp_path.chmod(0o700)
    assert (code, out) == (1, "")
    assert "Permission denied" in err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["run", "missing.json"], "missing.json: no such file"),
        (["run", str(NET / "topology.json")], "switch s1 has no P4 program: give one for all switches (p4=…, or --p4), or for this one"),
        ([*RUN, "--profile", "bmv2-wm", "-c", "nodes"], 'there is no timing profile "bmv2-wm"; did you mean "bmv2-vm"?'),
        ([*RUN, "--seed", "-1", "-c", "nodes"], "the seed -1 is out of range: expected 0 to 2**63 - 1"),
        (["lab", "run", "dely"], 'there is no lab "dely"; did you mean "delay"?'),
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


def test_a_full_disk_is_one_line():
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [WEIR, *commands("nodes")], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (1, "error: No space left on device\n")


def test_a_reader_that_leaves_early_is_no_error():
    done = subprocess.run(
        f"'{WEIR}' run '{RUN[1]}' --p4 '{RUN[3]}' -c 'h1 ping -c 20000 -i 0.001 h2' | head -1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("PING h2")
    assert done.stderr == ""


class Terminal:
    """The command on a terminal of its own."""

    def __init__(self, state: Path) -> None:
        environment = {
            **os.environ,
            "XDG_STATE_HOME": str(state),
            "TERM": "xterm",
            "PROMPT_TOOLKIT_NO_CPR": "1",
        }
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(WEIR, [str(WEIR), *RUN], environment)
        self.seen = ""

    def expect(self, text: str) -> None:
        """Waits until the text was written, and forgets what came up to there."""
        deadline = time.monotonic() + 120
        while text not in self.seen:
            ready, _, _ = select.select([self.fd], [], [], deadline - time.monotonic())
            assert ready, f"waited in vain for {text!r} in {self.seen!r}"
            # Pings come by the thousand: only the end is looked at.
            self.seen = self.seen[-1000:] + os.read(self.fd, 65536).decode(errors="replace")
        self.seen = self.seen.partition(text)[2]

    def type(self, text: str) -> None:
        """Types."""
        os.write(self.fd, text.encode())

    def end(self) -> int:
        """Waits for the end: the exit code."""
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def test_the_prompt(tmp_path: Path):
    terminal = Terminal(tmp_path)
    terminal.expect("weir>")
    terminal.type("h1 pi\t")
    # Only what is new may be written.
    terminal.expect("ng")
    terminal.type(" -c 1 h2\r")
    terminal.expect("1 packets transmitted, 1 received")
    terminal.expect("weir>")
    terminal.type("tables s1 acl\t")
    terminal.expect("MyIngress.acl")
    terminal.type("\r")
    terminal.expect("(default) -> NoAction()")
    terminal.type("h1 ping -c 100000000 -i 0.01 h2\r")
    terminal.expect("icmp_seq=3")
    terminal.type("\x03")
    terminal.expect("--- h2 ping statistics ---")
    terminal.expect("weir>")
    terminal.type("h1 ping -c 1 h2\r")
    terminal.expect("1 packets transmitted, 1 received")
    terminal.type("nonsense\r")
    terminal.expect("there is no command")
    terminal.type("exit\r")
    assert terminal.end() == 0
    assert "h1 ping -c 1 h2" in (tmp_path / "weir" / "history").read_text()


@pytest.mark.parametrize(
    ("typed", "choices"),
    [
        (
            "",
            [
                "h1",
                "h2",
                "s1",
                "pingall",
                "link",
                "nodes",
                "links",
                "tables",
                "trace",
                "messages",
                "help",
                "exit",
            ],
        ),
        ("h", ["h1", "h2", "help"]),
        ("h1 ", ["ping", "iperf", "arp", "ifconfig", "ip", "route", "sysctl", "tc"]),
        ("link h1 s", ["s1"]),
        ("link h1 s1 ", ["up", "down"]),
        (
            "h1 iperf -u ",
            ["h2", "-b", "-t", "-n", "-P", "-R", "-i", "-l", "-M", "-w", "-C", "-p", "--server"],
        ),
        ("h1 iperf -t ", []),
        ("h1 ping ", ["h2", "-c", "-s", "-i", "-W", "-f"]),
        ("h1 ping -c ", []),
        ("h1 ping -c 3 h", ["h2"]),
        ("tables ", ["s1"]),
        ("messages ", ["s1"]),
        ("trace ", ["on", "off", "s1"]),
        ("trace on ", ["s1"]),
        ("trace s1 ", []),
        ("tables s1 ", ["MyIngress.ipv4_lpm", "MyIngress.acl", "MyIngress.ports"]),
        ("tables s1 ACL", ["MyIngress.acl"]),
        ("help pi", ["ping", "pingall"]),
        ("nonsense ", []),
    ],
)
def test_completion(network: Network, typed: str, choices: list[str]):
    completer = ShellCompleter(Shell(network))
    found = completer.get_completions(Document(typed), CompleteEvent())
    assert [completion.text for completion in found] == choices


def test_check_starts_fast():
    """A budget with room to spare; the benchmark's figure is a third of it."""
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
