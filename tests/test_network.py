"""Networks from Python: our router between two hosts, end to end in virtual time."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import weir
from needed import need
from weir.errors import FileError, NetworkError, P4Error, UnitError, WeirError

NET = Path(__file__).parent / "net"

PASS_NS = 1_000
FRAME_BITS = 8 * (14 + 20 + 8 + 56)
# h1 - s1: 1 ms, unlimited; s1 - h2: 2 ms, 10 Mbit/s; both ways, and a pass each way.
RTT_NS = 2 * (1_000_000 + 2_000_000 + FRAME_BITS * 100 + PASS_NS)


def build(router: weir.Program, **options) -> weir.Network:
    """A new network of tests/net."""
    return weir.Network.load(NET / "topology.json", router, **options)


def test_ping_time_is_exact(network: weir.Network):
    result = network.host("h1").ping("h2", count=3, interval="100ms")
    assert [reply.rtt_ns for reply in result.replies] == [RTT_NS] * 3
    assert [reply.seq for reply in result.replies] == [1, 2, 3]
    assert [reply.time_ns for reply in result.replies] == [0, 100_000_000, 200_000_000]
    assert {(reply.ttl, reply.bytes, reply.error) for reply in result.replies} == {(63, 64, None)}
    assert (result.sent, result.received, result.lost) == (3, 3, 0)
    assert result.rtt_min_ms == result.rtt_avg_ms == result.rtt_max_ms == RTT_NS / 1e6
    assert result.rtt_mdev_ms == 0
    assert network.now_ns == 200_000_000 + RTT_NS


def test_hosts_are_objects_or_addresses(network: weir.Network):
    h1, h2 = network.host("h1"), network.host("h2")
    assert h1.ping(h2, count=1).received == h1.ping("10.0.2.2", count=1).received == 1


def test_frames(network: weir.Network):
    network.link("s1", "h2").loss = "50%"
    result = network.host("h1").ping("h2", count=40, interval="10ms", timeout="50ms")
    assert 0 < result.lost < 40
    frame = result.to_frame()
    assert frame.columns == ["seq", "time_s", "rtt_ms", "ttl", "bytes"]
    assert frame.height == 40
    assert frame["rtt_ms"].null_count() == frame["ttl"].null_count() == result.lost
    assert frame["time_s"].to_list() == [reply.time_ns / 1e9 for reply in result.replies]


def test_nothing_received_has_no_round_trip_time(network: weir.Network):
    result = network.host("h1").ping("10.0.9.9", count=2, timeout="10ms")
    assert (result.received, result.lost) == (0, 2)
    assert result.rtt_min_ms is result.rtt_avg_ms is result.rtt_max_ms is result.rtt_mdev_ms is None
    assert result.to_frame()["rtt_ms"].null_count() == 2


def test_a_host_without_a_route_says_so(router: weir.Program):
    topology = weir.Topology()
    topology.add_host("h1", ip="10.0.1.1/24")
    topology.add_switch("s1")
    topology.add_link("h1", "s1")
    with weir.Network(topology, router) as network:
        (reply,) = network.host("h1").ping("10.0.9.9", count=1).replies
    assert (reply.rtt_ns, reply.error) == (None, "no route to the target")


def test_link_changes_act_in_both_directions(network: weir.Network):
    link = network.link("h2", "s1")
    assert (link.rate, link.rate_bps, link.delay, link.loss) == ("10Mbit", 10_000_000, "2ms", "0%")
    link.rate, link.delay = None, "0ms"
    network.link("s1-p1", "h1").delay = "0ms"
    assert network.host("h1").ping("h2", count=1).replies[0].rtt_ns == 2 * PASS_NS
    link.rate = "1Mbit"
    assert network.host("h1").ping("h2", count=1).replies[0].rtt_ns == 2 * (PASS_NS + FRAME_BITS * 1000)
    link.loss = "100%"
    assert network.host("h1").ping("h2", count=1, timeout="1s").lost == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda link: setattr(link, "rate", 10),
            'rate: a bare number 10 has no unit; did you mean "10Mbit"?',
        ),
        (lambda link: setattr(link, "delay", 5), 'delay: a bare number 5 has no unit; did you mean "5ms"?'),
        (lambda link: setattr(link, "loss", "1"), "loss '1' has no unit; did you mean \"1%\"?"),
    ],
)
def test_links_want_units(network: weir.Network, change, message: str):
    with pytest.raises(UnitError) as caught:
        change(network.link("h1", "s1"))
    assert str(caught.value) == message


def test_profiles(router: weir.Program):
    with build(router, profile="bmv2-vm") as network:
        assert network.switch("s1").pass_latency == "312.5us"
        reply = network.host("h1").ping("h2", count=1).replies[0]
        assert reply.rtt_ns == RTT_NS + 2 * (312_500 - PASS_NS)
    with build(router, profile=weir.Profile("mine", 7_000, 1_000_000)) as network:
        assert network.switch("s1").profile.name == "mine"
        assert network.host("h1").ping("h2", count=1).replies[0].rtt_ns == RTT_NS + 2 * (7_000 - PASS_NS)


def test_time_passes_only_when_told(network: weir.Network):
    assert network.now == 0
    seen = []
    network.run_for("1.5s", progress=lambda done, total: seen.append((done, total)))
    assert network.now == 1.5
    assert seen[-1] == (1_500_000_000, 1_500_000_000)


def test_progress_and_replies_are_told_in_order(network: weir.Network):
    seen, replies = [], []
    network.host("h1").ping(
        "h2", count=5, progress=lambda done, total: seen.append((done, total)), on_reply=replies.append
    )
    assert seen[-1] == (5, 5)
    assert [reply.seq for reply in replies] == [1, 2, 3, 4, 5]


def test_ping_all(network: weir.Network):
    matrix = network.ping_all()
    assert (matrix.sent, matrix.received, matrix.lost) == (2, 2, 0)
    assert str(matrix) == "h1 -> h2\nh2 -> h1\n0% dropped (2/2 received)"
    assert matrix.to_frame()["source"].to_list() == ["h1", "h2"]
    network.link("h1", "s1").loss = "100%"
    lost = "h1 -> X\nh2 -> X\n100% dropped (0/2 received)\n"
    assert str(network.ping_all()).startswith(lost + "Why: the link from h1-eth0 to s1-p1 lost 1 packet")


def test_the_same_seed_gives_the_same_bytes(router: weir.Program, tmp_path: Path):
    def run(name: str, seed: int) -> tuple[list[int | None], dict[str, bytes]]:
        with build(router, seed=seed, pcap=tmp_path / name) as network:
            network.link("h1", "s1").loss = "30%"
            result = network.host("h1").ping("h2", count=30, interval="10ms", timeout="100ms")
        files = {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        return [reply.rtt_ns for reply in result.replies], files

    first, again, other = run("first", 1), run("again", 1), run("other", 2)
    assert first == again
    assert first[0] != other[0]


def test_captures_get_their_names_at_the_end(router: weir.Program, tmp_path: Path):
    network = build(router, pcap=tmp_path)
    network.host("h1").ping("h2", count=1)
    assert not list(tmp_path.glob("*.pcapng"))
    network.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["h1_s1-p1.pcapng", "h2_s1-p2.pcapng"]
    network.close()
    with pytest.raises(NetworkError, match="the network is closed"):
        network.host("h1").ping("h2")
    with pytest.raises(NetworkError, match="the network is closed"):
        network.run_for("1s")


def test_tshark_reads_the_captures(router: weir.Program, tmp_path: Path):
    need("tshark", required="WEIR_REQUIRE_TSHARK")
    with build(router, pcap=tmp_path) as network:
        network.host("h1").ping("h2", count=3, size=1200)
    for file in tmp_path.iterdir():
        options = ["-o", "ip.check_checksum:TRUE", "-T", "fields", "-e", "icmp.type", "-e", "ip.ttl"]
        fields = ["-e", "_ws.malformed", "-e", "ip.checksum.status", "-e", "icmp.checksum.status"]
        shown = subprocess.run(
            ["tshark", "-r", file, *options, *fields], capture_output=True, text=True, check=True
        ).stdout
        rows = [line.split("\t") for line in shown.splitlines()]
        assert len(rows) == 6
        assert {row[0] for row in rows} == {"8", "0"}
        # 1 stands for a good checksum.
        assert all(row[2:] == ["", "1", "1"] for row in rows)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda n: n.host("h9"), 'there is no host "h9"; did you mean "h1"?'),
        (lambda n: n.host("s1"), '"s1" is a switch, not a host; did you mean net.switch("s1")?'),
        (lambda n: n.host("router"), 'there is no host "router" (there are: h1, h2)'),
        (lambda n: n.switch("s2"), 'there is no switch "s2"; did you mean "s1"?'),
        (lambda n: n.link("h1", "h2"), "no link joins h1 and h2 (h1 has h1 <-> s1-p1)"),
        (lambda n: n.host("h1").ping("h3"), 'there is no host "h3"; did you mean "h1"?'),
        (lambda n: n.host("h1").ping("10.0.1"), '"10.0.1" is not an IPv4 address (expected 4 octets)'),
        (lambda n: n.host("h1").ping("h2", count=0), "count: 0 is out of range: expected 1 or more"),
        (lambda n: n.host("h1").ping("h2", count=-1), "count: -1 is out of range: expected 1 or more"),
        (lambda n: n.host("h1").ping("h2", size=-1), "size: -1 is out of range: expected 0 or more"),
        (
            lambda n: n.host("h1").ping("h2", size=65508),
            "ping: 65508 bytes of payload; expected at most 65507",
        ),
        (lambda n: n.host("h1").ping("h2", count="3"), "count: '3' is not a whole number"),
        (
            lambda n: n.host("h1").ping("h2", interval=1),
            'interval: a bare number 1 has no unit; did you mean "1s"?',
        ),
        (lambda n: n.host("h1").ping("h2", timeout="0s"), "ping: a timeout of 0 ns; expected 1 or more"),
        (lambda n: n.run_for(1), 'duration: a bare number 1 has no unit; did you mean "1s"?'),
    ],
)
def test_mistakes_are_named(network: weir.Network, call, message: str):
    with pytest.raises(WeirError) as caught:
        call(network)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": -1}, "the seed -1 is out of range: expected 0 to 2**63 - 1"),
        ({"seed": "1"}, "the seed '1' is not a whole number: expected 0 to 2**63 - 1; did you mean \"1\"?"),
        (
            {"world": "linus"},
            "world: there is no world 'linus' (there are: virtual, linux); did you mean \"linux\"?",
        ),
        ({"profile": "defualt"}, 'there is no timing profile "defualt"; did you mean "default"?'),
    ],
)
def test_options_are_checked(router: weir.Program, options: dict, message: str):
    with pytest.raises(NetworkError) as caught:
        build(router, **options)
    assert str(caught.value) == message


def test_switches_with_entries_need_a_program():
    topology = weir.Topology()
    topology.add_switch("s1", entries={"target": "bmv2", "table_entries": []})
    with pytest.raises(NetworkError, match="switch s1 has entries but no P4 program"):
        weir.Network(topology)


def test_a_switch_may_have_a_program_of_its_own(tmp_path: Path):
    topology = weir.Topology.load(NET / "topology.json")
    topology.switches["s1"].p4 = NET / "router.p4"
    with weir.Network(topology) as network:
        assert network.host("h1").ping("h2", count=1).received == 1
        assert network.switch("s1").program.path == str(NET / "router.p4")


def test_wrong_programs(tmp_path: Path):
    wrong = tmp_path / "wrong.p4"
    wrong.write_text("#include <core.p4>\nheader h_t { bit<8> a }\n")
    diagnostics = weir.check(wrong)
    assert [(d.severity, d.file, d.line) for d in diagnostics] == [("error", str(wrong), 2)]
    with pytest.raises(P4Error) as caught:
        weir.compile(wrong)
    assert caught.value.diagnostics == diagnostics
    assert f"{wrong}:2:" in str(caught.value)
    assert "header h_t { bit<8> a }" in str(caught.value)
    with pytest.raises(FileError, match="no such file"):
        weir.check(tmp_path / "missing.p4")
    no_main = tmp_path / "no_main.p4"
    no_main.write_text("#include <core.p4>\n")
    assert [d for d in weir.check(no_main) if d.severity == "error"] == []
    with pytest.raises(WeirError, match="main"):
        weir.compile(no_main)


def test_checking_a_valid_program_finds_nothing():
    assert [d for d in weir.check(NET / "router.p4") if d.severity == "error"] == []


# A ping so long that only an interrupt ends it; afterwards the network must continue without the
# ping.
LONG_RUN = """
import signal, sys, weir
with weir.Network.load(sys.argv[1], p4=sys.argv[2]) as network:
    try:
        print("started", flush=True)
        network.host("h1").ping("h2", count=100_000_000, interval="1ms")
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("then", network.host("h1").ping("h2", count=1).received)
"""


def test_a_long_run_can_be_interrupted():
    command = [sys.executable, "-c", LONG_RUN, NET / "topology.json", NET / "router.p4"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "started\n"
        # Pressed again as a person would: Python loses an interrupt that falls into a weak
        # reference's callback.
        for _ in range(20):
            run.send_signal(signal.SIGINT)
            try:
                output, errors = run.communicate(timeout=1)
                break
            except subprocess.TimeoutExpired:
                continue
        else:
            run.kill()
            pytest.fail("20 interrupts did not end the run")
    assert (output, errors) == ("then 1\n", "")


def test_exported_names_exist():
    for name in weir.__all__:
        assert getattr(weir, name) is not None
    with pytest.raises(AttributeError):
        _ = weir.nonsense


def test_our_includes_are_all_in_the_package():
    ours = Path(__file__).parent.parent / "p4include"
    packaged = Path(weir.__file__).parent / "p4include"
    names = sorted(str(path.relative_to(ours)) for path in ours.rglob("*.p4"))
    assert names == sorted(str(path.relative_to(packaged)) for path in packaged.rglob("*.p4"))
    assert [(ours / name).read_text() for name in names] == [(packaged / name).read_text() for name in names]


def test_executors():
    assert weir.compile(NET / "router.p4").executor == "native"
    router = weir.compile(NET / "router.p4", executor="interp")
    assert router.executor == "interp"
    with build(router, executor="native") as network:
        assert network.switch("s1").program.executor == "native"
        assert network.host("h1").ping("h2").received == 3
    with pytest.raises(NetworkError, match='no executor "nativ": expected native or interp') as caught:
        weir.compile(NET / "router.p4", executor="nativ")
    assert caught.value.suggestion == "native"
