"""``Network(world="linux")``: hosts and switches in namespaces of the kernel."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from linux_networks import PATIENCE, ROUTER, eventually, two_hosts

import weir
from weir.errors import ControlError, NetworkError

pytestmark = pytest.mark.usefixtures("namespaces")


def test_hosts_of_the_kernel_ping_each_other_through_the_switch(net: weir.Network):
    seen = []
    result = net.host("h1").ping("h2", count=3, interval="10ms", on_reply=seen.append)
    assert (result.sent, result.received, result.target_ip) == (3, 3, "10.0.2.2")
    assert [(reply.seq, reply.ttl, reply.bytes) for reply in result.replies] == [
        (1, 63, 64), (2, 63, 64), (3, 63, 64),
    ]  # fmt: skip
    assert all(0 < rtt < 5000 for rtt in result.rtts.values)
    assert result.replies[1].time_ns - result.replies[0].time_ns >= 10_000_000
    assert seen == list(result.replies)


def test_a_psa_switch_connects_hosts_of_the_kernel():
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
        topology.add_link(f"h{number}", f"s1-p{number}")
    topology.routes = None
    program = ROUTER.parent / "psa_wire.p4"
    with weir.Network(topology, p4=program, world="linux") as net:
        assert net.host("h1").ping("h2", count=3, interval="10ms").received == 3
        assert net.host("h1").iperf("h2", duration="1s").goodput_mbps > 1


def test_pings_without_an_answer_are_lost_or_have_an_error(net: weir.Network):
    h1 = net.host("h1")
    lost = h1.ping("10.0.9.9", count=2, interval="10ms", timeout="50ms")
    assert (lost.received, lost.replies[0].error) == (0, None)
    h1.cmd("ip route del default")
    assert h1.ping("10.0.9.9", count=1).replies[0].error == "no route to the target"
    h1.cmd("ip route add default via 10.0.1.254")
    assert h1.ping("h2", count=1).received == 1


def test_flooding_pings_follow_their_replies(net: weir.Network):
    result = net.host("h1").ping("h2", count=50, flood=True)
    assert result.received == 50


def test_all_hosts_reach_each_other(net: weir.Network):
    assert str(net.ping_all()).endswith("0% dropped (2/2 received)")


def test_hosts_run_programs(net: weir.Network, capfd: pytest.CaptureFixture[str]):
    h1, h2 = net.host("h1"), net.host("h2")
    assert h1.cmd("ls /sys/class/net").split() == ["eth0", "lo"]
    assert "10.0.1.1/24" in h1.cmd("ip address show dev h1-eth0 2>&1")
    assert "no-such-program" in h1.cmd("no-such-program")
    assert h1.cmd("getent hosts h2").split() == ["10.0.2.2", "h2"]
    assert "nameserver" not in h1.cmd("cat /etc/resolv.conf")
    began = time.monotonic()
    assert h1.cmd("sleep 100 & echo started") == "started\n"
    assert time.monotonic() - began < 10
    program = "import socket; s = socket.create_server(('', 80)); print(1, flush=True); c, _ = s.accept(); c.send(b'hi')"
    with h2.popen([sys.executable, "-c", program]) as server:
        assert server.stdout.readline() == "1\n"
        ask = "import socket; print(socket.create_connection(('10.0.2.2', 80)).recv(9))"
        assert h1.cmd(f'{sys.executable} -c "{ask}"') == "b'hi'\n"
        assert server.wait(PATIENCE) == 0
    # None is this process's own file, as for subprocess.
    assert h1.popen("echo seen; echo read >&2", stdout=None, stderr=None).wait() == 0
    assert capfd.readouterr() == ("seen\n", "read\n")
    echo = h1.popen("cat; exit 3", stdin=subprocess.PIPE)
    assert echo.communicate("words") == ("words", "")
    assert echo.returncode == 3
    with h1.popen(["sleep", "1000"]) as sleeper:
        assert sleeper.poll() is None
        sleeper.terminate()
        assert sleeper.wait(PATIENCE) == -signal.SIGTERM
    for _ in range(20):
        with h1.popen(["sleep", "1000"]) as just_begun:
            just_begun.kill()
    with h1.popen(["no-such-program"]) as absent:
        assert absent.wait(PATIENCE) == 127


def test_actions_happen_on_the_wall_clock(net: weir.Network):
    times = []
    start = net.now
    net.after("30ms", lambda: times.append(net.now - start))
    net.run_for("60ms")
    assert len(times) == 1
    assert times[0] >= 0.03
    assert net.now - start >= 0.06


def test_links_go_down_and_up(net: weir.Network):
    link, h1 = net.link("h1", "s1"), net.host("h1")
    link.up = False
    assert h1.ping("h2", count=1, timeout="50ms").received == 0
    link.up = True
    eventually(lambda: h1.ping("h2", count=1, timeout="100ms").received)


def test_the_control_plane_is_that_of_the_virtual_world(net: weir.Network):
    switch = net.switch("s1")
    assert switch.ports == [1, 2]
    assert [entry.action for entry in switch.table("ipv4_lpm").entries()] == ["MyIngress.ipv4_forward"] * 2
    assert {"MyIngress.ipv4_lpm", "MyIngress.acl"} < switch.program.tables.keys()
    with pytest.raises(ControlError, match="no action"):
        switch.table("ipv4_lpm").insert({"hdr.ipv4.dstAddr": "10.0.3.0/24"}, "nowhere", {})


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda net: net.audit(), "an account of every packet"),
        (lambda net: net.hops, "the number of frames"),
        (lambda net: net.real_time(2.0), "speed: time in the Linux world is always real"),
        (lambda net: net.switch("s1").queues(1), "does not report its queues"),
        (lambda net: net.switch("s1").set_queue_rate("1Mbit"), r"set the link's rate \(net.link"),
        (
            lambda net: net.switch("s1").trace(),
            'traces no packets in the Linux world: run it in world="virtual"',
        ),
        (lambda net: setattr(net.link("h1", "s1"), "delay", "5ms"), 'add_link(…, delay="1us")'),
        (lambda net: net.host("h1").cmd(3), "command: "),
        (lambda net: net.host("h1").popen([]), "found []"),
    ],
)
def test_settings_of_virtual_hosts_only_are_refused(net: weir.Network, call, expected: str):
    with pytest.raises((NetworkError, ControlError)) as refused:
        call(net)
    assert expected.replace("\\", "") in str(refused.value)


def with_processing(topology: weir.Topology) -> str:
    topology.hosts["h1"].processing_ns = 5
    return "h1 has a processing time"


def with_profile(topology: weir.Topology) -> str:
    topology.switches["s1"].profile = "bmv2"
    return "s1 has a timing profile"


def with_queues(topology: weir.Topology) -> str:
    topology.switches["s1"].queue_depth = 5
    return "s1 has queues of its own"


def with_unknown_queue(topology: weir.Topology) -> str:
    topology.links[0].tc = [("h1", "qdisc add dev eth0 root no-such-discipline")]
    return "no-such-discipline"


@pytest.mark.parametrize("change", [with_processing, with_profile, with_queues, with_unknown_queue])
def test_topologies_of_simulated_parts_are_refused(change):
    topology = two_hosts()
    expected = change(topology)
    with pytest.raises(NetworkError, match=expected):
        weir.Network(topology, ROUTER, world="linux")


DELAY = Path(__file__).parents[2] / "labs" / "weir_labs" / "delay"


def test_the_delay_labs_program_agrees_with_the_virtual_world():
    """A network whose switch recirculates each packet, between links that take 5 ms each."""
    values = {}
    program = weir.compile(DELAY / "delay.p4")
    for world in ("virtual", "linux"):
        topology = weir.Topology.load(DELAY / "topology.json")
        for link in topology.links:
            link.delay_ns = 5_000_000
        with weir.Network(topology, program, world=world) as network:
            for x in (0, 15):
                network.switch("s1").table("recirculations").set_default("set_limit", {"x": x})
                result = network.host("h1").ping("h2", count=5, size=1200, interval="10ms")
                values[world, x] = result.received, result.rtt_min_ms, {one.ttl for one in result.replies}
    for x in (0, 15):
        (received, virtual_ms, ttls), (real, real_ms, real_ttls) = values["virtual", x], values["linux", x]
        assert (real, real_ttls) == (received, ttls) == (5, {63})
        # The additional time is the computer's own.
        assert 19.9 < virtual_ms - 0.1 < real_ms < virtual_ms + 500


def test_options_of_simulated_parts_are_refused():
    for options in ({"profile": "bmv2"}, {"noise": "realistic"}):
        with pytest.raises(NetworkError, match=f"{next(iter(options))}: .* leave it out"):
            weir.Network(two_hosts(), ROUTER, world="linux", **options)


def test_controllers_get_packets_and_send_some():
    topology = weir.Topology()
    topology.add_host("h1", ip="10.0.0.1/24", arp={"10.0.0.2": "08:00:00:00:00:02"})
    topology.add_host("h2", ip="10.0.0.2/24", arp={"10.0.0.1": "08:00:00:00:00:01"})
    topology.add_switch("s1", cpu_port=510)
    for host in topology.hosts:
        topology.add_link(host, "s1")
    with weir.Network(topology, ROUTER.with_name("controller.p4"), world="linux") as network:
        switch, seen = network.switch("s1"), []

        def forward(packet: weir.control.PacketIn) -> None:
            seen.append(packet)
            switch.packet_out(packet.payload, egress_port=3 - packet["ingress_port"])

        switch.on_packet_in(forward)
        assert network.host("h1").ping("h2", count=2, interval="10ms").received == 2
        assert sorted(packet["ingress_port"] for packet in seen) == [1, 1, 2, 2]
        switch.on_packet_in(None)
        network.host("h1").ping("h2", count=1, timeout="50ms")
        assert [packet["ingress_port"] for packet in switch.packets_in()] == [1]


def test_simulated_hosts_run_no_programs():
    with weir.Network(two_hosts(), ROUTER) as net, pytest.raises(NetworkError, match='world="linux"'):
        net.host("h1").popen("ls")


@pytest.mark.slow
def test_twenty_hosts():
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in range(1, 21):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
        topology.add_link(f"h{number}", "s1")
    with weir.Network(topology, world="linux") as net:
        pings = [
            net.host(f"h{number}").start_ping(f"h{number % 20 + 1}", count=2, interval="100ms")
            for number in range(1, 21)
        ]
        net.wait(*pings)
        assert [ping.result().received for ping in pings] == [2] * 20


KILLED = """
import sys, time, weir
topology = weir.Topology()
topology.add_host("h1", ip="10.0.1.1/24")
topology.add_switch("s1")
topology.add_link("h1", "s1")
net = weir.Network(topology, world="linux")
net.host("h1").popen(["sleep", sys.argv[1]])
print(net._core.folder, flush=True)
time.sleep(1000)
"""


def test_the_longest_names_and_a_folder_with_a_long_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, namespaces: list[str]
):
    folder = tmp_path / ("t" * 90)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    host, switch = "h" * 63, "s" * 63
    topology = weir.Topology()
    topology.add_switch(switch)
    for number, name in enumerate((host, "h2"), 1):
        topology.add_host(name, f"10.0.0.{number}/24")
        topology.add_link(name, switch)
    with weir.Network(topology, "l2_switch", world="linux", pcap=tmp_path / "captures") as net:
        assert net.host("h2").ping(host, count=1).received == 1
        assert net.host("h2").cmd(f"getent hosts {host}").split() == ["10.0.0.1", host]
        assert net.host(host).cmd(f"ip -br link show {host}-eth0").startswith("eth0")
    assert {file.name for file in (tmp_path / "captures").iterdir()} == {
        f"{host}_{switch}-p1.pcapng",
        f"h2_{switch}-p2.pcapng",
    }


def test_nothing_is_left_after_sigkill():
    sleep = ["sleep", str(100_000 + os.getpid())]
    process = subprocess.Popen([sys.executable, "-c", KILLED, sleep[1]], stdout=subprocess.PIPE, text=True)
    try:
        folder = Path(process.stdout.readline().strip())
        assert folder.is_dir()
        eventually(lambda: has_process(sleep))
    finally:
        process.kill()
        process.communicate()
    eventually(lambda: not has_process(sleep) and not folder.exists())


def test_a_fork_of_the_script_does_not_keep_a_network():
    network = weir.Network(two_hosts(), ROUTER, world="linux")
    pid = os.fork()
    if pid == 0:
        time.sleep(PATIENCE)
        os._exit(0)
    try:
        began = time.monotonic()
        network.close()
        assert time.monotonic() - began < 9
        with pytest.raises(NetworkError, match="the network is closed"):
            network.host("h1").cmd("true")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def has_process(words: list[str]) -> bool:
    command_line = "\0".join([*words, ""]).encode()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cmdline").read_bytes() == command_line:
                return True
        except OSError:
            continue
    return False


def test_the_prompt_runs_programs_on_hosts(tmp_path: Path):
    topology = {
        "hosts": {f"h{n}": {"ip": f"10.0.0.{n}/24", "mac": f"08:00:00:00:00:0{n}"} for n in (1, 2)},
        "switches": {"s1": {}},
        "links": [["h1", "s1-p1"], ["h2", "s1-p2"]],
    }
    import json

    (tmp_path / "topology.json").write_text(json.dumps(topology))
    commands = ["pingall", "h1 echo a | tr a b; ls /sys/class/net", "h1 ping -c 1 h2", "nodes", "h1 exit 3"]
    words = [word for command in commands for word in ("-c", command)]
    ended = subprocess.run(
        [sys.executable, "-m", "weir", "run", str(tmp_path / "topology.json"), "--world", "linux", *words],
        capture_output=True, text=True, timeout=60, env=os.environ,
    )  # fmt: skip
    assert ended.returncode == 1, ended.stderr
    assert "0% dropped (2/2 received)" in ended.stdout
    assert "b\neth0\nlo\n" in ended.stdout
    assert "1 packets transmitted, 1 received" in ended.stdout
    assert "as fast as this computer" in ended.stdout


def test_a_shell_of_a_host_has_the_terminal(tmp_path: Path):
    """A shell with job control: Ctrl-C ends the program in it, but not the network."""
    (tmp_path / "topology.json").write_text(
        '{"hosts": {"h1": {"ip": "10.0.0.1/24"}}, "switches": {"s1": {}}, "links": [["h1", "s1-p1"]]}'
    )
    # Another run of the tests sleeps for other seconds.
    sleep = ["sleep", str(200_000 + os.getpid())]
    pid, terminal = pty.fork()
    if pid == 0:
        words = ["weir", "run", str(tmp_path / "topology.json"), "--world", "linux"]
        os.execv(sys.executable, [sys.executable, "-m", *words])
    typed = [
        (b"exit ends", b"h1 sh\r"),
        (b"# ", b"echo $((6*7))\r"),
        (b"42", f"{' '.join(sleep)}\r".encode()),
    ]
    typed += [(b"sleep", b"\3"), (b"# ", b"exit\r"), (b"weir>", b"exit\r")]
    for expected, keys in typed:
        _read_until(terminal, expected)
        if keys == b"\3":
            eventually(lambda: has_process(sleep))
        os.write(terminal, keys)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(terminal)


def _read_until(terminal: int, expected: bytes) -> None:
    seen, end = b"", time.monotonic() + PATIENCE
    while expected not in seen:
        assert select.select([terminal], [], [], max(0.0, end - time.monotonic()))[0], seen
        read = os.read(terminal, 4096)
        seen += read
        if b"\x1b[6n" in read:
            # The prompt asks where the cursor is.
            os.write(terminal, b"\x1b[1;1R")


def test_runtime_commands_come_from_files_and_the_prompt(tmp_path: Path, namespaces: list[str]):
    commands = tmp_path / "s1-commands.txt"
    commands.write_text(
        "table_add ipv4_lpm ipv4_forward 10.0.1.0/24 => 08:00:00:00:01:11 1\n"
        "table_add ipv4_lpm ipv4_forward 10.0.2.0/24 => 08:00:00:00:02:22 2\n"
    )
    hosts = {
        f"h{n}": {
            "ip": f"10.0.{n}.{n}/24",
            "mac": f"08:00:00:00:0{n}:{n}{n}",
            "commands": [
                f"route add default gw 10.0.{n}.254 dev eth0",
                f"arp -i eth0 -s 10.0.{n}.254 08:00:00:00:0{n}:00",
            ],
        }
        for n in (1, 2)
    }
    links = [["h1", "s1-p1"], ["h2", "s1-p2"]]
    topology = {"hosts": hosts, "switches": {"s1": {"cli_input": commands.name}}, "links": links}
    (tmp_path / "topology.json").write_text(json.dumps(topology))
    line = [sys.executable, "-m", "weir", "run", "topology.json", "--p4", str(ROUTER), "--world", "linux"]
    line += [
        "-c",
        "s1 table_num_entries ipv4_lpm",
        "-c",
        "s1 table_delete ipv4_lpm 1",
        "-c",
        "h1 ping -c 1 h2",
    ]
    line += ["-c", "s1 switch_info"]
    played = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "2\n" in played.stdout, played.stderr
    assert "0 received" in played.stdout
    assert "ports: 1 2" in played.stdout
