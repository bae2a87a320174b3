"""Answers of stores, compared with answers computed by hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from handmade_reports import group, individual, int_md, ipv4, path_report, udp

import weir
from weir.measure import percentile
from weir.telemetry import Flow, Store

A, B = "udp 10.0.1.1:4000 > 10.0.2.2:5000", "udp 10.0.1.1:4001 > 10.0.2.2:5000"


def stored(*reports: tuple[int, bytes]) -> Store:
    """A store with reports that arrived at these times in µs."""
    store = Store()
    store.add([payload for _, payload in reports], [1000 * time for time, _ in reports])
    return store


def postcard(node: int, ttl: int, *, source: int = 4000, flags: int = 0x20, queue: int = 0) -> bytes:
    """A report of INT-XD."""
    packet = ipv4(udp(source, 5000), ttl=ttl)
    return group(individual(packet, 0x1000, queue.to_bytes(4), flags=flags), node=node)


def rows(answer: weir.measure.Table, *names: str) -> list[tuple[object, ...]]:
    return [tuple(row[name] for name in names) for row in answer.rows()]


def test_paths_of_int_md() -> None:
    store = stored(
        (0, path_report([1, 2, 3])),
        (5, path_report([1, 3], ports=(4001, 5000))),
        (10, path_report([1, 2, 3])),
        (20, path_report([1, 4, 3])),
        (30, path_report([1, 2, 3])),
        (35, path_report([1], flags=0xA0)),  # dropped at node 1: not the whole path
        (36, path_report([1, 2], flags=0x30)),  # an intermediate report
        (40, path_report([1, 2, 3])),
    )
    paths = store.paths()
    assert rows(paths, "flow", "path", "start_s", "end_s", "reports", "complete") == [
        (A, "1-2-3", 0.0, 1e-5, 2, True),
        (A, "1-4-3", 2e-5, 2e-5, 1, True),
        (A, "1-2-3", 3e-5, 4e-5, 2, True),
        (B, "1-3", 5e-6, 5e-6, 1, True),
    ]
    assert rows(store.paths(flow=B), "path") == [("1-3",)]
    assert rows(store.paths(start="15us", end="25us"), "path") == [("1-4-3",)]


def test_paths_say_what_is_missing() -> None:
    """A path is incomplete if E is set in the INT header; a node without an id is shown as
    ``?``."""
    inserted = int_md(0x8000, [b"\xff" * 4, (1).to_bytes(4)], flags=1 << 26)
    packet = ipv4(udp(4000, 5555, inserted))
    store = stored((0, group(individual(packet), node=3)))
    assert rows(store.paths(), "path", "complete") == [("1-?-3", False)]


def test_paths_of_single_reports() -> None:
    """Nodes are in the order of time to live, though reports arrive in another order; then the path
    changes."""
    first = [
        (time + late, postcard(node, ttl))
        for time in range(0, 30_000, 3000)
        for node, ttl, late in ((1, 64, 900), (2, 63, 800), (3, 62, 0))
    ]
    second = [
        (time, postcard(node, ttl))
        for time in range(30_000, 50_000, 3000)
        for node, ttl in ((1, 64), (4, 63), (3, 62))
    ]
    store = stored(*first, *second)
    assert rows(store.paths(window="10ms"), "flow", "path", "start_s", "end_s", "reports") == [
        (A, "1-2-3", 0.0, 0.0279, 30),
        (A, "1-4-3", 0.03, 0.048, 21),
    ]


def test_hop_latencies() -> None:
    chance = random.Random(5)
    values = [(chance.randrange(1000), chance.randrange(10**6)) for _ in range(200)]
    store = stored(*((number, path_report([7, 8], latencies=both)) for number, both in enumerate(values)))
    for row, own in zip(store.latencies().rows(), zip(*values, strict=True), strict=True):
        assert row["reports"] == 200 and row["max_us"] == max(own)
        assert row["mean_us"] == pytest.approx(sum(own) / 200)
        for percent in (50, 90, 99):
            assert row[f"p{percent}_us"] == pytest.approx(percentile(own, percent))
    assert store.latencies()["node"] == [7, 8]
    assert store.latencies(node=8)["node"] == [8]


def test_hop_latencies_of_flows() -> None:
    store = stored(
        (0, path_report([1], latencies=[10])), (1, path_report([1], latencies=[30], ports=(4001, 5000)))
    )
    assert rows(store.latencies(by_flow=True), "node", "flow", "mean_us") == [(1, A, 10.0), (1, B, 30.0)]
    assert rows(store.latencies(flow="*:4001 > *"), "mean_us") == [(30.0,)]


def test_reports_without_metadata_have_no_latency() -> None:
    assert len(stored((0, group(individual(ipv4(b"", 253))))).latencies()) == 0


def queue_reports(samples: Sequence[tuple[int, int]], **more: object) -> list[tuple[int, bytes]]:
    """Reports of node 1, by time in µs and packets in the queue; its clock is 150 µs ahead."""
    return [
        (time, path_report([1], queues=[packets], times=[time + 150], **more)) for time, packets in samples
    ]  # type: ignore[arg-type]


def test_queue_occupancy() -> None:
    store = stored(*queue_reports([(0, 1), (900, 4), (1000, 10), (3500, 0)]))
    names = ("node", "port", "queue", "time_s", "reports", "mean_packets", "max_packets")
    assert rows(store.queues(interval="1ms"), *names) == [
        (1, 2, 0, 0.0, 2, 2.5, 4),
        (1, 2, 0, 0.001, 1, 10.0, 10),
        (1, 2, 0, 0.003, 1, 0.0, 0),
    ]
    by_node = rows(store.queues(interval="1ms", clock="node", start="500us"), "time_s", "max_packets")
    assert by_node == [(0.001, 10), (0.003, 0)]
    assert len(store.queues(port=3)) == 0 and len(store.queues(queue=0, node=1, port=2)) == 1


def test_who_shares_a_queue() -> None:
    store = stored(
        *queue_reports([(0, 1), (10, 6), (20, 9)], length=1532),
        *queue_reports([(5, 5), (15, 7)], ports=(4001, 5000), length=132),
        *((30, path_report([2, 1], ports=(4000, 5000), flags=0xA0)) for _ in range(9)),  # drops
        (40, path_report([2])),
    )
    # 16 bytes of shim and INT-MD header do not count as bytes of the flow.
    shares = store.shares()
    assert rows(shares, "node", "flow", "packets", "bytes", "max_packets", "aggressor") == [
        (1, A, 3, 3 * 1516, 9, True),
        (1, B, 2, 2 * 116, 7, False),
        (2, A, 1, 28, 0, False),
    ]
    assert shares["share"][0] == pytest.approx(3 * 1516 / (3 * 1516 + 2 * 116))
    assert shares.aggressors == [A]
    assert rows(store.shares(at_least=7), "flow", "packets") == [(A, 1), (B, 1)]
    assert store.shares(start="4us", end="6us").aggressors == []
    equal = [path_report([1], ports=(port, 5000), length=1016) for port in (4000, 4001) for _ in range(10)]
    equal.append(path_report([1], ports=(4001, 5000), length=1016))
    assert stored(*((0, payload) for payload in equal)).shares().aggressors == []


def test_microbursts() -> None:
    samples = [(0, 0), (100, 5), (150, 9), (300, 4), (400, 5), (2000, 6), (2500, 0), (3000, 7)]
    small = queue_reports([(160, 8), (170, 8)], ports=(4001, 5000), length=33)
    store = stored(*queue_reports(samples, length=1000), *small)
    names = ("node", "port", "start_s", "duration_us", "max_packets", "packets", "flow")
    assert rows(store.bursts(5), *names) == [
        (1, 2, 0.0001, 200.0, 9, 4, A),
        (1, 2, 0.003, 0.0, 7, 1, A),
    ]
    assert [row["duration_us"] for row in store.bursts(5, shorter_than="1s").rows()] == [200.0, 2100.0, 0.0]
    assert rows(store.bursts(8), "start_s", "packets", "flow") == [(0.00015, 3, A)]
    assert rows(store.bursts(5, clock="node", end="1ms"), "start_s") == [(0.00025,), (0.00055,)]
    assert len(store.bursts(10)) == 0


def test_drops() -> None:
    reason = (0x00120000).to_bytes(4)
    packet = ipv4(udp(4000, 5000))
    store = stored(
        (0, group(individual(packet, 1, reason, flags=0x80), node=2)),
        (5, group(individual(packet, 1, reason, flags=0x80), node=2)),
        (7, group(individual(b"", flags=0x80), node=3)),
        (9, path_report([1, 2])),
    )
    assert rows(store.drops(), "node", "reason", "flow", "reports", "first_s", "last_s") == [
        (2, 18, A, 2, 0.0, 5e-6),
        (3, None, None, 1, 7e-6, 7e-6),
    ]
    assert store.drops(node=3)["reports"] == [1] and store.drops(flow=A)["node"] == [2]


def numbered(*sequences: int, node: int = 1, hw_id: int = 0) -> list[tuple[int, bytes]]:
    """Datagrams with these sequence numbers."""
    one = individual(ipv4(b"", 253))
    return [
        (time, group(one, one, node=node, sequence=number, hw_id=hw_id))
        for time, number in enumerate(sequences)
    ]


@pytest.mark.parametrize(
    ("sequences", "expected"),
    [
        ((0, 1, 2), (3, 0, 0, 0, 0)),
        ((5, 6, 9, 10), (4, 2, 0, 0, 0)),
        ((5, 7, 6, 8), (4, 0, 1, 0, 0)),
        ((5, 9, 6, 8), (4, 1, 2, 0, 0)),
        ((5, 6, 6, 7), (4, 0, 0, 1, 0)),
        ((2**22 - 2, 2**22 - 1, 1, 2), (4, 1, 0, 0, 0)),
        ((2**22 - 2, 0, 2**22 - 1, 1), (4, 0, 1, 0, 0)),
        ((5000, 5001, 0, 1, 3), (5, 1, 0, 0, 1)),
        ((7,), (1, 0, 0, 0, 0)),
    ],
)
def test_lost_and_late_reports(sequences: tuple[int, ...], expected: tuple[int, ...]) -> None:
    losses = stored(*numbered(*sequences)).losses()
    assert rows(losses, "datagrams", "lost", "late", "duplicates", "restarts") == [expected]


def test_each_part_of_a_node_numbers_its_reports() -> None:
    store = stored(*numbered(0, 1), *numbered(0, 2, hw_id=3), *numbered(9, 8, node=2))
    assert rows(store.losses(), "node", "hw_id", "datagrams", "lost", "late") == [
        (1, 0, 2, 0, 0),
        (1, 3, 2, 1, 0),
        (2, 0, 2, 0, 1),
    ]
    assert store.losses(node=2)["node"] == [2]


def test_gaps() -> None:
    store = stored(*numbered(2**22 - 3, 2**22 - 2, 3, 5, 4))
    names = ("node", "hw_id", "time_s", "first_missing", "missing")
    assert rows(store.gaps(), *names) == [(1, 0, 2e-6, 2**22 - 1, 4)]


def test_the_overview_counts_reports_and_nodes() -> None:
    store = stored(
        (10, path_report([1, 2])),
        (20, path_report([1, 2], ports=(4001, 5000), flags=0xC0)),
        *numbered(4, node=9),
        (30, b"?"),
    )
    view = store.overview()
    assert (view.batches, view.datagrams, view.reports, view.bad, view.flows) == (1, 3, 4, 1, 3)
    assert (view.nodes, view.dropped, view.congested) == ((1, 2, 9), 1, 1)
    assert (view.first_s, view.last_s) == (0.0, 2e-5)
    assert store.bad()["reason"] == ["a telemetry report has at least 12 bytes, found 1"]
    assert rows(store.flows(flow="udp *"), "flow", "reports", "dropped") == [(A, 1, 0), (B, 1, 1)]


def test_an_empty_store_answers() -> None:
    store = Store()
    store.add([], [])
    assert store.overview().reports == 0
    answers = [store.paths(), store.latencies(), store.queues(), store.shares(), store.bursts(1)]
    answers += [store.drops(), store.losses(), store.gaps(), store.flows(), store.bad()]
    assert [len(answer) for answer in answers] == [0] * 10
    assert str(store.latencies()).startswith("hop latencies: 0\nnode  reports  mean_us")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (A, 1),
        ("10.0.1.1:4000", 1),
        (":4000", 1),
        (":5000", 2),
        ("10.0.1.1 > 10.0.2.2", 2),
        ("10.0.2.2 > *", 0),
        ("* > 10.0.2.2", 2),
        ("udp *", 2),
        ("tcp *", 0),
        ("ip253 *", 0),
        (Flow("10.0.1.1", "10.0.2.2", 17, 4001, 5000), 1),
    ],
)
def test_flows_are_chosen(text: str | Flow, found: int) -> None:
    store = stored((0, path_report([1])), (1, path_report([1], ports=(4001, 5000))))
    assert len(store.flows(flow=text)) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a flow: expected something like"),
        ("10.0.1.1 > a > b", "is not a flow"),
        ("10.0.1", '"10.0.1" in the flow "10.0.1": expected something like "udp'),
        ("10.0.1.1:", "expected a port from 0 to 65535"),
        ("10.0.1.1:70000", "expected a port from 0 to 65535"),
        ("sctp 10.0.1.1", '"sctp" is not a protocol: expected udp, tcp, icmp'),
    ],
)
def test_wrong_flows_are_reported(text: str, message: str) -> None:
    with pytest.raises(weir.CommandError, match=message):
        stored().flows(flow=text)


def test_other_mistakes_are_reported() -> None:
    store = stored()
    with pytest.raises(weir.UnitError, match="start"):
        store.flows(start="1")
    damaged = path_report([1], times=[2**64 - 2])
    assert len(stored((0, damaged)).queues(clock="node")) == 0
    with pytest.raises(weir.CommandError, match='clock: expected "arrival" or "node"'):
        store.queues(clock="wall")  # type: ignore[arg-type]
    with pytest.raises(weir.NetworkError, match="threshold"):
        store.bursts(0)


def test_answers_become_files_and_pictures(tmp_path: Path) -> None:
    store = stored(
        *queue_reports([(0, 9), (10, 1), (20, 9), (30, 0)]),
        *queue_reports([(5, 3)], ports=(4001, 5000)),
        *numbered(0, 4, 3),
        (9, b"?"),
        (10, path_report([1], flags=0x80)),
    )
    answers = [
        store.paths(),
        store.latencies(),
        store.latencies(by_flow=True),
        store.queues(),
        store.shares(),
    ]
    answers += [store.bursts(5), store.drops(), store.losses(), store.gaps(), store.flows(), store.bad()]
    for number, answer in enumerate(answers):
        assert len(answer), answer
        assert len(answer.to_csv(tmp_path / f"{number}.csv").read_text().splitlines()) == len(answer) + 1
        assert answer.to_frame().height == len(answer)
        assert "row" in answer._repr_html_()
        (ax,) = answer.plot(title="A title").axes
        assert ax.get_xlabel() and (ax.lines or ax.patches or ax.collections)
