"""Two switches in a row (5.2.4)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final

from weir.lab import Arithmetic, Fitted, Predicted, Tables

from ..machines import MACHINES
from ..theory import rate_name
from .common import FITTED, number

_RTT: Final = ("5.2.4", "two switches: round trips")
_TCP: Final = ("5.2.4", "two switches: TCP")
_TRANSMISSIONS: Final = (2, 4, 8, 16)
_LINKS: Final = ("unlimited", "25Mbit", "10Mbit")
_SLOPE_NOTE: Final = (
    "0.69 is only the step from 0.97 to 1.66; the line through all four round trips, to which bmv2-vm is "
    "fitted, has a slope of 0.62"
)

_STEP_NOTE: Final = (
    "bmv2-vm is fitted to the same 1.66 ms of one switch at X = 1, and here a second switch takes as long as a "
    "recirculation"
)


def _rtt(switches: int, transmissions: int, link: str = "unlimited") -> Callable[[Tables], float | None]:
    point = {"switches": switches, "transmissions": transmissions, "link": link}
    return lambda tables: tables.mean("rtt_min_ms", **point)


def _second_switch(tables: Tables) -> float | None:
    """Computes the round-trip time that the second switch adds, in milliseconds."""
    one, two = _rtt(1, 1)(tables), _rtt(2, 2)(tables)
    return None if one is None or two is None else two - one


def _pairs(
    tables: Tables, measure: Callable[[int, int, str], Callable[[Tables], float | None]], link: str
) -> list[tuple[float, float]] | None:
    """Pairs the values of one switch and of two switches at equal transmissions; returns ``None``
    if a point is missing."""
    pairs = []
    for transmissions in _TRANSMISSIONS:
        one, two = (measure(count, transmissions, link)(tables) for count in (1, 2))
        if one is None or two is None:
            return None
        pairs.append((one, two))
    return pairs


def _round_trips_are_alike(tables: Tables) -> bool | None:
    pairs = _pairs(tables, _rtt, "unlimited")
    return None if pairs is None else all(abs(two / one - 1) < 0.02 for one, two in pairs)


def _a_switch_is_a_recirculation(tables: Tables) -> bool | None:
    once, switch = _rtt(1, 2)(tables), _second_switch(tables)
    none = _rtt(1, 1)(tables)
    if once is None or none is None or switch is None:
        return None
    return abs(switch / (once - none) - 1) < 0.02


def _higher_on_slow_links(tables: Tables) -> bool | None:
    pairs = _pairs(tables, _rtt, "10Mbit")
    return None if pairs is None else all(two > one for one, two in pairs)


def _tcp(switches: int, transmissions: int, link: str) -> Callable[[Tables], float | None]:
    point = {"switches": switches, "transmissions": transmissions, "link": link}
    return lambda tables: tables.mean("goodput_mbps", **point)


def _tcp_pairs(tables: Tables) -> list[list[tuple[float, float]]] | None:
    pairs_of_links = [_pairs(tables, _tcp, link) for link in _LINKS]
    measured = [pairs for pairs in pairs_of_links if pairs is not None]
    return measured if len(measured) == len(_LINKS) else None


def _tcp_falls(tables: Tables) -> bool | None:
    links = _tcp_pairs(tables)
    if links is None:
        return None
    curves = [[two for _, two in pairs] for pairs in links]
    return all(after < 0.999 * before for curve in curves for before, after in itertools.pairwise(curve))


def _tcp_converges(tables: Tables) -> bool | None:
    links = _tcp_pairs(tables)
    if links is None:
        return None
    first, last = ([pairs[place][1] for pairs in links] for place in (0, -1))
    return 1 - min(last) / max(last) < 0.25 * (1 - min(first) / max(first))


def _two_switches_send_more(tables: Tables) -> bool | None:
    links = _tcp_pairs(tables)
    return None if links is None else all(two > one for pairs in links for one, two in pairs)


_LINK_IS_THE_LIMIT: Final = "with links of 10 Mbit/s and 2 transmissions, the link is the limit in both cases, and throughput is the same"

NUMBERS: Final = [
    number(
        "two.rtt.equal", *_RTT, "links unlimited, 2 transmissions", "minimum round trip, with one switch and with two", 1.66,
        Fitted(parameter=FITTED["vm"], part="switches-rtt", value=_rtt(1, 2)),
        note="our value is for one switch with X = 1; another row compares two switches",
    ),
    number(
        "two.rtt.one", *_RTT, "one switch, links unlimited, X = 0", "minimum round trip", 0.97,
        Fitted(parameter=FITTED["vm"], part="switches-rtt", value=_rtt(1, 1)),
    ),
    number(
        "two.rtt.one.repeat", *_RTT, "one switch, links unlimited, X = 0", "time of all processing", 0.97,
        Fitted(parameter=FITTED["vm"], part="switches-rtt", value=_rtt(1, 1)),
    ),
    number(
        "two.rtt.two", *_RTT, "two switches, links unlimited, X = 0", "minimum round trip", 1.66,
        Arithmetic(part="switches-rtt", value=_rtt(2, 2), relative=0.02), note=_STEP_NOTE,
    ),
    number(
        "two.rtt.diff", *_RTT, "links unlimited, X = 0", "time that the second switch adds", 0.69,
        Predicted(part="switches-rtt", value=_second_switch, relative=0.05, because=_SLOPE_NOTE),
        note="for one recirculation, another sentence of the thesis has 0.68",
    ),
    number(
        "two.rtt.sw", *_RTT, "", "processing of one switch, in both directions", 0.69,
        Predicted(part="switches-rtt", value=_second_switch, relative=0.05, because=_SLOPE_NOTE),
    ),
    number(
        "two.rtt.hosts", *_RTT, "", "processing of both hosts", 0.28,
        Fitted(
            parameter=FITTED["vm"], part="switches-rtt",
            value=lambda tables: 2 * MACHINES["bmv2-vm"].host_ns / 1e6,
        ),
        note="the thesis's value is 0.97 ms minus the time of the switch; ours comes from the line through four round trips",
    ),
    number(
        "two.rel.parallel", *_RTT, "links unlimited, equal transmissions", "minimum round trip",
        "is almost the same over one switch and over two", Arithmetic(part="switches-rtt", value=_round_trips_are_alike),
        note="judged by a difference below 2 %; here, a pass takes the same time in each switch",
    ),
    number(
        "two.rel.recirc", *_RTT, "links unlimited", "one recirculation",
        "takes almost as long as one more switch",
        Arithmetic(part="switches-rtt", value=_a_switch_is_a_recirculation), note="both are one more pass in each direction",
    ),
    number(
        "two.rel.10M", *_RTT, "links 10 Mbit/s, equal transmissions", "minimum round trip",
        "is a little longer over two switches", Arithmetic(part="switches-rtt", value=_higher_on_slow_links),
        note="longer by two transmissions of 0.99 ms; the thesis attributes it to processing",
    ),
    *(
        number(
            f"two.tcp.{name}", *_TCP, f"two switches, links {rate_name(link)}, X = 0", "throughput", value,
            (Arithmetic if link == "10Mbit" else Predicted)(part="switches-tcp", value=_tcp(2, 2, link), relative=0.1),
            unit="Mbit/s", note=note,
        )
        for name, link, value, note in (
            ("unlim", "unlimited", 23.03, ""),
            ("25", "25Mbit", 21.7, ""),
            ("10", "10Mbit", 9.39, "TCP fills the link; headers leave 9.56 of 10 Mbit/s for payload"),
        )
    ),
    number(
        "two.rel.tcp.fall", *_TCP, "two switches, all link rates", "throughput", "falls with X",
        Predicted(
            part="switches-tcp", value=_tcp_falls,
            because="with links of 10 Mbit/s, the link is the limit both with 2 and with 4 transmissions; at all other "
                "points, throughput falls",
        ),
    ),
    number(
        "two.rel.tcp.conv", *_TCP, "two switches", "throughput by link rate", "converges as X grows",
        Predicted(part="switches-tcp", value=_tcp_converges),
    ),
    number(
        "two.rel.tcp.higher", *_TCP, "equal transmissions", "throughput", "is always higher over two switches",
        Predicted(part="switches-tcp", value=_two_switches_send_more, because=_LINK_IS_THE_LIMIT),
    ),
    number(
        "two.rel.tcp.lower", *_TCP, "equal transmissions", "throughput", "is lower over one switch at each point",
        Predicted(part="switches-tcp", value=_two_switches_send_more, because=_LINK_IS_THE_LIMIT),
    ),
]  # fmt: skip
