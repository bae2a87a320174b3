"""The thesis's findings about its firewall: BMv2 in Mininet, without a controller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from weir.lab import Arithmetic, NoValue, Predicted, Published, Tables

from .network import MEMBERS, SWITCHES

_HOST_SWITCH_PAIRS: Final = len(MEMBERS) * len(SWITCHES)


def _is_zero(column: str, of: str) -> Callable[[Tables], bool | None]:
    """Returns a function that checks whether a count is 0 in all runs.

    Args:
        column: the count.
        of: the number of attempts; if there were none, the count shows nothing.
    """

    def value(tables: Tables) -> bool | None:
        runs = tables.runs
        return bool((runs[column] == 0).all()) if (runs[of] > 0).all() else None

    return value


def _entries(tables: Tables) -> float:
    """Computes the number of table entries for a host in a switch."""
    return float(tables.runs["entries"][0]) / _HOST_SWITCH_PAIRS


def _finding(
    name: str,
    place: str,
    what: tuple[str, str],
    value: float | str,
    ours: Arithmetic | Predicted | NoValue,
    unit: str = "",
) -> Published:
    """Declares a finding; ``what`` contains the conditions and the quantity."""
    return Published(
        ids=[f"short.fw.{name}"],
        publication="Claeson and Kruse 2021",
        place=place,
        experiment="firewall",
        conditions=what[0],
        quantity=what[1],
        value=value,
        unit=unit,
        ours=ours,
    )


PUBLISHED: Final[Sequence[Published]] = (
    _finding(
        "rel.spoof",
        "section 4.4",
        ("MAC addresses of other hosts", "frames"),
        "are blocked",
        Predicted(part="binding", value=_is_zero("spoofed_leaked", "spoofed_sent")),
    ),
    _finding(
        "rel.h4",
        "section 4.4",
        ("without entries", "host 4"),
        "has no access",
        Predicted(part="binding", value=_is_zero("late_before", "pings")),
    ),
    _finding(
        "rules",
        "section 4.4",
        ("each host and switch", "rules"),
        2,
        Arithmetic(part="binding", value=_entries, absolute=0),
        "entries",
    ),
    _finding(
        "rel.onerule",
        "abstract",
        ("", "rules"),
        "one single rule blocks",
        NoValue(
            reason="section 4.4 of the thesis says two rules for each host and switch, and another row compares these"
        ),
    ),
    _finding(
        "rel.perf",
        "section 4.4",
        ("", "cost of the firewall"),
        "not measured",
        NoValue(
            reason="the thesis did not measure it; python -m weir_labs.firewall.native measures the cost of the lab's firewall"
        ),
    ),
)
"""All findings of the thesis, which does not report what host 4 can do once it is admitted."""
