"""The live view: its state after reports, and its size on the terminal."""

from __future__ import annotations

import io

import pytest
from handmade_reports import group, individual, ipv4, path_report, udp
from rich.console import Console

from weir.telemetry import decode
from weir.telemetry.live.numbers import Numbering
from weir.telemetry.live.state import LiveState
from weir.telemetry.live.view import LiveView

A, B = "udp 10.0.1.1:4000 > 10.0.2.2:5000", "udp 10.0.1.1:4001 > 10.0.2.2:5000"


def fed(*batches: list[bytes], threshold: int | None = None) -> LiveState:
    """A state after these batches; datagrams are 1 µs apart."""
    state, time = LiveState(origin_ns=1000, threshold=threshold), 1000
    for payloads in batches:
        state.feed(decode(payloads, [time + 1000 * number for number in range(len(payloads))]))
        time += 1000 * len(payloads)
    return state


def postcard(node: int, ttl: int) -> bytes:
    return group(individual(ipv4(udp(4000, 5000), ttl=ttl)), node=node)


def test_counts_and_paths() -> None:
    state = fed(
        [path_report([1, 2]), path_report([1, 2], ports=(4001, 5000), sequence=1), b"?"],
        [path_report([1, 2], sequence=2)],
    )
    assert (state.datagrams, state.reports, state.bad, state.lost, state.time_ns) == (3, 3, 1, 0, 3000)
    assert {flow: (found.path, found.reports) for flow, found in state.paths.items()} == {
        B: ("1-2", 1),
        A: ("1-2", 2),
    }
    assert list(state.events) == [(2000, "bad datagram: a telemetry report has at least 12 bytes, found 1")]


def test_a_new_path_is_an_event() -> None:
    state = fed(
        [path_report([1, 2, 3]), path_report([1, 4, 3], sequence=1), path_report([1, 4, 3], sequence=2)]
    )
    assert list(state.events) == [(1000, f"{A} left the path 1-2-3 for 1-4-3")]


def test_paths_of_single_reports() -> None:
    state = fed([postcard(2, 63), postcard(1, 64), postcard(3, 62)])
    assert state.paths[A].path == "1-2-3" and state.paths[A].reports == 3 and not state.events
    state = fed([postcard(2, 63), postcard(1, 64)], [postcard(4, 63)])
    assert list(state.events) == [(2000, f"{A} left the path 1-2 for 1-4")]


def test_drops_and_congestion_are_events() -> None:
    reason = group(individual(ipv4(udp(4000, 5000)), 1, b"\0\x12\0\0", flags=0x80), node=7)
    congested = path_report([1, 2], flags=0x60)
    calm = path_report([1, 2])
    state = fed([reason, group(individual(b"", flags=0x80), node=8)], [congested, congested, calm, congested])
    assert [text for _, text in state.events if "missing" not in text] == [
        f"node 7 dropped a packet of {A} (reason 18)",
        "node 8 dropped a packet of an unknown flow",
        f"node 2 reports congestion: {A}",
        f"node 2 reports congestion: {A}",
    ]


def test_queues_and_thresholds() -> None:
    lengths = [3, 12, 15, 2, 11]
    batches = [[path_report([5], queues=[length], sequence=number)] for number, length in enumerate(lengths)]
    for parts in (batches, [[payload for batch in batches for payload in batch]]):
        state = fed(*parts, threshold=10)
        (queue,) = state.queues.values()
        assert (queue.packets, queue.most) == (11, 15)
        assert [text for _, text in state.events] == [
            "queue 0 of node 5, port 2: 12 packets",
            "queue 0 of node 5, port 2: 11 packets",
        ]
    assert not fed(*batches).events


def test_latencies_of_recent_reports() -> None:
    payloads = [path_report([1, 2], latencies=[number, 7], sequence=number) for number in range(101)]
    state = fed(payloads[:40], payloads[40:])
    assert state.percentiles(1) == pytest.approx((50, 99, 100)) and state.percentiles(2) == (7, 7, 7)


@pytest.mark.parametrize(
    ("numbers", "missing"),
    [
        ([0, 1, 2], [0, 0, 0]),
        ([5, 9, 6, 10], [0, 3, 0, 0]),
        ([2**22 - 1, 0, 2], [0, 0, 1]),
        ([5000, 3, 4], [0, 0, 0]),
    ],
)
def test_missing_numbers(numbers: list[int], missing: list[int]) -> None:
    numbering = Numbering()
    assert [numbering.missing_before(1, 0, number) for number in numbers] == missing
    state = fed([path_report([1], sequence=number) for number in numbers])
    assert state.lost == sum(missing) and len(state.events) == sum(map(bool, missing))


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (60, 16), (120, 50)])
def test_the_view_fits_the_terminal(columns: int, lines: int) -> None:
    payloads = [
        path_report(list(range(1, 12)), ports=(number, 5000), sequence=2 * number, queues=list(range(11)))
        for number in range(50)
    ]
    state = fed(payloads, [b"?"] * 50)
    console = Console(file=io.StringIO(), width=columns, height=lines, force_terminal=True, color_system=None)
    with console.capture() as captured:
        console.print(LiveView(state, "here"))
    found = captured.get().rstrip("\n").splitlines()
    assert len(found) < lines and max(map(len, found)) <= columns
    assert found[0].startswith("0.000 s  50 reports from here, 50 bad, 49 lost")
    assert any("bad datagram" in line for line in found) and any("more" in line for line in found)
