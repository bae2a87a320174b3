"""Queues of switches that follow links: the places and numbers of waiting packets, and the
options."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import weir
from weir import qdisc
from weir.topology import Topology, shapes

DEPTHS = Path(__file__).parent / "net/depths.p4"
GROWING = Path(__file__).parent / "net/growing.p4"
ROUTER = Path(__file__).parent / "net/router.p4"

# The transmission times of a packet of 1250 bytes at 10 Mbit/s and at 100 Mbit/s.
SLOW_NS, FAST_NS = 1_000_000, 100_000


@pytest.fixture(scope="module")
def depths() -> weir.Program:
    return weir.compile(DEPTHS)


def pair(rate: str | None = "10Mbit", queue: Any = None, **switch: Any) -> Topology:
    """A topology of h1, at 100 Mbit/s, and h2 on s1."""
    topo = Topology()
    topo.add_host("h1", ip="10.0.0.1/24", arp={"10.0.0.2": "08:00:00:00:00:02"})
    topo.add_host("h2", ip="10.0.0.2/24", arp={"10.0.0.1": "08:00:00:00:00:01"})
    topo.add_switch("s1", **switch)
    topo.add_link("h1", "s1-p1", rate="100Mbit")
    topo.add_link("h2", "s1-p2", rate=rate, queue=queue)
    return topo


def burst(net: weir.Network, count: int) -> list[int]:
    """Sends packets of 1250 bytes back to back from h1; returns the times at which they arrive at
    h2."""
    sniffer = net.host("h2").sniff("udp")
    frame = bytes.fromhex("080000000002 080000000001 0800 4500 04d4 0000 0000 4011 0000 0a000001 0a000002")
    for _ in range(count):
        net.host("h1").send(frame.ljust(1250, b"\0"))
    net.run_for("1s")
    return [arrival.time_ns for arrival in sniffer.frames]


def seen(net: weir.Network) -> tuple[int, int, int]:
    """The largest enq_qdepth, deq_qdepth and deq_timedelta that a packet to h2 had."""
    s1 = net.switch("s1")
    names = ("max_enqueued", "max_dequeued", "max_microseconds")
    most_enqueued, most_dequeued, microseconds = (s1.register(f"MyEgress.{name}")[0] for name in names)
    return most_enqueued, most_dequeued, microseconds


def port_queue(net: weir.Network, port: int = 2) -> tuple[str | None, int]:
    """The rate and the depth of a port's queues."""
    [queue, *_] = net.switch("s1").queues(port)
    return queue.port_rate, queue.depth


def test_packets_to_a_slow_link_wait_in_the_switch(depths: weir.Program):
    with weir.Network(pair(), depths) as net:
        assert (port_queue(net, 1), port_queue(net)) == (("100Mbit", 1000), ("10Mbit", 1000))
        sampler = net.sample("s1-p2", every="100us")
        times = burst(net, 20)
        assert [after - before for before, after in pairwise(times)] == [SLOW_NS] * 19
        # The 20th packet comes 19 fast times after the first. By then two packets have left, and 17
        # wait before it. It leaves when 19 slow times have passed.
        assert seen(net) == (17, 17, (19 * SLOW_NS - 19 * FAST_NS) // 1000)
        assert sampler.switch_queue().max == 18
        assert sampler.samples().link_queue.max == 0
        assert sampler.queue().max == 18


def test_without_a_queue_rate_packets_wait_at_the_link(depths: weir.Program):
    with weir.Network(pair(queue_rate=None), depths) as net:
        assert port_queue(net) == (None, 64)
        sampler = net.sample("s1-p2", every="100us")
        assert len(burst(net, 20)) == 20
        assert seen(net) == (0, 0, 0)
        assert (sampler.switch_queue().max, sampler.samples().link_queue.max) == (0, 18)
        assert sampler.queue().max == 18


@pytest.mark.parametrize("queue", [None, "1000p", "8p", "0p"])
@pytest.mark.parametrize("rate", ["10Mbit", "3333333bit", "99Mbit"])
def test_packets_arrive_at_the_same_times_wherever_they_wait(
    depths: weir.Program, queue: str | None, rate: str
):
    arrivals = []
    for queue_rate in ("link", None):
        with weir.Network(pair(rate, queue, queue_rate=queue_rate), depths) as net:
            arrivals.append(burst(net, 60))
            assert net.audit().balances
    # Where a transmission takes a fraction of a nanosecond, the switch and the link both round up.
    rounding = 0 if rate == "10Mbit" else 1
    for one, other in zip(*arrivals, strict=True):
        assert 0 <= one - other <= rounding
    assert (len(arrivals[0]) < 60) == (queue == "0p" or (queue == "8p" and rate != "99Mbit"))


def test_bytes_that_egress_adds_take_time_in_the_queue():
    waits = []
    for queue_rate in ("link", None):
        with weir.Network(pair(queue_rate=queue_rate), weir.compile(GROWING)) as net:
            arrivals = burst(net, 30)
            # The last of 30 packets comes in at 30 x 0.1 ms and has left when 30 x 1650 bytes have.
            assert all(later - sooner == SLOW_NS * 1650 // 1250 for sooner, later in pairwise(arrivals))
            waits.append((net.switch("s1").register("MyEgress.max_microseconds")[0], arrivals))
    assert waits[0][1] == waits[1][1]
    assert waits[0][0] == 29 * (1320 - 100)
    assert waits[1][0] == 0


def test_queues_follow_their_links(depths: weir.Program):
    with weir.Network(pair(rate=None), depths) as net:
        link, interface = net.link("h2", "s1"), net.interface("s1-p2")
        assert port_queue(net) == (None, 64)
        for rate in ("1.5Mbit", None, "64kbit"):
            link.rate = rate
            assert port_queue(net)[0] == rate
        link.queue = "50p"
        assert port_queue(net) == ("64kbit", 50)
        interface.qdisc = "20p"
        assert port_queue(net) == ("64kbit", 20)
        # Packets wait in the place where a discipline, or a limit in bytes, sees them.
        for discipline in (qdisc.Red("400kB"), "64kB", qdisc.Fifo("30p")):
            interface.qdisc = discipline
            assert port_queue(net)[0] == ("64kbit" if isinstance(discipline, qdisc.Fifo) else None)
        net.tc("s1", "qdisc add dev s1-p2 root netem delay 5ms")
        assert port_queue(net) == (None, 30)
        net.tc("s1", "qdisc del dev s1-p2 root")
        assert port_queue(net) == ("64kbit", 30)
        assert port_queue(net, 1) == ("100Mbit", 1000)


def test_a_discipline_of_the_link_gets_the_packets(depths: weir.Program):
    with weir.Network(pair(queue=qdisc.Codel()), depths) as net:
        assert port_queue(net) == (None, 64)
        assert len(burst(net, 20)) == 20
        assert seen(net) == (0, 0, 0)


def test_depths_and_rates_that_are_given_win(depths: weir.Program):
    with weir.Network(pair(queue="50p", queue_depth=5), depths) as net:
        assert port_queue(net) == ("10Mbit", 5)
        assert len(burst(net, 20)) < 20
        net.link("h2", "s1").queue = "70p"
        assert port_queue(net) == ("10Mbit", 5)
    with weir.Network(pair(queue_rate="5Mbit"), depths) as net:
        assert port_queue(net) == ("5Mbit", 64)
        net.link("h2", "s1").rate = "1Mbit"
        assert port_queue(net) == ("5Mbit", 64)


def test_settings_of_commands_stay_when_links_change(depths: weir.Program, tmp_path: Path):
    commands = tmp_path / "commands.txt"
    commands.write_text("set_queue_rate 7 2\nset_queue_depth 9 2\n")
    with weir.Network(pair(commands=commands), depths) as net:
        assert (port_queue(net, 1), port_queue(net)) == (("100Mbit", 1000), ("7pps", 9))
        link = net.link("h2", "s1")
        link.rate, link.queue = "1Mbit", "100p"
        assert port_queue(net) == ("7pps", 9)
        net.switch("s1").set_queue_rate(None)
        assert port_queue(net, 1) == (None, 1000)


def test_topology_files_choose_where_packets_wait(tmp_path: Path):
    def load(**switch: Any) -> Topology:
        document = {
            "hosts": {
                name: {"ip": f"10.0.0.{last}/24", "mac": f"08:00:00:00:00:0{last}"}
                for name, last in (("h1", 1), ("h2", 2))
            },
            "switches": {"s1": switch},
            "links": [["h1", "s1-p1", 0, None], ["h2", "s1-p2", 1, 0.5]],
        }
        path = tmp_path / "topology.json"
        path.write_text(json.dumps(document))
        return Topology.load(path)

    for switch, rate in (
        ({}, "500kbit"),
        ({"queue_rate": "auto"}, "500kbit"),
        ({"queue_rate": "link"}, "500kbit"),
        ({"queue_rate": None}, None),
        ({"queue_rate": "2Mbit"}, "2Mbit"),
    ):
        with weir.Network(load(**switch), DEPTHS) as net:
            assert port_queue(net)[0] == rate
            assert port_queue(net, 1)[0] == (None if switch.get("queue_rate") != "2Mbit" else "2Mbit")


@pytest.mark.parametrize("shape", [shapes.star, shapes.chain, shapes.dumbbell, shapes.fat_tree])
def test_generators_choose_where_packets_wait(shape: Any):
    for given, rate in (({}, None), ({"queue_rate": "link"}, "1Gbit"), ({"queue_rate": None}, None)):
        with weir.Network(shape(2, **given), ROUTER) as net:
            queues = [
                queue for switch in net.switches for port in switch.ports for queue in switch.queues(port)
            ]
            assert {queue.port_rate for queue in queues} == {rate}


EMPTY = """
control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {{
    {locals}
    apply {{ {apply} }}
}}
"""


def with_egress(folder: Path, locals: str, apply: str) -> weir.Program:
    """The router with another egress."""
    before, rest = DEPTHS.read_text().split("control MyEgress")
    _, after = rest.split("control MyCompute")
    path = folder / "program.p4"
    path.write_text(f"{before}{EMPTY.format(locals=locals, apply=apply)}control MyCompute{after}")
    return weir.compile(path)


def test_packets_are_stamped_before_they_wait_for_a_pass(tmp_path: Path):
    age = "hdr.ethernet.srcAddr = standard_metadata.egress_global_timestamp - standard_metadata.ingress_global_timestamp;"
    program = with_egress(tmp_path, "", age)
    with weir.Network(pair("1Gbit"), program, profile="bmv2-vm") as net:
        at_h2 = net.host("h2").sniff("udp")
        burst(net, 6)
        ages = [int.from_bytes(bytes(frame)[6:12]) for frame in at_h2.frames]
    # Packets come every 100 us, and a pass starts every 312.5 us.
    assert ages == [pytest.approx(312.5 + number * (1e6 / 3200 - 100), abs=1) for number in range(6)]


@pytest.mark.parametrize(
    ("locals", "apply", "sees"),
    [
        ("", "", False),
        ("", "hdr.ethernet.srcAddr = (bit<48>) standard_metadata.egress_port;", False),
        ("", "hdr.ethernet.srcAddr = standard_metadata.ingress_global_timestamp;", False),
        (
            "",
            "hash(hdr.ethernet.etherType, HashAlgorithm.crc16, 16w0, { hdr.ethernet.srcAddr }, 32w7);",
            False,
        ),
        ("", "mark_to_drop(standard_metadata);", False),
        ("", "recirculate_preserving_field_list(0);", False),
        ("", "clone(CloneType.E2E, 7);", False),
        ("", 'log_msg("{}", { standard_metadata.egress_port });', False),
        ("", 'log_msg("{}", { standard_metadata.deq_timedelta });', True),
        (
            "table t { key = { standard_metadata.enq_qdepth: range; } actions = { NoAction; } }",
            "t.apply();",
            True,
        ),
        ("", "hdr.ethernet.srcAddr = (bit<48>) standard_metadata.enq_qdepth;", True),
        ("", "hdr.ethernet.srcAddr = (bit<48>) standard_metadata.deq_qdepth;", True),
        ("", "hdr.ethernet.srcAddr = (bit<48>) standard_metadata.enq_timestamp;", True),
        ("", "hdr.ethernet.srcAddr = standard_metadata.egress_global_timestamp;", True),
        ("", "if (standard_metadata.deq_timedelta > 9) { mark_to_drop(standard_metadata); }", True),
        (
            "action mark() { hdr.ethernet.srcAddr = (bit<48>) standard_metadata.enq_qdepth; }",
            "if (hdr.ethernet.etherType == 7) { mark(); }",
            True,
        ),
        ("counter(1, CounterType.packets) all;", "all.count(0);", False),
        ("table t { actions = { NoAction; } default_action = NoAction(); }", "t.apply();", False),
    ],
)
def test_packets_wait_in_the_switch_where_the_program_can_tell(
    tmp_path: Path, locals: str, apply: str, sees: bool
):
    program = with_egress(tmp_path, locals, apply)
    for given, waits in (
        ({}, sees),
        ({"queue_rate": "link"}, True),
        ({"queue_rate": None}, False),
        ({"queue_depth": 64}, True),
        ({"priorities": 2}, True),
        ({"queue_rate": None, "queue_depth": 64}, False),
    ):
        with weir.Network(pair(**given), program) as net:
            assert port_queue(net)[0] == ("10Mbit" if waits else None)


def test_a_wrong_queue_rate_is_refused():
    with pytest.raises(weir.UnitError, match=r'neither "auto", "link" nor a rate .*; did you mean "link"'):
        Topology().add_switch("s1", queue_rate="lnk")
    with pytest.raises(weir.UnitError, match="lets nothing through"):
        Topology().add_switch("s1", queue_rate="0Mbit")
