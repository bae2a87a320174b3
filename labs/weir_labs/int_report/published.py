"""The thesis's numbers for telemetry: BMv2 in Mininet, all switches and hosts on one laptop.

The thesis's figures are curves without numbers, so the statements of its text are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Final

from weir.lab import Arithmetic, NoValue, Predicted, Published, Tables

from .frames import HOP_BYTES, INT_BYTES
from .second import SECOND_MBPS

FIVE_SWITCHES_MBPS: Final = 5.0
"""Test 1: the load in Mbit/s from which the bandwidth over five switches falls if telemetry is
on."""

SECOND_FLOW_MBPS: Final = 3.5
"""Test 2: the load in Mbit/s from which the network is congested."""

SECOND_FLOW_EQUAL_MBPS: Final = 5.0
"""Test 2: the load in Mbit/s until which bandwidths with and without telemetry are similar."""

_SIMILAR_BOUND_MBPS: Final = 0.5

_HPCC_HEADER_BYTES, _HPCC_HOP_BYTES = 2, 8

SIMILAR: Final = 0.05
"""Bandwidths or latencies that differ by less, as a share, count as similar."""

_LOAD, _SECOND = "load", "second-flow"
_SHARED_LAPTOP: Final = (
    "the thesis's switches and hosts shared one laptop, so a longer program on more switches made all of them slower, as the thesis "
    "itself says; here, each switch has its own processor, and only the links limit the load"
)

Rows = list[dict[str, Any]]


def _rows(tables: Tables) -> Rows:
    return tables.points("switches", "telemetry", "mbps").to_dicts()


def _pairs_by_telemetry(
    rows: Rows, switches: int | None = None
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pairs the rows with and without telemetry at each load and number of switches, in the order
    of the load."""
    by_point = {(row["switches"], row["mbps"], row["telemetry"]): row for row in rows}
    places = sorted(
        {(mbps, number) for number, mbps, _ in by_point if switches in (None, number)},
        key=lambda place: place,
    )
    return [
        (by_point[number, mbps, "on"], by_point[number, mbps, "off"])
        for mbps, number in places
        if {(number, mbps, "on"), (number, mbps, "off")} <= by_point.keys()
    ]


def _fits_links(row: dict[str, Any]) -> bool:
    return bool(row["mbps"] <= row["fitting_mbps"])


def _bandwidth_loss(with_telemetry: dict[str, Any], without_telemetry: dict[str, Any]) -> float:
    """Computes the share by which telemetry lowers the bandwidth."""
    return float(1 - with_telemetry["goodput_mbps"] / without_telemetry["goodput_mbps"])


def _relation(needs: Sequence[int], holds: Callable[[Rows], bool]) -> Callable[[Tables], bool | None]:
    """Returns a function that checks a relation that all points must satisfy.

    The result is ``None`` unless each of the numbers of switches in ``needs`` ran with and without
    telemetry, with and without congestion.
    """

    def measure(tables: Tables) -> bool | None:
        rows = _rows(tables)
        for number in needs:
            pairs = _pairs_by_telemetry(rows, number)
            if not any(_fits_links(on) for on, _ in pairs) or all(_fits_links(off) for _, off in pairs):
                return None
        return holds(rows)

    return measure


def _load_number(name: str, figure: str, what: tuple[str, str], value: str, holds: Callable[[Rows], bool],
          because: str = _SHARED_LAPTOP, note: str = "") -> Published:  # fmt: skip
    ours = Predicted(part=_LOAD, value=_relation((3, 4, 5), holds), because=because)
    return _number(
        f"int.{name}",
        f"section 4.2, {figure}" if figure else "section 4.2",
        "INT test 1",
        what,
        value,
        "",
        ours,
        note,
    )


def _both_flows(name: str, what: tuple[str, str], value: str, ours: Predicted, note: str = "") -> Published:
    return _number(f"int2.{name}", "section 4.2", "INT test 2", what, value, "", ours, note)


def _number(name: str, place: str, experiment: str, what: tuple[str, str], value: float | str, unit: str,
            ours: Arithmetic | Predicted | NoValue, note: str = "") -> Published:  # fmt: skip
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


def _design_number(name: str, place: str, what: tuple[str, str], value: int, ours: int) -> Published:
    return _number(name, place, "INT design", what, value, "bytes", Arithmetic(value=ours, absolute=0))


def _first_loss(column: str, **where: Any) -> Callable[[Tables], float | None]:
    """Returns a function that finds the smallest load of the run at which something is lost;
    ``None`` if nothing is lost."""

    def measure(tables: Tables) -> float | None:
        rows = [row for row in _rows(tables) if all(row[name] == value for name, value in where.items())]
        lost = [row["mbps"] for row in rows if row[f"{column}_max"] > 0]
        return min(lost, default=None)

    return measure


def _largest_similar_load(tables: Tables) -> float | None:
    """Finds the largest load up to which telemetry lowers the bandwidth by less than
    :data:`SIMILAR`.

    If no load lowers it by more, this is the largest load of the run; ``None`` if the run does not
    go beyond the bound of the thesis's load.
    """
    load = None
    for on, off in _pairs_by_telemetry(_rows(tables)):
        if abs(_bandwidth_loss(on, off)) >= SIMILAR:
            return load
        load = on["mbps"]
    return load if load is not None and load > SECOND_FLOW_EQUAL_MBPS + _SIMILAR_BOUND_MBPS else None


def _loss_before_congestion(choose: Callable[[list[float]], float]) -> Callable[[Tables], float | None]:
    def measure(tables: Tables) -> float | None:
        losses = [row["loss_percent"] for row in _rows(tables) if _fits_links(row)]
        return choose(losses) if losses else None

    return measure


def _congested(rows: Rows) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Returns the pairs of rows whose load exceeds the links if telemetry is on."""
    return [(on, off) for on, off in _pairs_by_telemetry(rows) if not _fits_links(on)]


def _is_worse_if_congested(rows: Rows, column: str) -> bool:
    """Returns whether a column is larger with telemetry than without it in all pairs of
    :func:`_congested`."""
    congested = _congested(rows)
    return bool(congested) and all(on[column] > off[column] for on, off in congested)


def _changes_with_switches(rows: Rows, telemetry: str, column: str, grows: bool = True) -> bool:
    """Returns whether a number grows (``grows``) or falls with the number of switches, at the
    largest load."""
    most = max(row["mbps"] for row in rows)
    values = sorted(
        (row["switches"], row[column])
        for row in rows
        if row["telemetry"] == telemetry and row["mbps"] == most
    )
    steps = [after - before for (_, before), (_, after) in pairwise(values)]
    return all(step > 0 if grows else step < 0 for step in steps)


def _five_switches_lose_the_most(rows: Rows) -> bool:
    """Returns whether five switches with telemetry lose most, at each load at which they lose
    anything."""
    by_load: dict[float, dict[tuple[int, str], float]] = {}
    for row in rows:
        by_load.setdefault(row["mbps"], {})[row["switches"], row["telemetry"]] = row["lost"]
    lossy = [loads for loads in by_load.values() if loads.get((5, "on"), 0) > 0]
    return bool(lossy) and all(
        loads[5, "on"] > lost for loads in lossy for place, lost in loads.items() if place != (5, "on")
    )


def _difference_by_switches(rows: Rows, column: str, telemetry: str) -> float:
    """Computes the largest difference between numbers of switches at any load, as a share of the
    largest of these values at all loads."""
    telemetry_rows = [row for row in rows if row["telemetry"] == telemetry]
    by_load: dict[float, list[float]] = {}
    for row in telemetry_rows:
        by_load.setdefault(row["mbps"], []).append(row[column])
    return float(
        max(max(values) - min(values) for values in by_load.values())
        / max(row[column] for row in telemetry_rows)
    )


def _latency_rises(rows: Rows) -> bool:
    """Returns whether latency grows from the smallest load to the largest, and more with
    telemetry."""
    pairs_by_switches = [
        _pairs_by_telemetry(rows, number) for number in sorted({row["switches"] for row in rows})
    ]
    return all(
        pairs[-1][side]["rtt_ms"] > pairs[0][side]["rtt_ms"] for pairs in pairs_by_switches for side in (0, 1)
    ) and all(pairs[-1][0]["rtt_ms"] > pairs[-1][1]["rtt_ms"] for pairs in pairs_by_switches)


def _jitter_ratio(rows: Rows) -> float:
    """Computes the largest ratio between the largest and the smallest jitter at a load."""
    by_load: dict[float, list[float]] = {}
    for row in rows:
        by_load.setdefault(row["mbps"], []).append(row["jitter_ms"])
    return max(max(values) / min(values) if min(values) else 1.0 for values in by_load.values())


def _two_flows_have_more_jitter(tables: Tables) -> bool | None:
    """Returns whether the mean jitter is larger than in test 1 with as many switches, at the same
    loads."""
    single_flow = tables.part(_LOAD)
    if single_flow is None:
        return None
    one_flow = {
        (row["telemetry"], row["mbps"]): row["jitter_ms"]
        for row in _rows(single_flow)
        if row["switches"] == 4
    }
    two_flows = {(row["telemetry"], row["mbps"]): row["jitter_ms"] for row in _rows(tables)}
    points = one_flow.keys() & two_flows.keys()
    return (
        sum(two_flows[point] for point in points) > sum(one_flow[point] for point in points)
        if points
        else None
    )


def _bandwidths_differ_above_equal(tables: Tables) -> bool | None:
    """Returns whether bandwidths differ above the load up to which the thesis's bandwidths are
    similar."""
    differences = [
        _bandwidth_loss(on, off)
        for on, off in _pairs_by_telemetry(_rows(tables))
        if on["mbps"] > SECOND_FLOW_EQUAL_MBPS
    ]
    return max(differences) > SIMILAR if differences else None


def _is_uncongested(tables: Tables) -> bool | None:
    """Returns whether nothing is lost at 3 and 3.5 Mbit/s, and pings wait for less than ten
    datagrams."""
    rows = [row for row in _rows(tables) if row["mbps"] in (3.0, 3.5)]
    if {row["mbps"] for row in rows} != {3.0, 3.5}:
        return None
    return all(row["both_lost_max"] == 0 and row["rtt_ms"] < 30 for row in rows)


def _half_make_reports(tables: Tables) -> bool | None:
    sent, reports = (tables.mean(name, every=2) for name in ("sent", "reports"))
    return None if sent is None or reports is None else abs(reports / sent - 0.5) < 0.01


def _each_makes_a_report(rows: Rows) -> bool:
    """Returns whether each datagram that arrives makes one report."""
    telemetry_rows = [row for row in rows if row["telemetry"] == "on"]
    return all(abs(row["reports"] - (row["sent"] - row["lost"])) < 0.5 for row in telemetry_rows)


PUBLISHED: Final[Sequence[Published]] = (
    _design_number("int.hdr", "section 3.3", ("", "INT header"), 3, INT_BYTES),
    _design_number("int.data", "section 3.3", ("each hop", "INT data"), 12, HOP_BYTES),
    _design_number("int.hdr.morehpcc", "section 4.2", ("", "INT header, in addition to HPCC's 2 bytes"), 1,
            INT_BYTES - _HPCC_HEADER_BYTES),
    _design_number("int.data.morehpcc", "section 4.2", ("each hop", "INT data, in addition to HPCC's 8 bytes"), 4,
            HOP_BYTES - _HPCC_HOP_BYTES),
    _number("int.drop5", "section 4.2", "INT test 1", ("five switches", "load from which the bandwidth falls"),
            FIVE_SWITCHES_MBPS, "Mbit/s",
            Predicted(part=_LOAD, value=_first_loss("lost", switches=5, telemetry="on"), absolute=0.5,
                      because=_SHARED_LAPTOP),
            "our value is the smallest load with loss; here, the bandwidth does not fall, but stays at the load that fits"),
    _number("int.loss.lo", "section 4.2", "INT test 1", ("before congestion", "smallest mean loss"), 0, "%",
            Predicted(part=_LOAD, value=_loss_before_congestion(min), absolute=0.1)),
    _number("int.loss.hi", "section 4.2", "INT test 1", ("before congestion", "largest mean loss"), 2, "%",
            Predicted(part=_LOAD, value=_loss_before_congestion(max), absolute=0.5, because=_SHARED_LAPTOP),
            "here, nothing is lost without congestion"),
    _load_number("rel.same", "figures 4.6 to 4.9", ("few switches, no congestion", "telemetry"), "changes almost nothing",
          lambda rows: all(abs(_bandwidth_loss(on, off)) < 0.01 and on["lost"] == off["lost"] == 0
                           for on, off in _pairs_by_telemetry(rows, 3) if _fits_links(on))),
    _load_number("rel.worse", "figures 4.6 to 4.9", ("congestion", "loss"), "is higher with telemetry",
          lambda rows: _is_worse_if_congested(rows, "lost")),
    _number("int.rel.double", "section 4.2", "INT test 1", ("telemetry on", "packets"),
            "are twice as many, because each datagram causes a report", "",
            Arithmetic(part=_LOAD, value=_relation((), _each_makes_a_report))),
    _load_number("rel.bw5", "figure 4.6", ("five switches", "bandwidth"), "is lower with telemetry, by more than 5 %",
          lambda rows: max(_bandwidth_loss(on, off) for on, off in _pairs_by_telemetry(rows, 5)) > SIMILAR,
          note="the thesis says “quite a difference”"),
    _load_number("rel.bw34", "figure 4.6", ("three and four switches", "bandwidth"), "is similar with and without telemetry, within 5 %",
          lambda rows: all(abs(_bandwidth_loss(on, off)) < SIMILAR for number in (3, 4) for on, off in _pairs_by_telemetry(rows, number))),
    _load_number("rel.loss5", "figure 4.8", ("five switches, telemetry on", "loss"),
          "is higher than in all other cases, and begins at a lower load", _five_switches_lose_the_most),
    _load_number("rel.lat.int", "figure 4.7", ("congestion", "latency"), "is higher with telemetry",
          lambda rows: _is_worse_if_congested(rows, "rtt_ms")),
    _load_number("rel.lat.diam", "figure 4.7", ("telemetry on", "latency"), "grows with the number of switches",
          lambda rows: _changes_with_switches(rows, "on", "rtt_ms")),
    _load_number("rel.lat.off", "figure 4.7", ("telemetry off", "latency"),
          "hardly depends on the number of switches: differs by less than 5 % of the highest latency",
          lambda rows: _difference_by_switches(rows, "rtt_ms", "off") < SIMILAR),
    _load_number("rel.lat.both", "figure 4.7", ("growing load", "latency"), "grows with and without telemetry, and more with telemetry",
          _latency_rises),
    _load_number("rel.decline", "", ("telemetry on", "bandwidth"),
          "falls with the number of switches, because headers are longer",
          lambda rows: _changes_with_switches(rows, "on", "goodput_mbps", grows=False)),
    _load_number("rel.jit", "figure 4.9", ("", "jitter"), "hardly depends on telemetry and switches: differs by less than a factor of 2",
          lambda rows: _jitter_ratio(rows) < 2,
          because="here, jitter is equal without congestion; where there is congestion only with telemetry, jitter is "
              "up to 3.7 times as high "
          "with telemetry, but below 0.3 ms, which may be invisible in a figure with outliers"),
    _number("int.rel.jit.out", "section 4.2, figure 4.9", "INT test 1", ("three switches, telemetry on", "jitter"),
            "outliers, whose cause was not found", "",
            NoValue(reason="the thesis does not say how many outliers there were, how large they were, and why they occurred")),
    _number("int2.congest", "section 4.2", "INT test 2", ("second flow of 2 Mbit/s", "load from which there is congestion"),
            SECOND_FLOW_MBPS, "Mbit/s", Arithmetic(part=_SECOND, value=_first_loss("both_lost"), absolute=0.5),
            "our value is the smallest load with loss; the links have room for 3.66 Mbit/s with telemetry and 3.82 without"),
    _number("int2.similar", "section 4.2", "INT test 2",
            ("second flow of 2 Mbit/s", "load up to which bandwidths with and without telemetry are similar"),
            SECOND_FLOW_EQUAL_MBPS, "Mbit/s",
            Predicted(part=_SECOND, value=_largest_similar_load, absolute=_SIMILAR_BOUND_MBPS, because=_SHARED_LAPTOP),
            "our value is the largest load up to which the bandwidths differ by less than 5 %; 6 Mbit/s is the lab's largest load"),
    Published(
        ids=["short.int2.good.lo", "short.int2.good.hi"],
        publication="Claeson and Kruse 2021",
        place="section 4.2",
        experiment="INT test 2",
        conditions="second flow of 2 Mbit/s, 3 and 3.5 Mbit/s",
        quantity="bandwidth, latency, jitter",
        value="are good: nothing is lost, and pings wait for less than ten datagrams",
        ours=Predicted(part=_SECOND, value=_is_uncongested),
        note="the thesis says “good”, without a measure",
    ),
    _number("int2.shift", "section 4.2", "INT test 2", ("compared with test 1", "reduction of the equivalent load"), 2, "Mbit/s",
            Arithmetic(value=SECOND_MBPS, absolute=0), "the thesis expected this reduction, and measured a larger one"),
    _both_flows("rel.lat", ("congestion", "latency"), "is higher with telemetry, as in test 1",
                Predicted(part=_SECOND, value=_relation((4,), lambda rows: _is_worse_if_congested(rows, "rtt_ms")))),
    _both_flows("rel.jit", ("mean of the loads of both tests", "jitter"), "is higher than with one flow",
                Predicted(part=_SECOND, value=_two_flows_have_more_jitter),
                "here, jitter is equal at 1 and 2 Mbit/s, because datagrams at these rates do not meet"),
    _both_flows("rel.gap", ("above 5 Mbit/s", "difference between bandwidths with and without telemetry"),
                "grows, and is larger than in test 1: above 5 %",
                Predicted(part=_SECOND,
                          value=_bandwidths_differ_above_equal,
                          because=_SHARED_LAPTOP)),
    _number("int.rel.net", "section 4.2", "INT", ("both tests (here the first)", "telemetry that nobody uses"),
            "harms the network", "",
            Predicted(part=_LOAD, value=_relation((3, 4, 5), lambda rows: _is_worse_if_congested(rows, "lost")
                                                  and _is_worse_if_congested(rows, "rtt_ms")), because=_SHARED_LAPTOP)),
    _number("int.rel.abstract", "abstract", "INT", ("congestion", "telemetry"), "costs bandwidth and latency", "",
            Predicted(part=_LOAD, value=_relation((3, 4, 5), lambda rows: _is_worse_if_congested(rows, "rtt_ms") and all(
                _bandwidth_loss(on, off) > 0 for on, off in _congested(rows))), because=_SHARED_LAPTOP)),
    _number("int.rel.conclusion", "chapter 5", "INT", ("more traffic", "harm that telemetry causes"), "grows", "",
            Predicted(part=_LOAD, value=_relation((3, 4, 5), lambda rows: all(
                _bandwidth_loss(*pairs[-1]) > _bandwidth_loss(*pairs[0])
                for pairs in (_pairs_by_telemetry(rows, number) for number in (3, 4, 5)))),
                because=_SHARED_LAPTOP),
            "the thesis also says that harm grows with larger packets; here, lengths do not vary, and with a longer "
            "payload the share of telemetry is smaller"),
    _number("int.rel.halve", "section 4.2", "INT, argued", ("telemetry on every other packet", "headers and reports"),
            "are half as many", "", Arithmetic(part="every-nth", value=_half_make_reports)),
    Published(
        ids=[f"short.cited.{name}" for name in ("hpcc.fct", "hpcc.bw", "hpcc.hdr", "hpcc.data", "hpcc.bw2", "hpcc.fct2",
                                                "hpcc.hdr2", "hpcc.data2", "pint")],
        publication="Claeson and Kruse 2021",
        place="sections 2.2.3 and 4.2",
        experiment="results of others",
        quantity="HPCC: time of flows, bandwidth, header and data of a hop; PINT: bytes of a packet",
        value="95 % less, 5 % less, 2 bytes, 8 bytes; 2 bytes",
        ours=NoValue(reason="measured by others, on other networks"),
        own=False,
    ),
)  # fmt: skip
"""All numbers of the thesis that concern telemetry."""
