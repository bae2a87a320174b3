"""CoDel of the lab pacing: the P4 program against RFC 8289, packet by packet and over a link."""

from __future__ import annotations

import random
from functools import cache
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from codel_model import Codel as Model, Waited

import weir
from weir_labs.pacing.codel import COUNT_BITS, Codel, control_law
from weir_labs.pacing.joining import sender_and_qdisc
from weir_labs.pacing.star import FOLDER, program, star

HERE = Path(__file__).parent
PASSES, DROPS, MARKS = 0, 1, 2


@cache
def asked() -> weir.Program:
    return weir.compile(HERE / "ask_codel.p4", include=[FOLDER])


def answers(packets: list[Waited], codel: Codel, can_be_marked: bool = False) -> list[int]:
    """The decision of the P4 program about each packet."""
    topology = weir.Topology()
    topology.add_host("h1", ip="10.0.0.1/24")
    topology.add_host("h2", ip="10.0.0.2/24")
    topology.add_switch("s1", entries={"target": "bmv2", "table_entries": codel.entries(2)})
    topology.add_link("h1", "s1-p1")
    topology.add_link("h2", "s1-p2")
    with weir.Network(topology, asked()) as net:
        seen = net.sniff("h2")
        for now, waited, behind in packets:
            values = (now, 6), (waited, 4), (behind, 2), (int(can_be_marked), 1), (0, 1)
            frame = bytes(12) + b"\x88\xb5" + b"".join(value.to_bytes(size) for value, size in values)
            net.host("h1").send(frame)
            net.run_for("1us")
        net.run_for("1ms")
        answer_bytes = [frame.data[27] for frame in seen.frames]
    assert len(answer_bytes) == len(packets)
    return answer_bytes


def gap(count: int, interval: int) -> int:
    """The value interval / sqrt(count), in us, of the entry for a count."""
    fits = [
        share
        for first, prefix, share in control_law()
        if count >> (COUNT_BITS - prefix) == first >> (COUNT_BITS - prefix)
    ]
    assert len(fits) == 1
    return interval * fits[0] >> 16


def test_the_control_law_is_the_inverse_of_a_root() -> None:
    for count in [*range(1, 2000), *range(2000, 1 << COUNT_BITS, 97), (1 << COUNT_BITS) - 1]:
        exact = 100_000 / sqrt(count)
        error = 0.008 * exact if count >= 64 else 0
        assert abs(gap(count, 100_000) - exact) <= error + 2, count


def random_packets(seed: int, number: int) -> list[Waited]:
    """The packets of a queue that fills and empties: it is long for a while, and then short."""
    rng = random.Random(seed)
    now, waited, wait = 1_000_000, 0.0, 0.0
    packets = []
    for _ in range(number):
        if rng.random() < 0.002:
            wait = rng.choice([0, 3_000, 6_000, 12_000, 40_000])
        now += rng.choice([10, 120, 121, 500, 1_200, 5_000])
        waited += 0.1 * (wait - waited) + rng.uniform(-600, 600)
        behind = 0 if waited < 100 else rng.choice([1, 2, 30, 30, 30, 30, 30, 500])
        packets.append(Waited(now, max(0, round(waited)), behind if rng.random() < 0.1 else max(2, behind)))
    return packets


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_same_packets_are_dropped_as_by_the_rfc(seed: int) -> None:
    target, interval = [(5_000, 100_000), (5_000, 20_000), (1_000, 10_000)][seed - 1]
    packets = random_packets(seed, 12_000)
    model = Model(packets, target, interval, lambda count: gap(count, interval))
    expected = model.run()
    given_answers = answers(packets, Codel(f"{target}us", f"{interval}us"))
    assert [place for place, answer in enumerate(given_answers) if answer] == expected
    assert DROPS in given_answers and MARKS not in given_answers and len(expected) >= 30


@pytest.mark.parametrize("ecn", [False, True])
@pytest.mark.parametrize("can_be_marked", [False, True])
def test_strikes_come_faster_and_faster(ecn: bool, can_be_marked: bool) -> None:
    # A packet each ms, and each has waited 6 ms.
    packets = [Waited(1_000_000 + 1000 * number, 6_000, 10) for number in range(500)]
    given_answers = answers(packets, Codel(ecn=ecn), can_be_marked)
    strikes = [number for number, answer in enumerate(given_answers) if answer]
    # 100 ms after the first; then 100 ms, 100 / sqrt(2) ms, 100 / sqrt(3) ms, ... later.
    due, expected = 100.0, [100]
    for count in range(1, 7):
        due += 100 / sqrt(count)
        expected.append(int(due) + 1)
    assert strikes[0] == 100 and strikes[1] == 200
    assert strikes[: len(expected)] == pytest.approx(expected, abs=1)
    assert set(given_answers) == {PASSES, MARKS if ecn and can_be_marked else DROPS}


@pytest.mark.parametrize(
    ("change", "why"),
    [({"waited": 4_999}, "it waited for less than the target"), ({"behind": 1}, "the queue is empty")],
)
def test_one_packet_without_a_wait_ends_the_drops(change: dict[str, int], why: str) -> None:
    packets = [Waited(1_000_000 + 1000 * number, 5_000, 2) for number in range(250)]
    assert answers(packets, Codel())[100] == DROPS
    packets[99] = packets[99]._replace(**change)
    assert answers(packets, Codel()).index(DROPS) == 200, why


def test_ports_without_limits_have_a_plain_queue() -> None:
    codel = Codel()
    rows = [row for row in codel.entries(1) if row["table"].endswith("limits")]
    assert rows[0]["match"] == {"port": 1}
    packets = [Waited(1_000_000 + 1000 * number, 6_000, 10) for number in range(300)]

    class OtherPort(Codel):
        def entries(self, port: int) -> list[dict[str, object]]:
            return super().entries(port + 1)

    assert set(answers(packets, OtherPort())) == {PASSES}


@pytest.mark.parametrize("ecn", [False, True])
def test_a_flow_keeps_the_queue_near_the_target(ecn: bool) -> None:
    with weir.Network(star(1, queue="256p", codel=Codel(ecn=ecn)), program("aqm.p4"), seed=1) as net:
        sampler = net.sample("s1-p2", "10ms")
        seen = net.sniff("server", "ip[1] & 3 = 3")
        flow = net.host("h1").start_iperf("server", duration="6s", ecn=ecn)
        net.run_for("6s")
        waiting = np.array(sampler.queue().values[200:]) * 1514 * 8 / 100_000
        switch = net.switch("s1")
        drops, marks = (switch.register(f"codel_{name}").read(2) for name in ("drops", "marks"))
        dropped = net.audit().dropped
        result = flow.result()
    # The queue grows to a little more than 5 ms; then the window shrinks by more than is waiting.
    assert 4 < np.percentile(waiting, 95) < 6.5 and 1 < waiting.mean() < 5
    assert result.goodput_mbps > 90
    assert (drops > 0) != ecn and (marks > 0) == ecn and dropped == drops
    assert len([frame for frame in seen.frames if not frame.outbound]) == marks
    assert result.retransmits == drops


def test_without_codel_the_same_flow_fills_the_queue() -> None:
    with weir.Network(star(1, queue="256p"), program(), seed=1) as net:
        sampler = net.sample("s1-p2", "10ms")
        net.host("h1").start_iperf("server", duration="4s")
        net.run_for("4s")
        waiting = np.array(sampler.queue().values[200:]) * 1514 * 8 / 100_000
    assert waiting.mean() > 15


def test_modes_with_codel() -> None:
    assert sender_and_qdisc("htb", "5ms", "100ms") == ("htb", None)
    assert sender_and_qdisc("bbr-codel", "1ms", "20ms") == ("bbr", Codel("1ms", "20ms"))
    assert sender_and_qdisc("cubic-codel-ecn", "5ms", "100ms") == ("cubic", Codel(ecn=True))


@pytest.mark.parametrize("name", ["aqm.p4", "pace.p4"])
def test_the_programs_have_no_warnings(name: str) -> None:
    assert not program(name).warnings
