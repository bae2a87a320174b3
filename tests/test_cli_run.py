"""``weir run``, ``weir ping`` and ``weir iperf`` in a process of their own."""

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from command import NET, RUN, commands, weir
from weir.cli.app import app
from weir.errors import CommandError
from weir.p4runtime import ServerOptions


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
    program = str(NET / "router.p4")
    code, out, err = weir(*commands("nodes", "links", "tables s1", "tables s1 ipv4_lpm", "pingall"))
    assert (code, err) == (0, "")
    assert out == (
        "host  address      MAC\n"
        "h1    10.0.1.1/24  08:00:00:00:01:11\n"
        "h2    10.0.2.2/24  08:00:00:00:02:22\n"
        f"switch  {'program'.ljust(len(program))}  profile                                ports\n"
        f"s1      {program}  default (1us, 1,000,000,000 passes/s)  1 2\n"
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
        ("h1 png h2", 'h1 has no command "png" (it has: ping, iperf, traceroute, arp, ifconfig, ip, route, sysctl, tc); did you mean "ping"?'),
        ("h1", 'h1 alone is not a command; did you mean "h1 ping h2"?'),
        ("h1 tc qdisc add dev eth0 root fk", "host command `tc qdisc add dev eth0 root fk`: queueing discipline `fk` is not supported (supported: pfifo, bfifo, tbf, htb, fq, codel, fq_codel, red, dualpi2, netem); did you mean `fq`?"),
        ("s1 tc qdisc add dev s1-p9 root fq", "`s1` has no interface `s1-p9` with a link; it has s1-p1, s1-p2"),
        ("h1 ip link set eth0 mtu 9", '"9" in the host command "ip link set eth0 mtu 9" is not an MTU: expected 68 to 65535 bytes'),
        ("link h1 s1", "link: expected two nodes and up, down, rate RATE, delay TIME or loss SHARE, such as link h1 s1 down"),
        ("link h1 h2 down", "no link joins h1 and h2 (h1 has h1 <-> s1-p1)"),
        ("ping h2", 'there is no command "ping" (help lists them); did you mean "h1 ping h2"?'),
        ("pingal", 'there is no command "pingal" (help lists them); did you mean "pingall"?'),
        ("xyzzy", 'there is no command "xyzzy" (help lists them)'),
        ("h1 ping", "ping: expected one target, found 0 (HOST ping [-c COUNT] [-s BYTES] [-i SECONDS] [-W SECONDS] [-t TTL] [-f] [-Q TOS] [-4] [-6] TARGET)"),
        ("h1 ping -c x h2", 'ping: -c takes a whole number, found "x"'),
        ("h1 ping -c 99999999999999999999 h2", 'ping: -c takes a whole number up to 999999999, found "99999999999999999999"'),
        ("h1 iperf -n 9999999999999999 h2", 'iperf: -n takes a number with at most 15 digits, found "9999999999999999"'),
        ("h1 ip route add default via 10.0.9.9", 'host command "ip route add default via 10.0.9.9": h1 cannot reach the gateway 10.0.9.9: expected an address in 10.0.1.0/24, the network of eth0'),
        ("h1 ping -c 0 h2", "count: 0 is out of range: expected 1 or more"),
        ("h1 ping -i x h2", "cannot read ping -i 'x': expected a number and a unit, such as \"1s\""),
        ("h1 ping -z h2", "ping: option -z not recognized (HOST ping [-c COUNT] [-s BYTES] [-i SECONDS] [-W SECONDS] [-t TTL] [-f] [-Q TOS] [-4] [-6] TARGET)"),
        ("h1 ping -s 70000 h2", "ping: 70000 bytes of payload; expected at most 65507"),
        ("h1 iperf", "iperf: expected one target, found 0 (HOST iperf [-u] [-b RATE] [-t SECONDS] [-n BYTES] [-P FLOWS] [-R] [-i SECONDS] [-l BYTES] [-M BYTES] [-w BYTES] [-C NAME] [-p PORT] [--server HOST] [-S TOS] [--tos TOS] [--dscp DSCP] [-4] [-6] TARGET)"),
        ("h1 iperf -z h2", "iperf: no such option '-z' (HOST iperf [-u] [-b RATE] [-t SECONDS] [-n BYTES] [-P FLOWS] [-R] [-i SECONDS] [-l BYTES] [-M BYTES] [-w BYTES] [-C NAME] [-p PORT] [--server HOST] [-S TOS] [--tos TOS] [--dscp DSCP] [-4] [-6] TARGET)"),
        ("h1 iperf -n x h2", 'iperf: -n takes a number such as 10 or 2.5M, found "x"'),
        ("h1 iperf -P 0 h2", "iperf: -P: 0 is out of range: expected 1 or more"),
        ("h1 iperf -l 100 h2", "iperf: -l does not apply to TCP: give -u for a flow of datagrams"),
        ("h1 iperf -u -M 100 h2", "iperf: -M does not apply to UDP"),
        ("h1 iperf -t 1 -n 1M h2", "iperf: -t and -n are given: expected one of them"),
        ("h1 iperf -b 0 h2", "iperf: -b '0bit' lets nothing through: a rate must be above zero (None means unlimited)"),
        ("h1 iperf 10.0.2.9", "no host has the address 10.0.2.9: name the one that receives with --server HOST"),
        ("h1 iperf -C vegas h2", 'there is no congestion control "vegas" (there are: reno, cubic, cubic-rfc, bbr, bbr-draft)'),
        ("h1 iperf -t x h2", "cannot read iperf -t 'x': expected a number and a unit, such as \"1s\""),
        ("h1 ping 10.0.9", '"10.0.9" is not an IPv4 address (expected 4 octets)'),
        ("tables", "tables: expected a switch and optionally a table (tables SWITCH [TABLE])"),
        ("tables s9", 'there is no switch "s9"; did you mean "s1"?'),
        ("tables s1 ipv4_lmp", 'there is no table "ipv4_lmp"; did you mean "MyIngress.ipv4_lpm"?'),
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
    # Ten datagrams of 1470 bytes: the last leaves after nine times 11.76 ms and takes 3 ms and a
    # bit.
    assert re.fullmatch(r"\[  1\] 0\.01-0\.13 sec +14\.70 kB +971\.\d+ kbit/s  0/10  0\.000 ms", lines[-1])
    assert weir(*commands("h1 iperf -c h2 -n 1k"))[0] == 0, "-c as in the client's own program"


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
    result = json.loads(out)
    assert (result["source"], result["target"], result["bytes"]) == ("h2", "h1", 2 * 681 * 1470)
    assert [stream["port"] for stream in result["streams"]] == [5201, 5201]
    assert sum(interval["received"] for interval in result["intervals"]) == 2 * 681
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
    result = weir("iperf", *net, "--server", "h2,h2")[2]
    assert result == "error: iperf: --server: h2 is listed twice: expected each host once\n"


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
def test_iperf_option_values(options: list[str], code: int, message: str):
    net = [str(NET / "topology.json"), "h1", "h2", "--p4", str(NET / "router.p4")]
    got, out, err = weir("iperf", *net, *options)
    assert (got, out) == (code, "")
    assert message in err
    got, out, err = weir(*commands(f"h1 iperf h2 {' '.join(options)}"))
    assert (got, out) == (1, "")
    assert err.startswith("error: iperf: option '-t' requires" if code == 2 else message)


def test_ping_over_a_topology(tmp_path: Path):
    net = [str(NET / "topology.json"), "h1", "h2", "--p4", str(NET / "router.p4")]
    assert weir("ping", *net, "-c", "2") == weir(*commands("h1 ping -c 2 h2"))
    files = "--plot", str(tmp_path / "a.png"), "--csv", str(tmp_path / "a.csv")
    code, out, err = weir("ping", *net, "-c", "5", "-s", "1000", "-i", "0.01", "--json", *files)
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert (result["source"], result["target"], result["sent"], result["received"]) == ("h1", "h2", 5, 5)
    assert [reply["time_ns"] for reply in result["replies"]] == [10_000_000 * n for n in range(5)]
    assert result["rtt_min_ms"] <= result["rtt_avg_ms"] <= result["rtt_max_ms"]
    assert all(reply["bytes"] == 1008 and reply["rtt_ns"] > 6_000_000 for reply in result["replies"])
    assert (tmp_path / "a.png").stat().st_size > 5000
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 6
    flood = json.loads(weir("ping", *net, "-c", "5", "-f", "--json", "--executor", "interp")[1])
    assert flood["duration_ns"] == 4 * flood["replies"][0]["rtt_ns"]
    code, out, err = weir("ping", net[0], "h1", "10.0.9.9", *net[3:], "--json")
    assert (code, err, json.loads(out)["rtt_avg_ms"]) == (1, "", None)
    for options, message in (
        (["-c", "-1"], 'error: ping: -c takes a whole number from 0 to 999999999, found "-1"\n'),
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
    assert out.startswith("host  address")
    assert err.startswith("error: there is no command")


def test_the_prompt_has_help():
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


def test_captures_repeat(tmp_path: Path):
    files = []
    for name in ["a", "b"]:
        assert weir(*commands("h1 ping -c 2 h2"), "--pcap", tmp_path / name)[0] == 0
        files.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert sorted(files[0]) == ["h1_s1-p1.pcapng", "h2_s1-p2.pcapng"]
    assert files[0] == files[1]


def test_invalid_capture_folder(tmp_path: Path):
    taken = tmp_path / "taken"
    taken.touch()
    expected = f"error: {taken}: is a file, expected a folder for captures\n"
    assert weir(*commands("pingall"), "--pcap", taken) == (1, "", expected)
    code, out, err = weir(*commands("pingall"), "--pcap", taken / "below")
    assert (code, out) == (1, "")
    assert err == f"error: {taken / 'below'}: cannot be created: Not a directory\n"


@pytest.mark.parametrize("plaintext", [False, True])
def test_plaintext_beyond_this_computer_must_be_asked_for(plaintext: bool, monkeypatch: pytest.MonkeyPatch):
    served = []

    def refuse(given: object, *, p4runtime: ServerOptions) -> None:
        served.append(p4runtime)
        raise CommandError("enough")

    monkeypatch.setattr("weir.cli.run.open_network", refuse)
    arguments = ["run", "--shape", "star:2", "--p4runtime", "0.0.0.0:9559"]
    CliRunner().invoke(app, [*arguments, *(["--plaintext"] if plaintext else [])])
    assert [options.plaintext for options in served] == [plaintext]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable_capture_folder(tmp_path: Path):
    tmp_path.chmod(0o500)
    code, out, err = weir(*commands("pingall"), "--pcap", tmp_path)
    tmp_path.chmod(0o700)
    assert (code, out) == (1, "")
    assert "Permission denied" in err
