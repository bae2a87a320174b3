"""The paper's statements without numbers, and whether they hold in the lab."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

from weir.lab import NoValue, Predicted, Published, Tables

from .averaged import variation_of_mean
from .paper import PUBLICATION
from .scenarios import SCENARIO_1, SCENARIO_2

_PERIODS: Final = (1, 2, 3, 4)
_PACED: Final = ("htb", "fq")
_EQUAL_RATIO: Final = 1.01
"""The ratio up to which two throughputs count as equal."""

_QUEUE_NOTE: Final = (
    "this holds with the queue that is fitted to regular TCP in P4; with a long queue, regular TCP is "
    "better (the experiment buffers)"
)


def _totals(tables: Tables, mode: str, scenario: dict[str, Any]) -> list[float] | None:
    """Returns the throughput of all hosts in P1 to P4; ``None`` if there are no such runs."""
    totals = [tables.mean(f"total_{number}", mode=mode, **scenario) for number in _PERIODS]
    measured = [total for total in totals if total is not None]
    return measured if len(measured) == len(totals) else None


def _all_totals(tables: Tables, scenario: dict[str, Any]) -> dict[str, list[float]] | None:
    totals_by_mode = {mode: _totals(tables, mode, scenario) for mode in ("cubic", *_PACED)}
    measured = {mode: mode_totals for mode, mode_totals in totals_by_mode.items() if mode_totals is not None}
    return measured if len(measured) == len(totals_by_mode) else None


def _modes_are_ordered(number: int) -> Callable[[Tables], bool | None]:
    def value(tables: Tables) -> bool | None:
        totals = _all_totals(tables, SCENARIO_2)
        if totals is None:
            return None
        rates = [totals[mode][number - 1] for mode in ("htb", "fq", "cubic")]
        return all(larger > _EQUAL_RATIO * less for larger, less in pairwise(rates))

    return value


def _gaps(tables: Tables, scenario: dict[str, Any]) -> list[float] | None:
    """Computes for each period the difference between HTB's and regular TCP's throughput, relative
    to regular TCP's."""
    totals = _all_totals(tables, scenario)
    if totals is None:
        return None
    return [paced / regular - 1 for paced, regular in zip(totals["htb"], totals["cubic"], strict=True)]


def _gap_closes(tables: Tables) -> bool | None:
    gaps = _gaps(tables, SCENARIO_2)
    return None if gaps is None else all(before > after for before, after in pairwise(gaps))


def _gap_grows_with_rtt(tables: Tables) -> bool | None:
    lan = tables.part("lan")
    lan_gaps = None if lan is None else _gaps(lan, SCENARIO_1)
    wan_gaps = _gaps(tables, SCENARIO_2)
    return None if lan_gaps is None or wan_gaps is None else sum(wan_gaps) > sum(lan_gaps)


def _totals_are_similar(tables: Tables) -> bool | None:
    totals = _all_totals(tables, SCENARIO_1)
    if totals is None:
        return None
    return all(min(rates) > 0.9 * max(rates) for rates in zip(*totals.values(), strict=True))


def _pacing_is_fairer(tables: Tables) -> bool | None:
    for number in _PERIODS[1:]:
        measures = (f"fairness_{number}", *(f"cv_{number}_h{host}" for host in range(1, number + 1)))
        for place, name in enumerate(measures):
            regular, *paced = (tables.mean(name, mode=mode, **SCENARIO_1) for mode in ("cubic", *_PACED))
            if regular is None or None in paced:
                return None
            if any(rate < regular if place == 0 else rate > regular for rate in paced if rate is not None):
                return False
    return True


def _variation(tables: Tables, mode: str) -> list[float] | None:
    """Computes the coefficient of variation of each host in P2 to P4."""
    variations = [
        variation_of_mean(tables, number, f"h{host}", mode=mode, **SCENARIO_2)
        for number in _PERIODS[1:]
        for host in range(1, number + 1)
    ]
    measured = [variation for variation in variations if variation is not None]
    return measured if len(measured) == len(variations) else None


def _htb_is_steadier(tables: Tables) -> bool | None:
    htb, regular = _variation(tables, "htb"), _variation(tables, "cubic")
    if htb is None or regular is None:
        return None
    return all(paced < unpaced / 2 for paced, unpaced in zip(htb, regular, strict=True))


def _variation_is_below_two_percent(tables: Tables) -> bool | None:
    variations = _variation(tables, "htb")
    return None if variations is None else max(variations[-4:]) < 2


def _pacing_sends_more(tables: Tables) -> bool | None:
    totals = _all_totals(tables, SCENARIO_2)
    return None if totals is None else all(sum(totals[mode]) > sum(totals["cubic"]) for mode in _PACED)


def _pacing_is_better(tables: Tables) -> bool | None:
    """Returns whether throughput, steadiness and fairness are better with pacing."""
    sends_more, steadier = _pacing_sends_more(tables), _htb_is_steadier(tables)
    fair = [tables.mean("fairness_4", mode=mode, **SCENARIO_2) for mode in ("cubic", *_PACED)]
    if sends_more is None or steadier is None or fair[0] is None:
        return None
    return sends_more and steadier and all(rate is not None and rate > fair[0] for rate in fair[1:])


def _relation(
    name: str,
    experiment: str,
    quantity: str,
    value: str,
    ours: Predicted | NoValue,
    conditions: str = "",
    note: str = "",
    place: str = "section IV",
    own: bool = True,
) -> Published:
    return Published(
        ids=(name,),
        publication=PUBLICATION,
        place=place,
        experiment=experiment,
        conditions=conditions,
        quantity=quantity,
        value=value,
        ours=ours,
        own=own,
        note=note,
    )


_EQUAL: Final = (
    "not explained: here, HTB and FQ have the same throughput, because both keep the rate to within 1 %"
)

RELATIONS: Final = [
    _relation(
        "pacing.s2.prose.p4.htb.CVmax",
        "scenario 2",
        "coefficients of variation",
        "are below 2 % for all hosts",
        Predicted(part="wan", value=_variation_is_below_two_percent),
        "HTB, P4",
    ),
    _relation(
        "pacing.rel.s2.p1.order",
        "scenario 2",
        "throughput",
        "is highest with HTB, then with FQ, then with regular TCP",
        Predicted(part="wan", value=_modes_are_ordered(1), because=_EQUAL),
        "P1",
    ),
    _relation(
        "pacing.rel.s2.p2.order",
        "scenario 2",
        "throughput",
        "is highest with HTB, then with FQ, then with regular TCP",
        Predicted(part="wan", value=_modes_are_ordered(2), because=_EQUAL),
        "P2",
    ),
    _relation(
        "pacing.rel.s2.p3p4.gap",
        "scenario 2",
        "throughput of regular TCP",
        "approaches that of pacing with each further host",
        Predicted(part="wan", value=_gap_closes),
        note="shown for HTB in P1 to P4",
    ),
    _relation(
        "pacing.rel.s1.similar",
        "scenario 1",
        "throughput",
        "is similar in all three modes",
        Predicted(part="lan", value=_totals_are_similar),
        note="judged by totals that differ by less than 10 %; we do not have the figure",
    ),
    _relation(
        "pacing.rel.s1.fairness",
        "scenario 1",
        "fairness and variation",
        "are better with pacing",
        Predicted(part="lan", value=_pacing_is_fairer),
        note="judged by fairness and by each host's variation in P2 to P4; we do not have the figure",
    ),
    _relation(
        "pacing.rel.rtt.exacerbates",
        "scenario 1 compared with 2",
        "difference between throughputs with and without pacing",
        "grows with the round trip",
        Predicted(part="wan", value=_gap_grows_with_rtt),
        note="here, both scenarios have the same queue",
    ),
    _relation(
        "pacing.rel.cv.htb",
        "scenario 2",
        "coefficients of variation",
        "are far smaller with HTB than with regular TCP",
        Predicted(part="wan", value=_htb_is_steadier),
        "several hosts",
        note="judged by coefficients below half of those of regular TCP, for each host in P2 to P4",
    ),
    _relation(
        "pacing.rel.conclusion.mean",
        "pacing",
        "mean throughput",
        "is higher with pacing",
        Predicted(part="wan", value=_pacing_sends_more),
        note=_QUEUE_NOTE,
        place="section V",
    ),
    _relation(
        "pacing.rel.abstract",
        "pacing",
        "throughput, sawtooth, fairness",
        "are better with pacing",
        Predicted(part="wan", value=_pacing_is_better),
        note=_QUEUE_NOTE,
        place="abstract",
    ),
    _relation(
        "pacing.rel.packets",
        "pacing",
        "custom packets",
        "only when a flow joins or leaves",
        NoValue(
            reason="the paper states this about its design, and does not measure it; the lab's switch also repeats shares once a second"
        ),
        place="abstract",
    ),
    *(
        _relation(
            f"pacing.cited.conformance.{name}",
            "cited",
            "deviation from the paced rate",
            f"at most {percent} %",
            NoValue(reason="cited from measurements of others on a real computer"),
            "HTB or FQ",
            place="section II-B",
            own=False,
        )
        for name, percent in (("lo", 5), ("hi", 6))
    ),
    _relation(
        "pacing.cited.htb.cpu",
        "cited",
        "processor time",
        "grows in proportion to packets per second",
        NoValue(reason="cited from others; the lab does not measure processor time"),
        "HTB",
        place="section II-B",
        own=False,
    ),
]
"""All of the paper's statements."""
