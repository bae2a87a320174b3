"""The lab shorternet: the benchmark recomputed from its tables, and frames on every link."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from handmade import internet_checksum

from weir.errors import WeirError
from weir.lab import Tables
from weir.lab.compared import compare
from weir.packets import udp_header
from weir_labs.shorternet.benchmark import benchmark
from weir_labs.shorternet.frames import payload_bytes, shorternet_header
from weir_labs.shorternet.path import network
from weir_labs.shorternet.published import PUBLISHED
from weir_labs.shorternet.shared import COMPUTER, shared_computer
from weir_labs.shorternet.theory import gain
from weir_labs.shorternet.traffic import Sender, headers, random_text, start_receiver

LINKS = ["h1", "s1-p0", "s3-p2", "s2-p1"]
"""Where a packet from h1 to the host at the other end leaves, in order."""


@pytest.fixture(scope="module")
def runs(shorternet: Path) -> pl.DataFrame:
    return pl.read_parquet(shorternet / "benchmark" / "runs.parquet")


def test_theory_is_the_thesis_s_table() -> None:
    for length, percent in ((74, 93.75), (300, 11.62), (850, 3.713), (1514, 2.038), (9000, 0.335)):
        assert 100 * gain(length) == pytest.approx(percent, abs=0.01)


def test_published_relations_follow_the_tables(tmp_path: Path) -> None:
    """Invented runs like the thesis's: Shorternet takes 1 ms and the standard stack 4 ms."""
    folder = tmp_path / "benchmark"
    folder.mkdir()
    rows = [
        {"run": 0, "length": length, "stack": stack, "repetition": 0, "seed": 1, "sent": 100_000, "lost": lost,
         "bandwidth_bytes_s": 1000.0 * (length - size), "latency_ms": ms + length * vary, "latency_min_ms": ms,
         "latency_max_ms": ms + 30, "jitter_ms": jitter}
        for length in (74, 694, 1514)
        for stack, size, ms, vary, jitter, lost in (
            ("shorternet", 12, 1.0, 0.0, 1.1, 0),
            ("standard", 42, 3.5, 0.0007, 8.1, 25 if length == 694 else 0),
        )
    ]  # fmt: skip
    pl.DataFrame(rows).write_parquet(folder / "runs.parquet")
    compared = {one.number.name: one for one in compare(PUBLISHED, {"benchmark": Tables(folder)})}
    missed = {name for name, one in compared.items() if one.kind == "missed"}
    # The standard stack's latency varies here, and the packets wait.
    assert missed == {
        "short.rel.bw.inverse", "short.rel.jit.len", "short.rel.lat.len", "short.rel.queues",
    }  # fmt: skip
    assert compared["short.jit.pct"].value == pytest.approx(100 * (1 - 1.1 / 8.1))
    assert compared["short.loss.694"].value == pytest.approx(0.025)
    nothing = compare(PUBLISHED, {})
    assert {one.kind for one in nothing} == {"arithmetic", "no value", "not run"}


def test_the_gain_is_that_of_theory_wherever_nothing_is_lost(runs: pl.DataFrame) -> None:
    whole = runs.filter(pl.col("lost") == 0)
    assert whole.height == runs.height and runs["changed"].sum() == runs["late"].sum() == 0
    assert set(runs["length"]) >= {74, 850, 9000}
    for (length,), both in runs.group_by("length"):
        short, standard = (
            both.filter(pl.col("stack") == stack)["bandwidth_bytes_s"][0]
            for stack in ("shorternet", "standard")
        )
        expected = (length - 12) / (length - 42) - 1
        assert short / standard - 1 == pytest.approx(expected, rel=1e-3)
        assert short == pytest.approx(1000 * (length - 12))


def test_latency_is_transmission_and_passes(runs: pl.DataFrame) -> None:
    for row in runs.iter_rows(named=True):
        # 1 Gbit/s: 8 ns for each byte; a pass of BMv2 in a virtual machine takes 312.5 us.
        assert row["latency_ms"] == pytest.approx((4 * 8 * row["length"] + 3 * 312_500) / 1e6, rel=1e-9)
        assert row["latency_min_ms"] == row["latency_max_ms"] and row["jitter_ms"] < 1e-9


def test_numbers_are_in_the_report(shorternet: Path, runs: pl.DataFrame) -> None:
    page = (shorternet / "report.html").read_text()
    section = page.split("<h2>Equal packet length")[1].split("</section>")[0]
    gains, measures = [
        [re.findall(r"<td[^>]*>(.*?)</td>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)]
        for body in re.findall(r"<tbody>(.*?)</tbody>", section, re.S)
    ]
    rows = {int(row[0]): row for row in gains}
    assert rows[74][1:3] == ["62", "32"] and rows[74][5] == rows[74][6] == "93.750"
    assert rows[850][3:6] == ["838.0", "808.0", "3.713"] and rows[9000][6] == "0.335"
    assert len(measures) == runs.height and all(row[3:6] == ["0", "0", "0"] for row in measures)


def crossing(stack: str, frames: list[bytes]) -> list[list[bytes]]:
    """The frames on each link if h1 sends frames."""
    with network(stack) as net:
        seen = [net.sniff(end) for end in LINKS]
        for number, frame in enumerate(frames):
            net.at(f"{10 * number}us", lambda frame=frame: net.host("h1").send(frame))
        net.run_for("1ms")
        assert not net.audit().violations
        return [[bytes(frame) for frame in one.frames if frame.outbound] for one in seen]


def test_a_worked_example() -> None:
    """h1 sends "weir" from port 4000 to port 5000 of h2: 4 + 8 + 4 bytes, or 14 + 20 + 8 + 4.

    A Shorternet switch changes one byte, a router the MAC addresses, TTL and header checksum.
    """
    data = bytes.fromhex("0fa0 1388 000c 0000") + b"weir"
    for left, frames in enumerate(crossing("shorternet", [b"\x02\x01\x11\x40" + data])):
        assert frames == [bytes([2, 1, 17, 64 - left]) + data]
    with network("standard") as net:
        own = headers(net, "standard", 1, 2, 4)[:34] + data
    assert len(own) == 46
    for left, frames in enumerate(crossing("standard", [own])):
        (frame,) = frames
        assert len(frame) == 46 and frame[34:] == data and frame[22] == 64 - left
        assert internet_checksum(frame[14:34]) == 0 and frame[26:34] == bytes([10, 0, 1, 1, 10, 0, 2, 1])


@pytest.mark.parametrize("stack", ["shorternet", "standard"])
def test_headers_are_all_that_is_added(stack: str, tmp_path: Path) -> None:
    lengths = [74, 75, 300, 1514, 9000]
    with network(stack) as net:
        start_receiver(net, stack, 2, 74, b"")  # Otherwise the host would answer with ICMP errors.
        capture = net.capture(tmp_path / "a.pcapng", LINKS)
        for number, length in enumerate(lengths, start=1):
            text = random_text(stack, length, seed=length)
            own = headers(net, stack, 1, 2, payload_bytes(stack, length))
            net.host("h1").run(Sender(own, text, number, 1, lambda: 1000))
            net.run_for("1ms")
        path = capture.close()
    with network(stack) as net:
        seen = net.sniff("h1")
        net.host("h1").replay(path)
        frames = [bytes(frame) for frame in seen.frames if frame.outbound]
    size = {"shorternet": 12, "standard": 42}[stack]
    assert [len(frame) for frame in frames] == [length for length in lengths for _ in LINKS]
    for number, length in enumerate(lengths):
        for frame in frames[4 * number : 4 * number + 4]:
            assert frame[size - 4 : size - 2] == (length - size + 8).to_bytes(2, "big")
            assert frame[size + 14 :] == random_text(stack, length, seed=length)


@pytest.mark.parametrize(
    ("frame", "links"),
    [
        (shorternet_header(1, 2, ttl=1), 1),
        (shorternet_header(1, 2, ttl=0), 1),
        (shorternet_header(1, 2, ttl=2), 2),
        (shorternet_header(1, 3), 1),
        (b"\x02\x01\x11", 1),
        (shorternet_header(1, 2), 4),
    ],
)
def test_packets_that_cannot_be_forwarded_are_dropped(frame: bytes, links: int) -> None:
    data = udp_header(1, 2, 0) if len(frame) == 4 else b""
    assert [len(frames) for frames in crossing("shorternet", [frame + data])] == [1] * links + [0] * (
        4 - links
    )


def test_late_and_damaged_packets_are_noticed() -> None:
    text = random_text("shorternet", 74, 1)
    with network("shorternet") as net:
        receiver = start_receiver(net, "shorternet", 2, 74, text)
        for number in (0, 3, 1, 2):
            content = (7).to_bytes(2, "big") + number.to_bytes(4, "big") + bytes(8)
            net.host("h1").send(headers(net, "shorternet", 1, 2, 62) + content + text)
        net.host("h1").send(headers(net, "shorternet", 1, 2, 62) + bytes(14) + text[:-1] + b"?")
        net.run_for("1ms")
    assert (len(receiver.flows[7].sent_ns), receiver.flows[7].late, receiver.changed) == (4, 2, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: payload_bytes("standard", 41), "length=41: the headers"),
        (lambda: random_text("standard", 55, 1), "length=55: expected 56 or more for standard"),
        (lambda: network("short"), "stack=short: expected shorternet or standard"),
        (lambda: network("shorternet", pairs=0), "pairs=0: expected a number from 1 to 100"),
    ],
)
def test_numbers_out_of_range(call: object, message: str) -> None:
    with pytest.raises((ValueError, WeirError), match=message):
        call()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (benchmark.function, {"rate": "10Mbit", "profile": "modern"}),
        (shared_computer.function, {"slower": 1.0, "extra": 1.1, "computer": COMPUTER}),
    ],
)
def test_a_rate_of_no_packets_is_refused(function: Callable[..., object], options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="per_second=0: expected 1 or more"):
        function(length=694, stack="shorternet", packets=2, per_second=0, seed=1, **options)
