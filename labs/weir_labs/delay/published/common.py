"""Functions and texts that several declarations of the thesis's numbers share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from weir.lab import Arithmetic, Fitted, NoValue, Predicted, Published, Tables

FITTED: Final = {
    "vm": "time of a pass and of the hosts in bmv2-vm, from X = 0, 1, 3 and 7 together",
    "server": "time of a pass and of the hosts in bmv2-server, from X = 0, 1, 3 and 7 together",
}
"""The parameters that were set from the thesis's round trips over unlimited links."""

NOT_VARYING: Final = "round trips do not vary from ping to ping here, because Weir does not model other load on the thesis's machines"


def number(
    name: str,
    place: str,
    experiment: str,
    conditions: str,
    quantity: str,
    value: float | str,
    ours: Fitted | Arithmetic | Predicted | NoValue,
    *,
    unit: str = "ms",
    note: str = "",
    own: bool = True,
) -> Published:
    """Declares a published number of the thesis; a relation has no unit."""
    return Published(
        ids=[f"delay.{name}"],
        publication="Fathi 2024",
        place=place,
        experiment=experiment,
        conditions=conditions,
        quantity=quantity,
        value=value,
        unit="" if isinstance(value, str) else unit,
        ours=ours,
        note=note,
        own=own,
    )


def rtt(machine: str, rate: str, x: int) -> Callable[[Tables], float | None]:
    """Returns a function that reads a minimum round trip of the experiment ``rtt`` from its tables,
    in milliseconds."""
    return lambda tables: tables.mean("rtt_min_ms", profile=f"bmv2-{machine}", rate=rate, x=x)


def round_trip_growth(
    machine: str, rate: str, first: int, last: int, by: int = 1
) -> Callable[[Tables], float | None]:
    """Returns a function that computes the growth of the round trip from X = ``first`` to X =
    ``last``, divided by ``by``, in milliseconds."""

    def difference(tables: Tables) -> float | None:
        ends = rtt(machine, rate, first)(tables), rtt(machine, rate, last)(tables)
        return None if ends[0] is None or ends[1] is None else (ends[1] - ends[0]) / by

    return difference


def known(*values: Any) -> bool:
    """Returns whether no value is ``None``."""
    return all(value is not None for value in values)
