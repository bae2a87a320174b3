"""The paper's numbers, each with the method that computes the lab's value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from weir.lab import Arithmetic, Fitted, Predicted, Published, Tables

from .averaged import fairness_of_mean, variation_of_mean
from .paper import FAIRNESS, PUBLICATION, THROUGHPUT, TOTALS, VARIATION
from .relations import RELATIONS
from .scenarios import MODES, SCENARIO_2

_PERIODS: Final = (1, 2, 3, 4)
_NAMES: Final = {"regular": "regular TCP", "htb": "HTB", "fq": "FQ"}

_RATE_SHARE: Final = 0.05
"""The allowed difference of a rate, as a share. The paper cites that HTB and FQ keep their rates to
within 5 to 6 %."""

_REGULAR_SHARE: Final = 0.10
_VARIATION_SHARE: Final = 0.5
_FAIRNESS_SIZE: Final = {"regular": 0.01, "htb": 0.001, "fq": 0.001}

_REASON_OF_REGULAR: Final = (
    "each of the paper's hosts has about a third of the link in P1 and P2, as if its packets were lost: random losses "
    "of 0.05 %, fitted to P1, give totals of P2 to P4 that are 2 to 9 % lower than the paper's (the experiment losses). We do not "
    "know whether the paper's network lost packets"
)
_REASONS_OF_PACED: Final = {
    1: "not explained: here, a host that is alone keeps its rate, with HTB and with FQ. With the losses that fit regular TCP, it "
    "has about a third of the link in the lab",
    2: "not explained: here, both hosts keep their rates, with HTB and with FQ. With the losses that fit regular TCP, they have "
    "about two thirds of the link together in the lab",
}
"""The reasons why the throughput of paced hosts in P1 and P2 differs from the paper's."""

_NOTE_ON_VARIATION: Final = (
    "not explained: on the fitted shared computer, the rates are just as steady as here; on a computer four times slower, they vary more "
    "than the paper's in P4 (the experiment shared-computer)"
)
_NOTE_ON_JOINING: Final = (
    "the host has just joined, and the slow start in its first second affects the variation"
)

_REASONS_OF_FAIRNESS: Final = {
    ("regular", 2): "our value is the index of mean rates; the mean index of single runs is lower",
    (
        "regular",
        3,
    ): "our value is the index of mean rates; the mean index of single runs is lower. Computed from the paper's rates of "
    "hosts in table I, the paper's index is 0.9959",
    ("regular", 4): "in the paper, h4, which joins last, has two thirds of the rate of each other host",
    ("fq", 3): "computed from the hosts' rates in table I, the index is 0.99996",
}
"""Remarks that explain a difference from an index in table II, or cast doubt on that index."""


def _declare(
    name: str,
    place: str,
    mode: str,
    number: int,
    quantity: str,
    value: float,
    unit: str,
    ours: Any,
    note: str,
) -> Published:
    """Declares a number of scenario 2."""
    return Published(
        ids=(name,),
        publication=PUBLICATION,
        place=place,
        experiment="scenario 2",
        conditions=f"{_NAMES[mode]}, P{number}",
        quantity=quantity,
        value=value,
        unit=unit,
        ours=ours,
        note=note,
    )


def _mean_of(name: str, mode: str) -> Callable[[Tables], float | None]:
    return lambda tables: tables.mean(name, mode=MODES[mode], **SCENARIO_2)


def _variation_of(mode: str, number: int, host: int) -> Callable[[Tables], float | None]:
    return lambda tables: variation_of_mean(tables, number, f"h{host}", mode=MODES[mode], **SCENARIO_2)


def _fairness_of(mode: str, number: int) -> Callable[[Tables], float | None]:
    return lambda tables: fairness_of_mean(tables, number, mode=MODES[mode], **SCENARIO_2)


def _throughput(mode: str, number: int, host: int | None) -> Arithmetic | Fitted | Predicted:
    """Returns the method that computes the throughput of one host, or of all hosts together."""
    value = _mean_of(f"total_{number}" if host is None else f"mbps_{number}_h{host}", mode)
    if (mode, number, host) == ("regular", 4, None):
        return Fitted(parameter="queue of 16 packets", part="wan", value=value)
    if (mode, number) == ("htb", 4):
        return Fitted(parameter="reserve l of 0.5 %", part="wan", value=value)
    if mode != "regular":
        follows = Arithmetic(part="wan", value=value, relative=_RATE_SHARE)
        return replace(follows, because=_REASONS_OF_PACED[number]) if number <= 2 else follows
    share = _REGULAR_SHARE if mode == "regular" and host is not None else _RATE_SHARE
    if number <= 2:
        return Predicted(part="wan", value=value, relative=share, because=_REASON_OF_REGULAR)
    return Predicted(part="wan", value=value, relative=share)


_NOTE_ON_UNCERTAINTY: Final = "half of the 95 % interval of our mean is 3 to 5 Mbit/s"
"""The uncertainty of the hosts' rates with regular TCP, of which only the sum is steady."""


def _note_on_rate(mode: str, number: int, host: int | None) -> str:
    """Says how far our value of a rate depends on a fitted parameter, and gives the uncertainty of
    the value if it is large."""
    if mode == "regular":
        if number < 4:
            dependence = "our value depends on the queue, which is fitted to the paper's total in P4"
        elif host:
            dependence = (
                "the sum of the four rates is fitted, so only its division among the hosts is predicted"
            )
        else:
            return ""
        return f"{dependence}; {_NOTE_ON_UNCERTAINTY}" if host and number > 1 else dependence
    if (mode, number) == ("htb", 4):
        return ""
    return (
        "our value follows from the link's rate, headers and the fitted reserve, if each host keeps its rate"
    )


def _totals(place: str, name: str, periods: tuple[int, ...], note: str = "") -> list[Published]:
    return [
        _declare(
            name.format(mode=mode, number=number),
            place,
            mode,
            number,
            "throughput of all hosts",
            TOTALS[mode][number - 1],
            "Mbit/s",
            _throughput(mode, number, None),
            "; ".join(text for text in (_note_on_rate(mode, number, None), note) if text),
        )
        for number in periods
        for mode in MODES
    ]


def _hosts() -> list[Published]:
    return [
        _declare(
            f"pacing.s2.{mode}.p{number}.T{host}",
            "table I",
            mode,
            number,
            f"throughput of h{host}",
            value,
            "Mbit/s",
            _throughput(mode, number, host),
            _note_on_rate(mode, number, host),
        )
        for mode in MODES
        for number in _PERIODS
        for host, value in enumerate(THROUGHPUT[mode][number - 1], start=1)
    ]


def _fairness() -> list[Published]:
    numbers = []
    for mode in MODES:
        for number in _PERIODS:
            ours: Arithmetic | Predicted = Arithmetic(value=1.0, absolute=0)
            note = "the index of a single host is always 1"
            if number > 1:
                kind = Predicted if mode == "regular" else Arithmetic
                ours = kind(part="wan", value=_fairness_of(mode, number), absolute=_FAIRNESS_SIZE[mode])
                equal = "" if mode == "regular" else "hosts that keep equal rates have an index of 1"
                reason = _REASONS_OF_FAIRNESS.get((mode, number), "")
                note = "; ".join(text for text in (equal, reason) if text)
            numbers.append(
                _declare(
                    f"pacing.s2.{mode}.p{number}.F",
                    "table II",
                    mode,
                    number,
                    "Jain's fairness index",
                    FAIRNESS[mode][number - 1],
                    "",
                    ours,
                    note,
                )
            )
    return numbers


def _why_variation(mode: str, number: int, host: int) -> str:
    if mode == "regular":
        return "not explained"
    return _NOTE_ON_JOINING if host == number > 1 else _NOTE_ON_VARIATION


def _variation(
    place: str, name: str, modes: tuple[str, ...], periods: tuple[int, ...], note: str
) -> list[Published]:
    return [
        _declare(
            name.format(mode=mode, number=number, host=host),
            place,
            mode,
            number,
            f"coefficient of variation of h{host}",
            value,
            "%",
            Predicted(
                part="wan",
                value=_variation_of(mode, number, host),
                relative=_VARIATION_SHARE,
                because=_why_variation(mode, number, host),
            ),
            note,
        )
        for mode in modes
        for number in periods
        for host, value in enumerate(VARIATION[mode][number - 1], start=1)
    ]


def _differing_number() -> Published:
    """Declares the only number in the paper's text that differs from its tables."""
    return _declare(
        "pacing.s2.prose.p2.fq.sumT",
        "section IV",
        "fq",
        2,
        "throughput of all hosts",
        89.81,
        "Mbit/s",
        _throughput("fq", 2, None),
        "table I has 89.91, the sum of its hosts",
    )


_NOTE_ON_REPETITION: Final = "the paper's table has the same number"

NUMBERS: Final = [
    *_totals("table I", "pacing.s2.{mode}.p{number}.sumT", _PERIODS),
    *_hosts(),
    *_fairness(),
    *_variation("table II", "pacing.s2.{mode}.p{number}.CV{host}", tuple(MODES), _PERIODS, ""),
    *(
        one
        for one in _totals("section IV", "pacing.s2.prose.p{number}.{mode}.sumT", (1, 2), _NOTE_ON_REPETITION)
        if one.ids != _differing_number().ids
    ),
    _differing_number(),
    *_variation(
        "section IV",
        "pacing.s2.prose.p{number}.{mode}.CV{host}",
        ("htb", "regular"),
        (2, 4),
        _NOTE_ON_REPETITION,
    ),
    *RELATIONS,
]
"""All numbers of the paper, by their ids."""
