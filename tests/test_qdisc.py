"""Queueing disciplines in Python: as classes, by ``tc``, with marking, with mistakes."""

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest

import weir
from weir import qdisc
from weir.topology import Topology, shapes

NET = Path(__file__).parent / "net"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> weir.Program:
    """The router of tests/net with a table large enough for all shapes."""
    path = tmp_path_factory.mktemp("program") / "router.p4"
    path.write_text((NET / "router.p4").read_text().replace("size = 4;", "size = 1024;"))
    return weir.compile(path)


def star() -> Topology:
    """A network of h1 and h2 at s1."""
    return shapes.star(2, rate="10Mbit", delay="1ms")


def ping(net: weir.Network, count: int, size: int = 56) -> weir.PingResult:
    return net.host("h1").ping("h2", count=count, interval="50ms", size=size, timeout="2s")


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        (qdisc.Codel(), "codel"),
        (
            qdisc.Codel("50p", target="2ms", interval="20ms", ecn=True, ce_threshold="1ms"),
            "codel limit 50 target 2ms interval 20ms ecn ce_threshold 1ms",
        ),
        (qdisc.FqCodel(), "fq_codel"),
        (
            qdisc.FqCodel("100p", "2ms", "20ms", False, "1ms", 64, "300B", "4MiB", "8p"),
            "fq_codel limit 100 target 2ms interval 20ms noecn ce_threshold 1ms flows 64 quantum 300 "
            "memory_limit 4mb drop_batch 8",
        ),
        (qdisc.DualPi2(), "dualpi2"),
        (
            qdisc.DualPi2("50p", "10ms", "20ms", 0.25, 2.5, 3, "2ms", "20%", drop_on_overload=False),
            "dualpi2 limit 50 target 10ms tupdate 20ms alpha 0.25 beta 2.5 coupling_factor 3 "
            "step_thresh 2ms classic_protection 20% overflow",
        ),
        (qdisc.Red("400kB"), "red limit 400000 avpkt 1000"),
        (
            qdisc.Red(
                "400kB",
                "1500B",
                "30kB",
                "90kB",
                "55p",
                "10%",
                "5Mbit",
                ecn=True,
                harddrop=True,
                adaptive=True,
            ),
            "red limit 400000 avpkt 1500 min 30000 max 90000 burst 55 probability 0.1 bandwidth 5mbit ecn "
            "harddrop adaptive",
        ),
        (qdisc.Red("400kB", ecn=True, nodrop=True), "red limit 400000 avpkt 1000 ecn nodrop"),
        (qdisc.Fq(ce_threshold="2ms"), "fq ce_threshold 2ms"),
        (
            qdisc.Tbf("1Mbit", "10kB", latency="50ms", peakrate="2Mbit", mtu="1540B"),
            "tbf rate 1mbit burst 10000 latency 50ms peakrate 2mbit mtu 1540",
        ),
        (
            qdisc.Netem(rate="1Mbit", packet_overhead="-4B", cell_size="48B", cell_overhead="5B"),
            "netem rate 1mbit -4 48 5",
        ),
        (
            qdisc.Netem(slot=qdisc.Slot("1ms", "5ms", "3p", "3kB"), loss="1%", ecn=True, seed=7),
            "netem slot 1ms 5ms packets 3 bytes 3000 loss 1% ecn seed 7",
        ),
        (qdisc.Netem(slot=qdisc.Slot("1ms")), "netem slot 1ms"),
    ],
)
def test_classes_equal_tc_commands(typed: qdisc.Qdisc, command: str, program: weir.Program) -> None:
    with weir.Network(star(), program) as net:
        typed_one, by_command = net.interface("s1-p1"), net.interface("s1-p2")
        typed_one.qdisc = typed
        net.tc("s1", f"qdisc add dev s1-p2 root {command}")
        assert typed_one.qdisc == by_command.qdisc
        assert ping(net, 5, size=100).received >= 4


def test_ecn_avoids_losses(program: weir.Program):
    marking = [
        qdisc.Codel(ecn=True),
        qdisc.FqCodel(),
        qdisc.DualPi2(),
        qdisc.Red("400kB", min="15kB", max="60kB", probability="10%", ecn=True),
        qdisc.Netem(delay="1ms", loss="0.5%", ecn=True),
    ]
    for one in marking:
        with weir.Network(star(), program) as net:
            net.link("h2", "s1").rate = "5Mbit"
            net.interface("s1-p2").qdisc = one
            sampler = net.sample("s1-p2", every="100ms")
            flow = net.host("h1").iperf("h2", duration="5s", ecn=True)
            assert sum(sampler.samples().marks.values) > 0 == sum(sampler.samples().drops.values)
            figures = net.tc("s1", "-s qdisc show dev s1-p2")
            assert (flow.retransmits, "dropped 0," in figures) == (0, True), figures
            if not isinstance(one, qdisc.Netem):
                assert "mark" in figures and "ecn_mark 0" not in figures and "marked 0" not in figures


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: qdisc.Tbf("1Mbit", "2kB", "64kB", peakrate="2Mbit"), "needs both peakrate and mtu"),
        (
            lambda: qdisc.Tbf("2Mbit", "2kB", "64kB", peakrate="1Mbit", mtu="2kB"),
            "tbf peakrate: 1000000 bit/s",
        ),
        (lambda: qdisc.Codel(interval="0s"), "codel interval: 0 ns"),
        (lambda: qdisc.Codel(ecn=1), "ecn: 1 is neither True nor False"),
        (lambda: qdisc.FqCodel(flows="many"), "flows: 'many' is not a whole number"),
        (lambda: qdisc.FqCodel(flows=0), "flows: 0 is out of range: expected 1 to 65536"),
        (lambda: qdisc.FqCodel(quantum="4GiB"), "expected less than 2 GiB"),
        (lambda: qdisc.FqCodel(quantum="100B"), "fq_codel quantum: 100 bytes"),
        (lambda: qdisc.DualPi2(alpha="0.1"), "alpha: '0.1' is not a number from 0 to 256"),
        (lambda: qdisc.DualPi2(beta=float("nan")), "beta: nan is not a number from 0 to 256"),
        (lambda: qdisc.DualPi2(coupling_factor=0), "coupling_factor: 0 is out of range"),
        (lambda: qdisc.DualPi2(classic_protection="2.5%"), "expected whole percent from 0% to 99%"),
        (lambda: qdisc.DualPi2(tupdate="1us"), "dualpi2 tupdate: 1000 ns"),
        (lambda: qdisc.Fq(quantum="4GiB"), "expected less than 2 GiB"),
        (lambda: qdisc.Fq(pacing="no"), "pacing: 'no' is neither True nor False"),
        (lambda: qdisc.Red("100kB", min="30kB", max="30kB"), "red min"),
        (lambda: qdisc.Red("100kB", nodrop=True), "nodrop without ecn"),
        (lambda: qdisc.Netem(ecn=True), "expected a loss"),
        (lambda: qdisc.Netem(seed=-1), "seed: -1 is out of range"),
        (lambda: qdisc.Netem(slot="20ms"), "expected a slot such as qdisc.Slot"),
        (lambda: qdisc.Netem(slot=qdisc.Slot("20ms", "10ms")), "netem slot: 10000000 ns at most"),
        (lambda: qdisc.Netem(packet_overhead="-4GiB"), "expected less than 2 GiB"),
        (lambda: qdisc.Netem(reorder=("25%", "5")), "reorder's gap: '5' is not a whole number"),
        (lambda: qdisc.Htb("a"), "expected a list of qdisc.HtbClass, found 'a'"),
        (
            lambda: qdisc.Htb([qdisc.HtbClass("a", "1Mbit", priority=8)]),
            "priority of class 'a': 8 is out of range",
        ),
        (
            lambda: qdisc.Htb([qdisc.HtbClass("a", "1Mbit")], filters=["udp"]),
            "expected a filter and a class such as",
        ),
    ],
)
def test_errors_are_reported(program: weir.Program, make: Callable[[], qdisc.Qdisc], message: str) -> None:
    with weir.Network(star(), program) as net, pytest.raises(weir.WeirError) as error:
        net.interface("h1").qdisc = make()
    assert message in str(error.value)


ODD = [
    None, True, 0, 1, -1, 2**70, 1.5, float("nan"), float("inf"), "", " ", "x", "0", "-1s", "0s", "1ns", "1e3s", "1Mbit",
    "0Mbit", "1B", "-1B", "9999GiB", "1p", "0p", "0%", "100%", "\x00", "é", b"", b"x", [], ["x"], [1], (), (1, 2), ("1%", 1), {}, object(),
    print, qdisc.Fifo(), qdisc.HtbClass, qdisc.Slot("1ms"), [qdisc.HtbClass("a", "1Mbit")], [("udp", "a")],
]  # fmt: skip


@pytest.mark.parametrize(
    "usual",
    [
        qdisc.Fifo(),
        qdisc.Tbf("1Mbit", "2kB", "64kB", peakrate="2Mbit", mtu="2kB"),
        qdisc.Fq(),
        qdisc.Codel(),
        qdisc.FqCodel(),
        qdisc.DualPi2(),
        qdisc.Red("400kB", ecn=True),
        qdisc.Netem(loss="1%", slot=qdisc.Slot("1ms")),
        qdisc.Htb([qdisc.HtbClass("a", "1Mbit")], [("udp", "a")], "a"),
    ],
)
def test_odd_settings_work_or_are_reported(usual: qdisc.Qdisc, program: weir.Program) -> None:
    def works_or_is_reported(make: Callable[[], qdisc.Qdisc]) -> None:
        try:
            net.interface("h1").qdisc = make()
        except weir.WeirError as error:
            assert "\n" not in str(error) and len(str(error)) > 10

    with weir.Network(star(), program) as net:
        for odd in ODD:
            for field in fields(usual):  # type: ignore[arg-type]
                works_or_is_reported(lambda name=field.name, odd=odd: replace(usual, **{name: odd}))  # type: ignore[misc]
            for field in fields(qdisc.Slot):
                slot = replace(qdisc.Slot("1ms"), **{field.name: odd})
                works_or_is_reported(lambda slot=slot: qdisc.Netem(slot=slot))  # type: ignore[misc]
            for field in fields(qdisc.HtbClass):
                of = replace(qdisc.HtbClass("a", "1Mbit"), **{field.name: odd})
                works_or_is_reported(lambda of=of: qdisc.Htb([of]))  # type: ignore[misc]
        net.interface("h1").qdisc = "100p"
        assert ping(net, 2).lost == 0
