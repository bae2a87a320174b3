"""The thesis's numbers for Shorternet: BMv2 in Mininet, all switches and hosts on one laptop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from weir.lab import Arithmetic, NoValue, Predicted, Published
from weir.packets import ETHERNET_BYTES, IPV4_BYTES

from .frames import HEADERS_BYTES, SHORTERNET_BYTES
from .relations import (
    Pair,
    gain_falls,
    holds_at_all_lengths,
    is_proportional,
    latency_variation,
    loss_694,
    mean_saving,
    measured_gain,
    standard_loses_more,
)
from .theory import gain

LATENCY_SAVED_MS: Final = 3.0
"""The difference by which Shorternet's mean latency was lower, in milliseconds."""

LATENCY_SAVED_PERCENT: Final = 75.0
JITTER_SAVED_MS: Final = 7.0
"""The difference by which Shorternet's jitter was lower, in milliseconds."""

JITTER_SAVED_PERCENT: Final = 86.0
LARGEST_LOSS_PERCENT: Final = 0.025
"""The largest loss of all flows: that of the standard stack with packets of 694 bytes."""

LONGER_BYTES: Final = 694
"""The length from which on a packet counts as larger, in bytes. It is the only length that the
thesis names as measured."""

_GAIN_PERCENT: Final = {74: 93.75, 300: 11.62, 850: 3.713, 1514: 2.038, 9000: 0.335}
"""The numbers of table 4.1, by packet length in bytes."""

_BENCHMARK: Final = "benchmark"
_SHARED_LAPTOP: Final = (
    "the thesis's switches, hosts and scripts shared one laptop; here, each switch has its own processor, and a pass takes "
    "the same time for both stacks"
)
_ABOUT_SHARE: Final = 0.25
"""The largest difference from a value that the thesis gives as "about" or "approximately", as a
share."""


def _number(
    name: str,
    place: str,
    experiment: str,
    what: tuple[str, str],
    value: float | str,
    unit: str,
    ours: Arithmetic | Predicted | NoValue,
    note: str = "",
) -> Published:
    """Declares one of the numbers; ``what`` has the conditions and the quantity."""
    return Published(
        ids=[f"short.{name}"],
        publication="Claeson and Kruse 2021",
        place=place,
        experiment=experiment,
        conditions=what[0],
        quantity=what[1],
        value=value,
        unit=unit,
        ours=ours,
        note=note,
    )


def _design(name: str, place: str, what: tuple[str, str], value: int, ours: int) -> Published:
    return _number(name, place, "Shorternet design", what, value, "bytes", Arithmetic(value=ours, absolute=0))


def _bandwidth(
    name: str,
    place: str,
    conditions: str,
    value: str,
    relation: Callable[[list[Pair]], bool],
    because: str = "not explained",
) -> Published:
    ours = Arithmetic(part=_BENCHMARK, value=holds_at_all_lengths(relation), because=because)
    experiment = "Shorternet effective bandwidth"
    return _number(name, place, experiment, (conditions, "effective bandwidth"), value, "", ours)


def _missed_relation(relation: Callable[[list[Pair]], bool], because: str = _SHARED_LAPTOP) -> Predicted:
    return Predicted(part=_BENCHMARK, value=holds_at_all_lengths(relation), because=because)


def _mean_saving(column: str, share: bool) -> Predicted:
    return Predicted(
        part=_BENCHMARK,
        value=mean_saving(column, share),
        relative=_ABOUT_SHARE,
        because=_SHARED_LAPTOP,
    )


_NOTE_ON_MEETINGS: Final = "here, each queue and each switch is empty when the next packet arrives there, so no packet waits or is lost"
_NOTE_ON_JITTER: Final = "here, jitter is 0 with both stacks, because packets never meet"

PUBLISHED: Final[Sequence[Published]] = (
    _design("hdr.l2.before", "section 3.2", ("Ethernet", "header of layer 2"), 14, ETHERNET_BYTES),
    _design("hdr.l2.after", "section 3.2", ("Shorternet", "header of layer 2"), 4, SHORTERNET_BYTES),
    _design(
        "hdr.removed",
        "section 3.2",
        ("", "header bytes removed from each packet"),
        30,
        ETHERNET_BYTES - SHORTERNET_BYTES + IPV4_BYTES,
    ),
    _design("hdr.short", "section 4.1.1", ("Shorternet", "all headers"), 12, HEADERS_BYTES["shorternet"]),
    _design("hdr.std", "section 4.1.1", ("Ethernet and IPv4", "all headers"), 42, HEADERS_BYTES["standard"]),
    _number(
        "bw.max",
        "section 3.2.1",
        "Shorternet early tests",
        ("lengths and switches not given", "largest bandwidth of the network"),
        40,
        "Mbit/s",
        NoValue(
            reason="the thesis gives neither the packet length nor the number of switches, and its bandwidth is that of one "
            "laptop; its own 1000 packets/s of 9000 bytes would be 72 Mbit/s"
        ),
    ),
    _number(
        "rel.bw.switches",
        "section 3.2.1",
        "Shorternet early tests",
        ("more switches", "bandwidth of the network"),
        "falls further",
        "",
        NoValue(
            reason="the thesis does not give numbers for this test; here, each switch has its own processor, so "
            "another switch does not slow it down"
        ),
    ),
    *(
        _number(
            f"gain.theory.{length}",
            "Table 4.1",
            "Shorternet effective bandwidth",
            (f"{length} bytes", "gain, calculated: (length − 12) / (length − 42) − 1"),
            published,
            "%",
            Arithmetic(value=100 * gain(length), absolute=0.01),
            "the thesis cuts off digits instead of rounding" if length == 300 else "",
        )
        for length, published in _GAIN_PERCENT.items()
    ),
    _number(
        "payload.more",
        "section 4.1.1",
        "Shorternet effective bandwidth",
        ("equal packet length", "additional payload"),
        30,
        "bytes",
        Arithmetic(value=HEADERS_BYTES["standard"] - HEADERS_BYTES["shorternet"], absolute=0),
    ),
    _bandwidth(
        "bw.large",
        "section 4.1.1",
        f"larger packets, here from {LONGER_BYTES} bytes on",
        "is higher by less than 5 %",
        lambda pairs: all(measured_gain(pair) < 0.05 for pair in pairs if pair[0]["length"] >= LONGER_BYTES),
    ),
    _bandwidth(
        "rel.bw",
        "section 4.1.1",
        "all lengths",
        "is slightly higher than with the standard stack",
        lambda pairs: all(measured_gain(pair) > 0 for pair in pairs),
    ),
    _bandwidth(
        "rel.bw.small",
        "section 4.1.1",
        "the shortest packets",
        "is almost doubled: higher by more than 75 %",
        lambda pairs: measured_gain(pairs[0]) > 0.75,
    ),
    _bandwidth(
        "rel.bw.inverse",
        "section 4.1.1",
        "all lengths",
        "gains in inverse proportion to the length",
        is_proportional,
        "the gain is inversely proportional to the payload of the standard stack, length − 42: gain times length is more than twice as "
        "large at 74 bytes as at 9000",
    ),
    _bandwidth(
        "rel.bw.theory",
        "section 4.1.1",
        "all lengths",
        "gains as much as theory says, within 1 %",
        lambda pairs: all(abs(measured_gain(pair) / gain(pair[0]["length"]) - 1) < 0.01 for pair in pairs),
    ),
    _bandwidth("rel.zero", "section 4.1.1", "growing length", "gains less and less, towards 0", gain_falls),
    _number(
        "lat.diff",
        "section 4.1.2",
        "Shorternet latency",
        ("mean of the lengths", "latency saved"),
        LATENCY_SAVED_MS,
        "ms",
        _mean_saving("latency_ms", False),
    ),
    _number(
        "lat.pct",
        "chapter 5",
        "Shorternet latency",
        ("mean of the lengths", "latency saved"),
        LATENCY_SAVED_PERCENT,
        "%",
        _mean_saving("latency_ms", True),
        "together with 3 ms, this means about 4 ms and 1 ms",
    ),
    _number(
        "rel.lat",
        "section 4.1.2",
        "Shorternet latency",
        ("", "latency"),
        "is lower and steadier with Shorternet",
        "",
        _missed_relation(
            lambda pairs: (
                all(short["latency_ms"] < standard["latency_ms"] for short, standard in pairs)
                and all(short["jitter_ms"] < standard["jitter_ms"] for short, standard in pairs)
            )
        ),
    ),
    _number(
        "rel.lat.len",
        "section 4.1.2",
        "Shorternet latency",
        ("", "latency"),
        "hardly changes with the length: by less than 10 %",
        "",
        _missed_relation(
            lambda pairs: max(latency_variation(pairs, side) for side in (0, 1)) < 0.1,
            "9000 bytes take 0.29 ms on four links of 1 Gbit/s; the thesis does not limit the rate of its links",
        ),
    ),
    _number(
        "rel.lat.const",
        "section 4.1.2",
        "Shorternet latency",
        ("", "mean latency"),
        "is almost the same for all lengths with Shorternet, and varies with the standard stack",
        "",
        _missed_relation(lambda pairs: latency_variation(pairs, 0) < 0.5 * latency_variation(pairs, 1)),
    ),
    _number(
        "jit.diff",
        "section 4.1.2",
        "Shorternet jitter",
        ("mean of the lengths", "jitter saved"),
        JITTER_SAVED_MS,
        "ms",
        _mean_saving("jitter_ms", False),
        _NOTE_ON_JITTER,
    ),
    _number(
        "jit.pct",
        "chapter 5",
        "Shorternet jitter",
        ("mean of the lengths", "jitter saved"),
        JITTER_SAVED_PERCENT,
        "%",
        _mean_saving("jitter_ms", True),
        _NOTE_ON_JITTER,
    ),
    _number(
        "rel.jit",
        "section 4.1.2",
        "Shorternet jitter",
        ("", "jitter"),
        "is much lower with Shorternet",
        "",
        _missed_relation(
            lambda pairs: all(short["jitter_ms"] < standard["jitter_ms"] for short, standard in pairs)
        ),
    ),
    _number(
        "rel.jit.len",
        "section 4.1.2",
        "Shorternet jitter",
        ("both stacks", "jitter"),
        "does not depend on the length",
        "",
        Arithmetic(
            part=_BENCHMARK,
            value=holds_at_all_lengths(
                lambda pairs: all(max(one["jitter_ms"] for one in pair) < 0.001 for pair in pairs)
            ),
        ),
        _NOTE_ON_JITTER,
    ),
    _number(
        "loss.max",
        "section 4.1.2",
        "Shorternet loss",
        ("both stacks, all lengths but one", "packets lost"),
        "are less than 0.01 %",
        "",
        Arithmetic(
            part=_BENCHMARK,
            value=holds_at_all_lengths(
                lambda pairs: all(
                    one["lost"] < 1e-4 * one["sent"]
                    for pair in pairs
                    for one in pair
                    if (one["length"], one["stack"]) != (LONGER_BYTES, "standard")
                )
            ),
        ),
        _NOTE_ON_MEETINGS,
    ),
    _number(
        "loss.694",
        "section 4.1.2",
        "Shorternet loss",
        ("standard stack, 694 bytes", "packets lost"),
        LARGEST_LOSS_PERCENT,
        "%",
        Predicted(part=_BENCHMARK, value=loss_694, relative=_ABOUT_SHARE, because=_SHARED_LAPTOP),
        "25 of 100 000 packets",
    ),
    _number(
        "loss.694.len",
        "section 4.1.2",
        "Shorternet loss",
        ("standard stack", "length with the largest loss"),
        LONGER_BYTES,
        "bytes",
        NoValue(reason="here, nothing is lost, so no length differs from the others"),
    ),
    _number(
        "rel.loss",
        "section 4.1.2",
        "Shorternet loss",
        ("", "packets lost"),
        "occur in more flows, and in larger numbers, with the standard stack",
        "",
        _missed_relation(standard_loses_more),
    ),
    _number(
        "ex.data",
        "section 4.1.3",
        "Shorternet example",
        ("10 GB, gain of 5 %", "data saved"),
        500,
        "MB",
        Arithmetic(value=10_000 * 0.05, absolute=0),
    ),
    _number(
        "ex.packets",
        "section 4.1.3",
        "Shorternet example",
        ("500 MB in packets of 750 bytes", "packets saved"),
        665_000,
        "packets",
        Arithmetic(value=500e6 / 750, relative=0.01),
        "the thesis gives a rough estimate",
    ),
    _number(
        "rel.queues",
        "section 4.1.3",
        "Shorternet",
        ("1000 packets/s", "queues"),
        "hardly build up",
        "",
        Arithmetic(
            part=_BENCHMARK,
            value=holds_at_all_lengths(
                lambda pairs: all(
                    one["latency_max_ms_max"] - one["latency_min_ms_min"] < 0.001
                    for pair in pairs
                    for one in pair
                )
            ),
        ),
        _NOTE_ON_MEETINGS,
    ),
    _number(
        "rel.conclusion",
        "chapter 5",
        "Shorternet",
        ("", "gain in bandwidth"),
        "is large for small payloads, and small for large ones",
        "",
        Arithmetic(
            part=_BENCHMARK,
            value=holds_at_all_lengths(
                lambda pairs: gain_falls(pairs) and measured_gain(pairs[0]) > 10 * measured_gain(pairs[-1])
            ),
        ),
    ),
    Published(
        ids=[
            "short.cited.bmv2.1g",
            "short.cited.tables",
            "short.cited.p8.hdr",
            "short.cited.p8.len.lo",
            "short.cited.p8.len.hi",
        ],
        publication="Claeson and Kruse 2021",
        place="sections 2.2.2 and 4.1.2",
        experiment="results of others",
        quantity="rates of BMv2; latency by headers and length on other targets",
        value="up to about 1 Gbit/s, linear in the number of tables; 0.1 to 5 µs by length, single microseconds by headers",
        ours=NoValue(reason="measured by others, on other targets"),
        own=False,
    ),
)
"""All numbers of the thesis that concern Shorternet."""
