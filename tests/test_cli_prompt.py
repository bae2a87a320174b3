"""The prompt of ``weir run`` on a terminal, and its completion."""

import json
import os
import pty
import select
import time
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from command import NET, RUN, WEIR
from weir.cli.prompt import ShellCompleter
from weir.cli.shell import Shell
from weir.control import PacketIn
from weir.network import Network
from weir.p4runtime import Client
from weir.topology import Topology


class Terminal:
    """The command on a terminal of its own."""

    def __init__(self, state: Path, *args: str) -> None:
        environment = {
            **os.environ,
            "XDG_STATE_HOME": str(state),
            "TERM": "xterm",
            "PROMPT_TOOLKIT_NO_CPR": "1",
        }
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(WEIR, [str(WEIR), *(args or RUN)], environment)
        self.seen = ""

    def expect(self, text: str) -> None:
        """Waits until the text was written, and discards the output up to it."""
        deadline = time.monotonic() + 120
        while text not in self.seen:
            ready, _, _ = select.select([self.fd], [], [], deadline - time.monotonic())
            assert ready, f"waited in vain for {text!r} in {self.seen!r}"
            # Pings come by the thousand: only the end is looked at.
            self.seen = self.seen[-1000:] + os.read(self.fd, 65536).decode(errors="replace")
        self.seen = self.seen.partition(text)[2]

    def type(self, text: str) -> None:
        """Types text."""
        os.write(self.fd, text.encode())

    def end(self) -> int:
        """Waits for the end; returns the exit code."""
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def test_nodes_do_not_hide_commands(capsys: pytest.CaptureFixture[str]):
    topo = Topology()
    topo.add_switch("nodes")
    for number, name in enumerate(("links", "pingall"), 1):
        topo.add_host(name, f"10.0.0.{number}/24")
        topo.add_link(name, f"nodes-p{number}")
    with Network(topo, "l2_switch") as net:
        shell = Shell(net)
        for line, expected in [
            ("links", "nodes-p2"),
            ("pingall", "0% dropped"),
            ("nodes", "10.0.0.2"),
            ("links ping -c 1 pingall", "1 received"),
            ("links ip route", "10.0.0.0/24"),
        ]:
            assert shell.run(line), line
            assert expected in capsys.readouterr().out, line


def test_the_prompt(tmp_path: Path):
    terminal = Terminal(tmp_path)
    terminal.expect("weir>")
    terminal.type("h1 pi\t")
    # Only new output may be written.
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


def test_after_ctrl_c_traces_still_appear(tmp_path: Path):
    terminal = Terminal(tmp_path)
    terminal.expect("weir>")
    terminal.type("trace on s1\r")
    terminal.expect("weir>")
    for command in ("h1 ping -c 100000000 -i 0.01 h2", "h1 iperf -t 1000000 h2"):
        terminal.type(f"{command}\r")
        terminal.expect("MyIngress")
        terminal.type("\x03")
        terminal.expect("weir>")
        terminal.type("h1 ping -c 1 h2\r")
        terminal.expect("MyIngress")
        terminal.expect("1 packets transmitted, 1 received")
        terminal.expect("weir>")
    terminal.type("trace off s1\r")
    terminal.expect("weir>")
    terminal.type("h1 iperf -t 1000000 h2\r")
    terminal.expect("real time")
    terminal.type("\x03")
    # The output so far.
    terminal.expect("Mbit/s")
    terminal.expect("weir>")
    terminal.type("exit\r")
    assert terminal.end() == 0


def test_the_network_lives_while_the_prompt_waits(tmp_path: Path):
    nodes = {
        "hosts": {"h1": {"ip": "10.0.1.1/24", "mac": "08:00:00:00:00:01"}},
        "switches": {"s1": {"cpu_port": 510}},
    }
    topology = tmp_path / "one.json"
    topology.write_text(json.dumps({**nodes, "links": [["h1", "s1-p1"]]}))
    socket = tmp_path / "s1"
    arguments = ("run", str(topology), "--p4", str(NET / "controller.p4"), "--p4runtime", f"unix:{socket}")
    terminal = Terminal(tmp_path, *arguments)
    terminal.expect("weir>")
    with Client(f"unix:{socket}") as controller:
        # Nobody types. The host answers a request for its address, and the answer comes here.
        controller.packet_out(arp_request("10.0.1.1"), egress_port=1)
        answer = next_packet(controller)
        assert (answer["ingress_port"], answer.payload[20:22]) == (1, b"\0\2")
        terminal.type("wait 0.01\r")
        terminal.expect("time is ")
        terminal.type("nonsense\r")
        terminal.expect("there is no command")
        terminal.type("packets s1\r")
        terminal.expect("s1 is served by P4Runtime: its packets go to its controllers")
        terminal.type("wait\r")
        controller.packet_out(arp_request("10.0.1.1"), egress_port=1)
        assert next_packet(controller).payload == answer.payload
        terminal.type("\x03")
        terminal.expect("time is ")
        terminal.type("exit\r")
        assert terminal.end() == 0


def next_packet(controller: Client) -> PacketIn:
    """The next packet that a controller receives."""
    while not (packets := controller.packets_in()):
        assert controller.wait("60s")
    return packets[0]


def arp_request(address: str) -> bytes:
    """A frame that asks who has an IPv4 address."""
    sender = bytes.fromhex("080000000002")
    arp = bytes.fromhex("0001080006040001") + sender + bytes([10, 0, 1, 2]) + bytes(6)
    return b"\xff" * 6 + sender + b"\x08\x06" + arp + bytes(map(int, address.split(".")))


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
                "jobs",
                "kill",
                "nodes",
                "links",
                "tables",
                "counters",
                "messages",
                "why",
                "trace",
                "capture",
                "packets",
                "packet_out",
                "link",
                "wait",
                "source",
                "help",
                "exit",
            ],
        ),
        ("h", ["h1", "h2", "help"]),
        ("h1 ", ["ping", "iperf", "traceroute", "arp", "ifconfig", "ip", "route", "sysctl", "tc"]),
        ("link h1 s", ["s1"]),
        ("link h1 s1 ", ["up", "down", "rate", "delay", "loss"]),
        ("capture x.pcapng h1 s", ["s1-p1", "s1-p2"]),
        ("h1 traceroute ", ["h2", "-m", "-q", "-w", "-t", "-4", "-6"]),
        ("counters ", ["s1"]),
        (
            "h1 iperf -u ",
            [
                *("h2", "-b", "-t", "-n", "-P", "-R", "-i", "-l", "-M", "-w", "-C", "-p", "--server"),
                *("-S", "--tos", "--dscp", "-4", "-6"),
            ],
        ),
        ("h1 iperf -t ", []),
        ("h1 ping ", ["h2", "-c", "-s", "-i", "-W", "-t", "-f", "-Q", "-4", "-6"]),
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
    completions = completer.get_completions(Document(typed), CompleteEvent())
    assert [completion.text for completion in completions] == choices
