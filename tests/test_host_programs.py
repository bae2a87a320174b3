"""Actions at given times, and programs on hosts."""

import subprocess
import sys
from pathlib import Path

import pytest

import weir

NET = Path(__file__).parent / "net"


@pytest.fixture
def h1(network: weir.Network) -> weir.Host:
    return network.host("h1")


def test_actions_happen_at_their_times(network: weir.Network, h1: weir.Host):
    link = network.link("h2", "s1")
    seen = []
    network.at("2s", lambda: setattr(link, "delay", "20ms"))
    network.at("1s", lambda: seen.append(network.now))
    network.after("1s", lambda: seen.append("behind it"))
    replies = h1.ping("h2", count=4).replies
    assert seen == [1.0, "behind it"]
    rtts = [reply.rtt_ns // 1_000_000 for reply in replies]
    # Requests at 0, 1, 2 (the action comes behind it), 3 seconds.
    assert rtts == [6, 6, 42, 42]
    with pytest.raises(weir.NetworkError, match="1s has passed"):
        network.at("1s", print)


def test_callbacks_cannot_run_the_network(network: weir.Network):
    network.at("1s", lambda: network.run_for("1s"))
    with pytest.raises(weir.NetworkError, match="the network is already running"):
        network.run_for("2s")
    network.run_for("1s")
    assert network.now == 2.0


def test_an_action_can_start_what_is_waited_for(network: weir.Network, h1: weir.Host):
    network.link("h1", "s1").loss = "100%"
    network.at("5s", lambda: setattr(network.link("h1", "s1"), "loss", "0%"))
    assert h1.ping("h2", count=1, timeout="2s").received == 0
    network.run_for("5s")
    assert h1.ping("h2", count=1).received == 1


class Echo(weir.HostProgram):
    def on_datagram(self, datagram: weir.Datagram):
        self.send_udp(datagram.source, datagram.source_port, datagram.payload[::-1])


class Client(weir.HostProgram):
    def __init__(self):
        self.log = []

    def start(self):
        self.after("1ms", "first")

    def on_timer(self, token):
        self.log.append((self.now_ns, token))
        self.send_udp("h2", 7, b"abc")

    def on_datagram(self, datagram):
        self.log.append((self.now_ns, datagram.payload, datagram.source, datagram.source_port))
        if len(self.log) < 6:
            self.after("10ms", "again")

    def on_error(self, error):
        self.log.append((error.icmp_type, error.code, error.source, error.port))


def test_programs_act_at_the_very_time(network: weir.Network, h1: weir.Host):
    network.host("h2").run(Echo(), udp=7)
    client = h1.run(Client(), udp=1000)
    network.run_for("1s")
    # Twice 1 ms and 2 ms and a pass of 1 µs, and a frame of 45 bytes at 10 Mbit/s.
    rtt = 2 * (3_001_000 + 36_000)
    times = [entry[0] for entry in client.log]
    assert times[:4] == [1_000_000, 1_000_000 + rtt, 11_000_000 + rtt, 11_000_000 + 2 * rtt]
    assert client.log[1][1:] == (b"cba", "10.0.2.2", 7)
    assert len(client.log) == 6


def test_programs_receive_errors(network: weir.Network, h1: weir.Host):
    client = h1.run(Client(), udp=1000)
    network.run_for("1s")
    assert client.log[1] == (3, 3, "10.0.2.2", 1000)
    client.stop()
    other = h1.run(Client(), udp=1000)
    with pytest.raises(weir.NetworkError, match="the program is not running"):
        client.send_udp("h2", 7, b"")
    with pytest.raises(weir.NetworkError, match="already running"):
        h1.run(other)
    with pytest.raises(weir.NetworkError, match="UDP port 1000 of h1 is in use"):
        h1.run(Client(), udp=[999, 1000])
    h1.run(Client(), udp=999)
    with pytest.raises(weir.NetworkError, match="does not listen on UDP port 5"):
        other.send_udp("h2", 7, b"", source_port=5)


def test_failed_starts_free_ports(network: weir.Network, h1: weir.Host):
    class Late(weir.HostProgram):
        def start(self):
            self.connect("h2", 80)
            self.after(1)

    late = Late()
    for _ in range(2):
        with pytest.raises(weir.UnitError, match="delay: a bare number 1 has no unit"):
            h1.run(late, udp=1000, tcp=1000)
        with pytest.raises(weir.NetworkError, match="the program is not running"):
            _ = late.host
    network.run_for("1s")
    assert network.resource_usage()["connections"] == 0


def test_a_callback_that_nothing_calls_is_told(h1: weir.Host):
    class Echo(weir.HostProgram):
        def on_datagramm(self, datagram):
            self.send_udp(datagram.source, datagram.source_port, datagram.payload)

    class Own(weir.HostProgram):
        def on_answer(self):
            """Is called by the program itself."""

    with pytest.raises(
        weir.NetworkError, match='Echo has a method "on_datagramm", which is never called; did you'
    ):
        h1.run(Echo())
    assert isinstance(h1.run(Own()), Own)


def test_program_exceptions_reach_the_caller(network: weir.Network, h1: weir.Host):
    class Wrong(weir.HostProgram):
        def on_datagram(self, datagram):
            raise LookupError("no such key")

    network.host("h2").run(Wrong(), udp=7)
    client = h1.run(Client(), udp=1000)
    with pytest.raises(LookupError, match="no such key"):
        network.run_for("1s")
    network.run_for("1s")
    assert len(client.log) == 1


def test_arrivals_after_an_exception_are_delivered(network: weir.Network, h1: weir.Host):
    class Fussy(weir.HostProgram):
        def __init__(self):
            self.log = []

        def on_datagram(self, datagram):
            if datagram.payload == b"wrong":
                raise LookupError("no such key")
            self.log.append((self.now_ns == datagram.time_ns, datagram.payload))

    # Links without delay deliver all datagrams at one instant, and both programs are called for it.
    for link in network.links:
        link.rate, link.delay = None, "0ms"
    h1.ping("h2", count=1)
    first, second = Fussy(), Fussy()
    network.host("h2").run(first, udp=7)
    network.host("h2").run(second, udp=8)
    client = h1.run(weir.HostProgram(), udp=1000)
    for payload in (b"a", b"wrong", b"b", b"wrong", b"c"):
        client.send_udp("h2", 7, payload)
        client.send_udp("h2", 8, payload.upper())
    for _ in range(2):
        with pytest.raises(LookupError, match="no such key"):
            network.run_for("1s")
    network.run_for("1s")
    assert first.log == [(True, payload) for payload in (b"a", b"b", b"c")]
    assert second.log == [(True, payload) for payload in (b"A", b"WRONG", b"B", b"WRONG", b"C")]


def test_programs_see_frames(network: weir.Network, h1: weir.Host):
    class Watcher(weir.HostProgram):
        def __init__(self):
            self.frames = []

        def on_frame(self, frame):
            self.frames.append((self.now_ns == frame.time_ns, bytes(frame)[12:14]))

    everything, probes = Watcher(), Watcher()
    network.host("h2").run(everything, frames=True)
    network.host("h2").run(probes, frames="ether proto 0x1313")
    assert h1.ping("h2", count=2).received == 2
    assert everything.frames == [(True, b"\x08\x00")] * 2
    assert probes.frames == []


RUN = """
import sys, weir
net = weir.Network.load(sys.argv[1] + "/topology.json", sys.argv[1] + "/router.p4", seed=5, pcap=sys.argv[2])
h1, h2 = net.host("h1"), net.host("h2")
net.link("h2", "s1").loss = "10%"
class Echo(weir.HostProgram):
    def on_datagram(self, datagram):
        self.send_udp(datagram.source, datagram.source_port, b"back")
h2.run(Echo(), udp=7)
flows = [h1.start_poisson(h2, "2Mbit", duration="2s"), h2.start_on_off(h1, "4Mbit", on="20ms", off="50ms", duration="2s")]
net.at("1s", lambda: setattr(net.link("h1", "s1"), "delay", "7ms"))
net.wait(*flows)
print(net.now_ns, [flow.result().streams[0].delay_mean_ms for flow in flows], net.audit())
net.close()
"""


def test_runs_repeat_in_another_process(tmp_path: Path):
    outs = []
    for name in ("a", "b"):
        run = subprocess.run(
            [sys.executable, "-c", RUN, str(NET), str(tmp_path / name)],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        captures = [path.read_bytes() for path in sorted((tmp_path / name).glob("*"))]
        outs.append((run.stdout, captures))
    assert outs[0] == outs[1]
    assert len(outs[0][1]) == 2
