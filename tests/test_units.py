"""Quantities: valid texts, messages about invalid ones, and reading back."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import weir
from weir import impairments, qdisc, units
from weir.errors import UnitError
from weir.topology import Topology, shapes


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("20ms", 20_000_000),
        ("5us", 5_000),
        ("5µs", 5_000),
        ("1.5s", 1_500_000_000),
        ("0ms", 0),
        ("7ns", 7),
        (" 3 ms ", 3_000_000),
        ("2min", 120_000_000_000),
        ("1h", 3_600_000_000_000),
    ],
)
def test_times(text: str, nanoseconds: int):
    assert units.time_ns(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        ("10Mbit", 10_000_000),
        ("1Gbit", 1_000_000_000),
        ("64kbit", 64_000),
        ("9600bit", 9600),
        ("2.5Gbit/s", 2_500_000_000),
        ("100Mbps", 100_000_000),
        ("10mbit", 10_000_000),
        ("1Tbit", 10**12),
    ],
)
def test_rates(text: str, bits: int):
    assert units.rate_bps(text) == bits


@pytest.mark.parametrize(
    ("text", "size"),
    [("1500B", 1500), ("64kB", 64_000), ("1MiB", 1_048_576), ("8kbit", 1000), ("1.5kB", 1500), ("0B", 0)],
)
def test_sizes_in_bytes(text: str, size: int):
    assert units.size_bytes(text) == size


def test_queues_are_limited_in_packets_or_bytes():
    assert units.queue("100p") == (100, None)
    assert units.queue(" 64 kB ") == (None, 64_000)
    assert units.packets("7p") == 7


@pytest.mark.parametrize(("text", "part"), [("1%", 0.01), ("0%", 0.0), ("100%", 1.0), ("0.5%", 0.005)])
def test_shares(text: str, part: float):
    assert units.share(text) == part


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (units.rate_bps, 10, 'rate: a bare number 10 has no unit; did you mean "10Mbit"?'),
        (units.rate_bps, "10", "rate '10' has no unit; did you mean \"10Mbit\"?"),
        (units.rate_bps, 10e6, 'rate: a bare number 10000000.0 has no unit; did you mean "10Mbit"?'),
        (
            units.rate_bps,
            2_500_000_000,
            'rate: a bare number 2500000000 has no unit; did you mean "2.5Gbit"?',
        ),
        (units.rate_bps, "10e6", "rate '10e6' has no unit; did you mean \"10Mbit\"?"),
        (units.rate_bps, 100_000, 'rate: a bare number 100000 has no unit; did you mean "0.1Mbit"?'),
        (units.share, "0.01", 'share \'0.01\' has no unit; did you mean "1%" or "0.01%"?'),
        (
            units.rate_bps,
            "10Mbyte",
            "unknown unit 'Mbyte' in rate '10Mbyte': use bit, kbit, Mbit, Gbit or Tbit (per second)",
        ),
        (
            units.rate_bps,
            "0Mbit",
            "rate '0Mbit' lets nothing through: a rate must be above zero (None means unlimited)",
        ),
        (units.rate_bps, "-1Mbit", "rate '-1Mbit' is negative"),
        (units.rate_bps, "fast", "cannot read rate 'fast': expected a number and a unit, such as \"10Mbit\""),
        (units.rate_bps, "1e3Mbit", "cannot read rate '1e3Mbit'"),
        (units.rate_bps, "0.5bit", "rate '0.5bit' is finer than a bit per second"),
        (units.rate_bps, "99999Tbit", "rate '99999Tbit' is too large"),
        (units.rate_bps, None, 'expected a rate such as "10Mbit", found NoneType'),
        (units.rate_bps, True, 'expected a rate such as "10Mbit", found bool'),
        (units.time_ns, 5, 'time: a bare number 5 has no unit; did you mean "5ms"?'),
        (units.time_ns, 0.5, 'time: a bare number 0.5 has no unit; did you mean "0.5ms"?'),
        (units.time_ns, "5", "time '5' has no unit; did you mean \"5ms\"?"),
        (units.time_ns, "5sec", "unknown unit 'sec' in time '5sec': use ns, us, ms, s, min or h"),
        (units.time_ns, "-5ms", "time '-5ms' is negative"),
        (units.time_ns, "0.5ns", "time '0.5ns' is finer than a nanosecond"),
        (units.time_ns, "999999999999h", "time '999999999999h' is too large"),
        (units.time_ns, "", "cannot read time ''"),
        (units.share, 0.01, 'share: a bare number 0.01 has no unit; did you mean "1%" or "0.01%"?'),
        (units.share, 0.125, 'share: a bare number 0.125 has no unit; did you mean "12.5%" or "0.125%"?'),
        (units.share, 1, 'share: a bare number 1 has no unit; did you mean "1%"?'),
        (units.share, "1", "share '1' has no unit; did you mean \"1%\"?"),
        (units.share, "101%", "share '101%' is outside 0% to 100%"),
        (units.share, "-1%", "share '-1%' is outside 0% to 100%"),
        (units.share, "1ms", "unknown unit 'ms' in share '1ms': use %"),
        (units.size_bytes, 1500, 'size: a bare number 1500 has no unit; did you mean "1500B"?'),
        (units.size_bytes, "1500", "size '1500' has no unit; did you mean \"1500B\"?"),
        (units.size_bytes, "3bit", "size '3bit' is finer than a byte"),
        (units.size_bytes, "1p", "unknown unit 'p' in size '1p'"),
        (units.packets, 100, 'packets: a bare number 100 has no unit; did you mean "100p"?'),
        (units.packets, "0.5p", "packets '0.5p' is finer than a packet"),
        (units.packets, "1kB", "unknown unit 'kB' in packets '1kB': use p (packets)"),
        (units.queue, 100, 'queue: a bare number 100 has no unit; did you mean "100p"?'),
        (units.queue, "64", "queue '64' has no unit; did you mean \"64p\"?"),
        (units.queue, "5ms", "unknown unit 'ms' in queue '5ms': use p (packets) or a size's unit such as kB"),
        (units.queue, "-1p", "queue '-1p' is negative"),
        (
            units.queue,
            "fq",
            "queue 'fq' names a queueing discipline: expected a limit such as \"100p\", or weir.qdisc.Fq(…)",
        ),
        (units.queue, "fq_codel limit 100", "queue 'fq_codel limit 100' names a queueing discipline"),
        (units.time_ns, "-5", "time '-5' is negative, and has no unit: expected one such as \"1ms\""),
    ],
)
def test_wrong_quantities(read, value, message: str):
    with pytest.raises(UnitError) as caught:
        read(value)
    assert str(caught.value).startswith(message)


def test_messages_name_the_quantity():
    with pytest.raises(UnitError, match="delay '1x'"):
        units.time_ns("1x", "delay")


@pytest.mark.parametrize("nanoseconds", [0, 1, 999, 1_000, 1_500, 20_000_000, 10**9, 90 * 10**9, 123_456_789])
def test_times_are_read_back(nanoseconds: int):
    assert units.time_ns(units.format_time(nanoseconds)) == nanoseconds


@pytest.mark.parametrize("bits", [1, 999, 1_000, 10_000_000, 2_500_000_000, 10**12, 1_234_567])
def test_rates_are_read_back(bits: int):
    assert units.rate_bps(units.format_rate(bits)) == bits


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (units.format_time(20_000_000), "20ms"),
        (units.format_time(1_500_000_000), "1.5s"),
        (units.format_rate(10_000_000), "10Mbit"),
        (units.format_rate(None), "unlimited"),
        (units.format_share(0.01), "1%"),
        (units.format_share(0.0), "0%"),
        (units.format_share(0.005), "0.5%"),
    ],
)
def test_quantities_are_shown_with_units(shown: str, text: str):
    assert shown == text


@pytest.fixture(scope="module")
def net() -> Iterator[weir.Network]:
    """A network of h1 linked to h2, and h3 linked to a switch."""
    topo = Topology()
    topo.add_host("h1", ip="10.0.0.1/24")
    topo.add_host("h2", ip="10.0.0.2/24")
    topo.add_switch("s1", p4=Path(__file__).parent / "net" / "router.p4")
    topo.add_host("h3", ip="10.0.1.1/24")
    topo.add_link("h1", "h2")
    topo.add_link("h3", "s1-p1")
    with weir.Network(topo) as network:
        yield network


def set_on_link(name: str, value: object) -> Callable[[weir.Network], object]:
    return lambda net: setattr(net.link("h1", "h2"), name, value)


def set_queue(value: object) -> Callable[[weir.Network], object]:
    return lambda net: setattr(net.interface("h1"), "qdisc", value)


def add(**settings: object) -> Callable[[weir.Network], object]:
    def call(net: weir.Network) -> None:
        topo = Topology()
        topo.add_host("h1", ip="10.0.0.1/24")
        topo.add_host("h2", ip="10.0.0.2/24")
        topo.add_link("h1", "h2", **settings)  # type: ignore[arg-type]

    return call


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        # Topologies.
        (lambda _: Topology().add_host("h1", ip="10.0.0.1/24", processing=5), "5ms"),
        (lambda _: Topology().add_host("h1", ip="10.0.0.1/24", processing_jitter="5"), "5ms"),
        (lambda _: Topology().add_host("h1", ip="10.0.0.1/24", mtu=1500), "1500B"),
        (lambda _: Topology().add_switch("s1", queue_rate=10), "10Mbit"),
        (lambda _: shapes.dumbbell(1, rate=10), "10Mbit"),
        (lambda _: shapes.dumbbell(1, middle_rate="10"), "10Mbit"),
        (lambda _: shapes.dumbbell(1, edge_delay=1), "1ms"),
        (lambda _: shapes.dumbbell(1, middle_delay=1), "1ms"),
        (lambda _: shapes.star(1, delay=1), "1ms"),
        (lambda _: shapes.chain(1, queue=10), "10p"),
        (lambda _: shapes.fat_tree(2, rate=1.5), "1.5Mbit"),
        (add(rate=10), "10Mbit"),
        (add(delay=5), "5ms"),
        (add(loss=0.5), '50%" or "0.5%'),
        (add(jitter="2"), "2ms"),
        (add(duplicate=1), "1%"),
        (add(corrupt=1), "1%"),
        (add(reorder=("1%", 5)), "5ms"),
        (add(reorder=(1, "5ms")), "1%"),
        (add(queue=100), "100p"),
        (add(mtu=1500), "1500B"),
        # Links that run.
        (set_on_link("rate", 10), "10Mbit"),
        (set_on_link("delay", 5), "5ms"),
        (set_on_link("loss", 0.1), '10%" or "0.1%'),
        (set_on_link("jitter", 5), "5ms"),
        (set_on_link("duplicate", "1"), "1%"),
        (set_on_link("corrupt", 1), "1%"),
        (set_on_link("reorder", ("1%", 5)), "5ms"),
        (set_on_link("queue", "64"), "64p"),
        (set_on_link("mtu", 1500), "1500B"),
        (set_on_link("jitter", impairments.Uniform(1)), "1ms"),
        (set_on_link("jitter", impairments.UniformAround(1)), "1ms"),
        (set_on_link("jitter", impairments.Normal(1)), "1ms"),
        (set_on_link("jitter", impairments.Exponential(1)), "1ms"),
        (set_on_link("jitter", impairments.Pareto(1, 3.0)), "1ms"),
        (set_on_link("jitter", impairments.ParetoAround(1)), "1ms"),
        (set_on_link("jitter", impairments.ParetoNormalAround(1)), "1ms"),
        (set_on_link("jitter", impairments.Table(["1ms", 2])), "2ms"),
        (set_on_link("loss", impairments.GilbertElliott(1, "10%")), "1%"),
        (set_on_link("loss", impairments.FourState("1%", 10)), "10%"),
        (set_on_link("correlation", impairments.Correlation(jitter=25)), "25%"),
        # Queueing disciplines.
        (set_queue(100), "100p"),
        (set_queue(qdisc.Fifo(100)), "100p"),
        (set_queue(qdisc.Tbf(1, "2kB", "64kB")), "1Mbit"),
        (set_queue(qdisc.Tbf("1Mbit", 2000, "64kB")), "2000B"),
        (set_queue(qdisc.Tbf("1Mbit", "2kB", 64000)), "64000B"),
        (set_queue(qdisc.Tbf("1Mbit", "2kB", latency=5)), "5ms"),
        (set_queue(qdisc.Fq(limit=100)), "100p"),
        (set_queue(qdisc.Fq(flow_limit="100")), "100p"),
        (set_queue(qdisc.Fq(quantum=3028)), "3028B"),
        (set_queue(qdisc.Fq(initial_quantum=3028)), "3028B"),
        (set_queue(qdisc.Fq(maxrate=20)), "20Mbit"),
        (set_queue(qdisc.Fq(horizon=10)), "10s"),
        (set_queue(qdisc.Fq(ce_threshold=1)), "1ms"),
        (set_queue(qdisc.Tbf("1Mbit", "2kB", "64kB", peakrate=2, mtu="1500B")), "2Mbit"),
        (set_queue(qdisc.Tbf("1Mbit", "2kB", "64kB", peakrate="2Mbit", mtu=1500)), "1500B"),
        (set_queue(qdisc.Codel(limit=100)), "100p"),
        (set_queue(qdisc.Codel(target=5)), "5ms"),
        (set_queue(qdisc.Codel(interval="100")), "100ms"),
        (set_queue(qdisc.Codel(ce_threshold=1)), "1ms"),
        (set_queue(qdisc.FqCodel(limit=100)), "100p"),
        (set_queue(qdisc.FqCodel(target=5)), "5ms"),
        (set_queue(qdisc.FqCodel(interval=100)), "100ms"),
        (set_queue(qdisc.FqCodel(ce_threshold=1)), "1ms"),
        (set_queue(qdisc.FqCodel(quantum=1514)), "1514B"),
        (set_queue(qdisc.FqCodel(memory_limit=4000)), "4000B"),
        (set_queue(qdisc.FqCodel(drop_batch=64)), "64p"),
        (set_queue(qdisc.Red(400000)), "400000B"),
        (set_queue(qdisc.Red("400kB", avpkt=1000)), "1000B"),
        (set_queue(qdisc.Red("400kB", min=30000)), "30000B"),
        (set_queue(qdisc.Red("400kB", max="90000")), "90000B"),
        (set_queue(qdisc.Red("400kB", burst=55)), "55p"),
        (set_queue(qdisc.Red("400kB", probability=2)), "2%"),
        (set_queue(qdisc.Red("400kB", bandwidth=10)), "10Mbit"),
        (set_queue(qdisc.Netem(packet_overhead=20)), "20B"),
        (set_queue(qdisc.Netem(packet_overhead="-4")), "4B"),
        (set_queue(qdisc.Netem(cell_size=48)), "48B"),
        (set_queue(qdisc.Netem(cell_overhead=5)), "5B"),
        (set_queue(qdisc.Netem(slot=qdisc.Slot(20))), "20ms"),
        (set_queue(qdisc.Netem(slot=qdisc.Slot("20ms", 30))), "30ms"),
        (set_queue(qdisc.Netem(slot=qdisc.Slot("20ms", packets=3))), "3p"),
        (set_queue(qdisc.Netem(slot=qdisc.Slot("20ms", bytes=3000))), "3000B"),
        (set_queue(qdisc.Netem(delay=5)), "5ms"),
        (set_queue(qdisc.Netem(jitter="5")), "5ms"),
        (set_queue(qdisc.Netem(loss=1)), "1%"),
        (set_queue(qdisc.Netem(duplicate=1)), "1%"),
        (set_queue(qdisc.Netem(corrupt=1)), "1%"),
        (set_queue(qdisc.Netem(delay="5ms", reorder=(25, 5))), "25%"),
        (set_queue(qdisc.Netem(rate=5)), "5Mbit"),
        (set_queue(qdisc.Netem(limit=5)), "5p"),
        (set_queue(qdisc.Htb([qdisc.HtbClass("a", 5)])), "5Mbit"),
        (set_queue(qdisc.Htb([qdisc.HtbClass("a", "5Mbit", ceil=6)])), "6Mbit"),
        (set_queue(qdisc.Htb([qdisc.HtbClass("a", "5Mbit", burst=1600)])), "1600B"),
        (set_queue(qdisc.Htb([qdisc.HtbClass("a", "5Mbit", cburst="1600")])), "1600B"),
        (set_queue(qdisc.Htb([qdisc.HtbClass("a", "5Mbit", quantum=1514)])), "1514B"),
        (set_queue(qdisc.Htb([qdisc.HtbClass("a", "5Mbit", queue=10)])), "10p"),
        (lambda net: net.switch("s1").set_queue_rate(1000), "1000pps"),
        (lambda net: net.switch("s1").set_queue_rate("1000", 1), "1000pps"),
        # Time.
        (lambda net: net.run_for(5), "5s"),
        (lambda net: net.at("5", print), "5s"),
        (lambda net: net.after(5, print), "5s"),
        (lambda net: net.sample("h1", every=10), "10ms"),
        (lambda net: net.ping_all(timeout=1), "1s"),
        # Traffic.
        (lambda net: net.host("h1").ping("h2", interval=1), "1s"),
        (lambda net: net.host("h1").ping("h2", timeout="1"), "1s"),
        (lambda net: net.host("h1").iperf("h2", rate=10), "10Mbit"),
        (lambda net: net.host("h1").iperf("h2", udp=True, rate="10"), "10Mbit"),
        (lambda net: net.host("h1").iperf("h2", duration=10), "10s"),
        (lambda net: net.host("h1").iperf("h2", size=1000), "1000B"),
        (lambda net: net.host("h1").iperf("h2", udp=True, length=1000), "1000B"),
        (lambda net: net.host("h1").iperf("h2", interval=1), "1s"),
        (lambda net: net.host("h1").iperf("h2", udp=True, linger=1), "1s"),
        (lambda net: net.host("h1").iperf("h2", mss=1000), "1000B"),
        (lambda net: net.host("h1").iperf("h2", window=64000), "64000B"),
        (lambda net: net.host("h1").requests("h2", request=100), "100B"),
        (lambda net: net.host("h1").requests("h2", response="100"), "100B"),
        (lambda net: net.host("h1").requests("h2", think=1), "1s"),
        (lambda net: net.host("h1").transfers("h2", every=10), "10ms"),
        (lambda net: net.host("h1").transfers("h2", size=["10kB", 20]), "20B"),
        (lambda net: net.host("h1").start_poisson("h2", 1), "1Mbit"),
        (lambda net: net.host("h1").start_on_off("h2", "1Mbit", on=1, off="1ms"), "1ms"),
        (lambda net: net.host("h1").start_on_off("h2", "1Mbit", on="1ms", off=1), "1ms"),
    ],
)
def test_bare_numbers_are_refused_everywhere(
    net: weir.Network, call: Callable[[weir.Network], object], meant: str
):
    with pytest.raises(UnitError) as caught:
        call(net)
    assert str(caught.value).endswith(f'has no unit; did you mean "{meant}"?')


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        # tc's own units: bits per second, bytes, microseconds.
        ("qdisc replace dev eth0 root fq maxrate 1000000", "fq limit 10000 flow_limit 100 quantum 3028b maxrate 1mbit"),
        ("qdisc replace dev eth0 root bfifo limit 3000", "bfifo limit 3000b"),
        ("qdisc replace dev eth0 root netem delay 1000", "netem limit 1000 delay 1ms"),
        ("qdisc replace dev eth0 root netem delay 1ms loss 0.5", "netem limit 1000 delay 1ms loss 0.5%"),
    ],
)  # fmt: skip
def test_tc_keeps_its_own_units(net: weir.Network, command: str, shown: str):
    net.host("h1").tc(command)
    assert net.interface("h1").qdisc == shown
    net.host("h1").tc("qdisc del dev eth0 root")


def test_tutorial_numbers_keep_their_units(tmp_path: Path):
    text = """{"hosts": {"h1": {"ip": "10.0.0.1/24", "mac": "08:00:00:00:00:01"}, "h2": {"ip": "10.0.0.2/24", "mac": "08:00:00:00:00:02"}},
        "switches": {"s1": {}}, "links": [["h1", "s1-p1", 5, 0.5], ["h2", "s1-p2", "0", "2Mbit"]]}"""
    path = tmp_path / "topology.json"
    path.write_text(text)
    one, two = Topology.load(path).links
    # A bare latency is milliseconds, a bare bandwidth megabits per second.
    assert (one.delay_ns, one.rate_bps) == (5_000_000, 500_000)
    assert (two.delay_ns, two.rate_bps) == (0, 2_000_000)
