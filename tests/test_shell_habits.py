"""Commands of Mininet, p4-utils and BMv2 at the prompt of ``weir run``."""

import pytest

import weir
from command import NET
from weir.cli.shell.shell import Shell


@pytest.mark.parametrize(
    ("typed", "same"),
    [
        ("pingAll", "pingall"),
        ("pingallfull", "pingall"),
        ("ping h1 h2", "h1 ping h2"),
        ("ping h1 -c 1 h2", "h1 ping -c 1 h2"),
        ("pingpair", "h1 ping -c 1 h2"),
        ("iperf h1 h2", "h1 iperf h2"),
        ("iperf h2 h1", "h2 iperf h1"),
        ("iperf", "h1 iperf h2"),
        ("iperf3 h1 -t 1 h2", "h1 iperf -t 1 h2"),
        ("h1 iperf3 -t 1 h2", "h1 iperf -t 1 h2"),
        ("iperfudp 1M h1 h2", "h1 iperf -u -b 1M h2"),
        ("iperfudp 1M", "h1 iperf -u -b 1M h2"),
        ("traceroute h1 h2", "h1 traceroute h2"),
        ("h1 ifconfig", "h1 ip addr"),
        ("h1 ifconfig eth0", "h1 ip addr"),
        ("h1 route -n", "h1 ip route"),
        ("h1 arp -n", "h1 ip neigh"),
        ("dump", "nodes"),
        ("net", "links"),
        ("intfs", "links"),
        ("ports", "links"),
        ("?", "help"),
    ],
)
def test_commands_of_mininet_are_understood(router: weir.Program, capsys, typed: str, same: str):
    calls = []
    for line in (typed, same):
        with weir.Network(NET / "topology.json", router) as net:
            assert Shell(net).run(line)
        calls.append(capsys.readouterr())
    assert calls[0] == calls[1] and calls[0].out and not calls[0].err


@pytest.mark.parametrize("typed", ["quit", "EOF", "exit"])
def test_words_that_end_the_session(network: weir.Network, typed: str):
    shell = Shell(network)
    assert shell.run_all([typed, "nonsense"]) and shell.done


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("sh ls", "sh: the prompt does not run commands of this computer: use another terminal"),
        ("!ls", "the prompt does not run commands of this computer: use another terminal"),
        ("py h1.IP()", "py: the prompt does not run Python: use a script with weir.Network"),
        ("dpctl dump-flows", "dpctl: switches run P4 programs, not OpenFlow: to show entries, type tables SWITCH"),
        ("xterm h1", 'xterm: virtual hosts have no terminal: type their commands here, after the name (with --world linux, hosts can run any program); did you mean "h1 ping h2"?'),
        ("tcpdump -i s1-eth1", "tcpdump: to write packets to a file for Wireshark and tcpdump, type capture FILE END..."),
        ("sudo h1 ping h2", "sudo: nothing here needs root: leave out sudo"),
        ("weir ping h1 h2", "weir: this is the prompt of weir run: leave out weir, as in h1 ping h2"),
        ("p4switches_reboot", "type exit and start weir run again, which compiles the program"),
        ("table_dump ipv4_lpm", 'type the commands of simple_switch_CLI after the name of a switch; did you mean "s1 table_dump ipv4_lpm"?'),
        ("simple_switch_CLI --thrift-port 9090", 'after the name of a switch; did you mean "s1 help"?'),
        ("h1 traceroute h2 &", "h1 traceroute: only ping and iperf run in the background with &"),
        ("h2 iperf -s", 'h2 iperf -s: every host already serves; did you mean "h1 iperf h2"?'),
        ("h2 iperf -s &", 'h2 iperf -s: every host already serves; did you mean "h1 iperf h2"?'),
        ("h1 tcpdump -i eth0", "h1 tcpdump: to write packets to a file for Wireshark and tcpdump, type capture FILE END..."),
        ("h1 python3 send.py", "h1 python3: a host runs programs of the class weir.HostProgram, from a script"),
        ("h1 curl 10.0.2.2", "h1 curl: in a script, host.request measures a request and its response over TCP"),
        ("ping h2", 'there is no command "ping" (help lists them); did you mean "h1 ping h2"?'),
        ("iperf h2", 'there is no command "iperf" (help lists them); did you mean "h1 iperf h2"?'),
        ("iperf -6 -S 8 h2 h1", 'there is no command "iperf" (help lists them); did you mean "h2 iperf -6 -S 8 h1"?'),
        ("ping -c 1 h1", 'there is no command "ping" (help lists them); did you mean "h2 ping -c 1 h1"?'),
        ("ping -c 1 10.0.2.2", 'there is no command "ping" (help lists them); did you mean "h1 ping -c 1 10.0.2.2"?'),
        ("h1 ls", "with --world linux, hosts can run any program"),
        ("h1 ./send.py 10.0.2.2", "with --world linux, hosts can run any program"),
    ],
)  # fmt: skip
def test_other_commands_are_refused_with_what_to_do(network: weir.Network, capsys, typed: str, message: str):
    assert not Shell(network).run(typed)
    out, err = capsys.readouterr()
    assert not out and message in err and err.count("\n") == 1
