"""``Network(world="linux")``: hosts and switches in namespaces of the kernel."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import weir
from weir.errors import ControlError, NetworkError

HERE = Path(__file__).parent
ROUTER = HERE.parent / "net" / "router.p4"
PATIENCE = 30.0


@pytest.fixture(autouse=True)
def _namespaces():
    from conftest import refusal

    if why := refusal():
        pytest.skip(f"no network namespaces with veth here: {why}")


def two_hosts(**link: str) -> weir.Topology:
    topology = weir.Topology()
    topology.add_host("h1", ip="10.0.1.1/24", gateway="10.0.1.254", arp={"10.0.1.254": "08:00:00:00:01:00"})
    topology.add_host("h2", ip="10.0.2.2/24", gateway="10.0.2.254", arp={"10.0.2.254": "08:00:00:00:02:00"})
    topology.add_switch("s1")
    topology.add_link("h1", "s1", **link)
    topology.add_link("h2", "s1", **link)
    return topology


def fill(net: weir.Network) -> None:
    table = net.switch("s1").table("ipv4_lpm")
    for number, host in enumerate(net.hosts, 1):
        table.insert(
            {"hdr.ipv4.dstAddr": f"{host.ip}/32"}, "ipv4_forward", {"dstAddr": host.mac, "port": number}
        )


@pytest.fixture(scope="module")
def net():
    with weir.Network(two_hosts(), ROUTER, world="linux") as network:
        fill(network)
        yield network


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


def test_what_does_not_answer_is_lost_or_an_error(net: weir.Network):
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


def test_hosts_run_programs(net: weir.Network):
    h1, h2 = net.host("h1"), net.host("h2")
    assert h1.cmd("ls /sys/class/net").split() == ["eth0", "lo"]
    assert "10.0.1.1/24" in h1.cmd("ip address show dev h1-eth0 2>&1")
    assert "no-such-program" in h1.cmd("no-such-program")
    began = time.monotonic()
    assert h1.cmd("sleep 100 & echo started") == "started\n"
    assert time.monotonic() - began < 10
    program = "import socket; s = socket.create_server(('', 80)); print(1, flush=True); c, _ = s.accept(); c.send(b'hi')"
    with h2.popen([sys.executable, "-c", program]) as server:
        assert server.stdout.readline() == "1\n"
        ask = "import socket; print(socket.create_connection(('10.0.2.2', 80)).recv(9))"
        assert h1.cmd(f'{sys.executable} -c "{ask}"') == "b'hi'\n"
        assert server.wait(PATIENCE) == 0
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
        (lambda net: net.switch("s1").queues(1), "says nothing about its queues"),
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
def test_what_real_hosts_do_not_have_is_refused(net: weir.Network, call, expected: str):
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


def test_host_programs_are_refused(net: weir.Network):
    class Echo(weir.HostProgram):
        pass

    with pytest.raises(NetworkError, match="programs of the class HostProgram"):
        net.host("h1").run(Echo(), udp=7)


DELAY = Path(weir.__file__).parent / "labs" / "delay"


def test_the_delay_labs_program_agrees_with_the_virtual_world():
    """Its switch recirculates each packet, between links that take 5 ms each."""
    found = {}
    program = weir.compile(DELAY / "delay.p4")
    for world in ("virtual", "linux"):
        topology = weir.Topology.load(DELAY / "topology.json")
        for link in topology.links:
            link.delay_ns = 5_000_000
        with weir.Network(topology, program, world=world) as network:
            for x in (0, 15):
                network.switch("s1").table("recirculations").set_default("set_limit", {"x": x})
                result = network.host("h1").ping("h2", count=5, size=1200, interval="10ms")
                found[world, x] = result.received, result.rtt_min_ms, {one.ttl for one in result.replies}
    for x in (0, 15):
        (received, virtual_ms, ttls), (real, real_ms, real_ttls) = found["virtual", x], found["linux", x]
        assert (real, real_ttls) == (received, ttls) == (5, {63})
        # What is added is the computer's own time.
        assert 19.9 < virtual_ms - 0.1 < real_ms < virtual_ms + 500


def test_options_of_simulated_parts_are_refused():
    for options in ({"profile": "bmv2"}, {"noise": "realistic"}):
        with pytest.raises(NetworkError, match=f"{next(iter(options))}: .* leave it out"):
            weir.Network(two_hosts(), ROUTER, world="linux", **options)


def test_simulated_hosts_run_no_programs():
    with weir.Network(two_hosts(), ROUTER) as net, pytest.raises(NetworkError, match='world="linux"'):
        net.host("h1").popen("ls")


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
print("up", flush=True)
time.sleep(1000)
"""


def test_nothing_is_left_after_sigkill():
    sleep = ["sleep", str(100_000 + os.getpid())]
    process = subprocess.Popen([sys.executable, "-c", KILLED, sleep[1]], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "up\n"
        eventually(lambda: has_process(sleep))
    finally:
        process.kill()
        process.communicate()
    eventually(lambda: not has_process(sleep))


def eventually(condition) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def has_process(words: list[str]) -> bool:
    wanted = "\0".join([*words, ""]).encode()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cmdline").read_bytes() == wanted:
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


@pytest.fixture(scope="module")
def slow_net():
    """Ten times as fast at h1 as at h2, whose queue holds 50 packets."""
    topology = two_hosts(rate="100Mbit")
    topology.links[1].rate_bps, topology.links[1].queue = 10_000_000, "50p"
    with weir.Network(topology, ROUTER, world="linux") as network:
        fill(network)
        yield network


def test_flows_of_datagrams_are_those_of_the_virtual_world(slow_net: weir.Network):
    result = slow_net.host("h1").iperf("h2", udp=True, rate="20Mbit", duration="400ms", linger="200ms")
    (stream,) = result.streams
    # 20 Mbit/s for 0.4 s; half of them leave, and 50 wait at the end.
    assert result.sent == pytest.approx(680, abs=10)
    assert 200 < result.received < 460
    assert stream.delay_max_ms > 55
    assert (stream.target, stream.server, result.duplicates) == ("h2", "h2", 0)
    assert stream.sent_bytes == 1470 * result.sent
    assert sum(interval.sent for interval in stream.intervals) == result.sent


def test_datagrams_come_back_and_in_parallel(net: weir.Network):
    back = net.host("h1").iperf("h2", udp=True, reverse=True, count=20, rate="10Mbit", packets=True)
    assert (back.source, back.received, list(back.streams[0].numbers)) == ("h2", 20, list(range(20)))
    assert len(back.streams[0].delays) == 20
    several = net.host("h1").iperf("h2", udp=True, count=20, rate="5Mbit", parallel=3)
    assert [stream.received for stream in several.streams] == [20, 20, 20]


@pytest.mark.parametrize("options", [{}, {"reverse": True}, {"parallel": 2}, {"congestion": "reno"}])
def test_tcp_fills_the_slowest_link(slow_net: weir.Network, options: dict):
    result = slow_net.host("h1").iperf("h2", duration="600ms", interval="200ms", **options)
    # Headers of IP and TCP take a part of the 10 Mbit/s.
    assert 4 < result.goodput_mbps < 9.8
    for stream in result.streams:
        assert (stream.outcome, stream.bytes) == ("closed", stream.acked)
        assert sum(interval.bytes for interval in stream.intervals) == stream.bytes
        assert stream.mss == 1448
        assert stream.rtt_ms is not None
        assert stream.recoveries is None


def test_a_flow_of_a_size_ends_when_all_has_arrived(net: weir.Network):
    result = net.host("h1").iperf("h2", size="300kB")
    assert result.bytes == 300_000
    flow = net.host("h1").start_iperf("h2", duration="60s", rate="8Mbit")
    net.run_for("200ms")
    assert 50_000 < flow.result().bytes < 600_000
    flow.stop()
    assert flow.wait().streams[0].outcome == "closed"


def test_flows_that_the_kernel_cannot_send_are_refused(net: weir.Network):
    h1 = net.host("h1")
    for options, expected in [
        ({"congestion": "bbr-draft"}, 'Linux has no "bbr-draft"'),
        ({"ecn": True}, "net.ipv4.tcp_ecn"),
        ({"trace": True}, "the kernel shows no single segments"),
    ]:
        with pytest.raises(NetworkError, match=expected):
            h1.iperf("h2", **options)
    with net.host("h2").popen(
        [sys.executable, "-c", "import socket as s; x = s.create_server(('', 5999)); input()"],
        stdin=subprocess.PIPE,
    ) as server:
        eventually(lambda: "5999" in net.host("h2").cmd("cat /proc/net/tcp | grep -i 176F && echo 5999"))
        with pytest.raises(NetworkError, match="h2, port 5999: Address already in use"):
            h1.iperf("h2", port=5999)
        server.stdin.close()
    h1.cmd("ip route del default")
    with pytest.raises(NetworkError, match="no route to the target"):
        h1.iperf("h2", duration="100ms")
    h1.cmd("ip route add default via 10.0.1.254")


@pytest.fixture(scope="module")
def delayed():
    """The second link delays by 5 ms, and a capture of each link is written."""
    topology = two_hosts()
    topology.links[1].delay_ns = 5_000_000
    with weir.Network(topology, ROUTER, world="linux") as network:
        fill(network)
        yield network


def test_links_delay_and_lose_frames(delayed: weir.Network):
    h1, link = delayed.host("h1"), delayed.link("h2", "s1")
    # Upper limits leave time to a computer with other work.
    assert 10 < h1.ping("h2", count=3, interval="10ms").rtt_min_ms < 500
    assert link.delay == "5ms"
    link.delay = "20ms"
    assert 40 < h1.ping("h2", count=2, interval="10ms").rtt_min_ms < 500
    link.loss = "100%"
    assert h1.ping("h2", count=2, interval="10ms", timeout="100ms").received == 0
    link.loss = "0%"
    link.jitter = "1ms"
    link.delay = "5ms"
    link.up = False
    assert h1.ping("h2", count=1, timeout="50ms").received == 0
    link.up = True
    eventually(lambda: h1.ping("h2", count=1, timeout="100ms").received)


def test_frames_are_seen_and_captured(delayed: weir.Network, tmp_path: Path):
    h1 = delayed.host("h1")
    sniffer = delayed.sniff(["h1", "s1-p2"], "icmp and host 10.0.2.2")
    capture = delayed.capture(tmp_path / "h.pcapng", ["h1", "h2"], "icmp")
    result = h1.ping("h2", count=3, interval="10ms", size=100)
    h1.iperf("h2", udp=True, count=3, linger="50ms")
    frames = sniffer.stop()
    assert [(frame.end, frame.outbound, len(frame)) for frame in frames[:2]] == [
        ("h1", True, 142), ("s1-p2", True, 142),
    ]  # fmt: skip
    assert len(frames) == 12
    # The sniffer saw the first request when the ping sent it.
    assert abs(frames[0].time_ns - result.replies[0].time_ns) < 100_000_000
    rows = weir._core.read_capture(str(capture.close()), 1 << 20)
    assert [length for _, _, length in rows] == [142] * 12
    assert rows == sorted(rows, key=lambda row: row[0])
    assert abs(rows[0][0] / 1e9 - time.time()) < 100


def test_raw_frames_and_replays(net: weir.Network, tmp_path: Path):
    frame = bytes.fromhex("080000000001 080000000009 88b5") + bytes(50)
    with weir.Network(_bridge(), world="linux", pcap=tmp_path / "captures") as bridge:
        sniffer = bridge.sniff("h2", "ether proto 0x88b5")
        bridge.host("h1").send(frame)
        eventually(lambda: (bridge.run_for("5ms"), sniffer.frames)[1])
        assert [(one.data, one.outbound) for one in sniffer.frames] == [(frame, False)]
    file = tmp_path / "captures" / "h1_s1-p1.pcapng"
    with weir.Network(_bridge(), world="linux") as bridge:
        sniffer = bridge.sniff("h2", "ether proto 0x88b5")
        assert bridge.host("h1").replay(file, speed=1000) >= 1
        eventually(lambda: (bridge.run_for("5ms"), sniffer.frames)[1])


def _bridge() -> weir.Topology:
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
        topology.add_link(f"h{number}", "s1")
    return topology


def test_queues_are_sampled(slow_net: weir.Network):
    sampler = slow_net.sample("s1-p2", every="5ms")
    slow_net.host("h1").iperf("h2", udp=True, rate="20Mbit", duration="200ms", linger="100ms")
    sampler.stop()
    samples = sampler.samples()
    assert len(samples) > 10
    assert max(samples.queue_packets) in range(40, 52)
    assert samples.dropped_packets[-1] > 50
    assert 0.8 < max(sampler.use().values) <= 1


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"count": 5}, 5),
        ({"count": 5, "keep": False, "response": "200kB"}, 5),
        ({"count": 10, "every": "2ms"}, 10),
        ({"count": 5, "udp": True, "request": ["20B", "900B"]}, 5),
    ],
)
def test_requests_have_responses(net: weir.Network, options: dict, count: int):
    result = net.host("h1").requests("h2", **options)
    assert len(result.exchanges) == count
    for exchange in result.exchanges:
        assert (exchange.failure, exchange.server) == (None, "h2")
        assert exchange.start_ns < exchange.request_ns <= exchange.end_ns


def test_short_flows_end_when_they_have_arrived(net: weir.Network):
    result = net.host("h1").transfers("h2", count=10, every="3ms", size="20kB", random=False)
    assert [exchange.request for exchange in result.exchanges] == [20_000] * 10
    assert all(exchange.end_ns == exchange.request_ns for exchange in result.exchanges)


def test_requests_without_response_fail(net: weir.Network):
    h1 = net.host("h1")
    lost = h1.requests("10.0.2.99", count=2, udp=True, timeout="30ms", tries=2, server="h2")
    assert [(one.failure, one.repeats) for one in lost.exchanges] == [("timed out", 1)] * 2
    with pytest.raises(NetworkError, match="expected 12B or more"):
        h1.requests("h2", request="5B")


def test_runtime_commands_are_refused(net: weir.Network):
    with pytest.raises(ControlError, match="takes no runtime commands"):
        net.switch("s1").runtime.run("table_dump ipv4_lpm")
