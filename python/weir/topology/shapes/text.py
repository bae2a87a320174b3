"""Reads shapes from text such as ``dumbbell:4`` and ``leaf_spine:4,2,hosts=8``."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from weir.errors import TopologyError
from weir.text.suggest import nearest
from weir.topology.route_table import RouteTable
from weir.topology.shapes.fabrics import fat_tree, leaf_spine, random_regular, ring
from weir.topology.shapes.lines import chain, dumbbell, parking_lot, star, tree
from weir.topology.topology import Topology

SHAPES: Final = MappingProxyType(
    {
        shape.__name__: shape
        for shape in (
            star,
            chain,
            dumbbell,
            tree,
            parking_lot,
            ring,
            leaf_spine,
            fat_tree,
            random_regular,
        )
    }
)
"""The functions that create shapes, by name."""

_NUMBERS: Final = frozenset({"layer", "seed"})


def from_text(text: str) -> Topology:
    """Creates a topology from a string such as ``dumbbell:4,middle_rate=10Mbit``.

    The name is followed by the arguments of the function of that name: sizes in order, others by
    name. ``-`` in names counts as ``_``. ``routes`` is ``none``, or the name of the table that
    holds routes.

    Raises:
        TopologyError: there is no such shape or argument, or a size is missing or out of range.
        UnitError: a quantity cannot be read.
    """
    name, _, rest = text.partition(":")
    shape: Callable[..., Topology] | None = SHAPES.get(_identifier(name))
    if shape is None:
        raise TopologyError(
            f'there is no shape "{name}": expected one of {", ".join(SHAPES)}',
            suggestion=nearest(_identifier(name), SHAPES),
        )
    parameters = inspect.signature(shape).parameters
    sizes = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    names = list(parameters)
    sizes_by_name: dict[str, object] = {}
    for part in (part.strip() for part in rest.split(",") if part.strip()):
        key, equals, value = part.partition("=")
        if not equals:
            if len(sizes_by_name) >= len(sizes):
                raise TopologyError(
                    f'{text}: "{part}" is one size too many: {shape.__name__} takes {", ".join(sizes)}'
                )
            key, value = sizes[len(sizes_by_name)], part
        key = _identifier(key)
        if key not in names:
            raise TopologyError(
                f'{text}: {shape.__name__} has no argument "{key}": expected one of {", ".join(names)}',
                suggestion=nearest(key, names),
            )
        sizes_by_name[key] = _value(text, key, value.strip(), is_number=key in sizes or key in _NUMBERS)
    missing = [
        name
        for name in sizes
        if name not in sizes_by_name and parameters[name].default is inspect.Parameter.empty
    ]
    if missing:
        raise TopologyError(
            f"{text}: {missing[0]} is missing: expected {shape.__name__}:{','.join(sizes).upper()}"
        )
    return shape(**sizes_by_name)


def is_shape(text: str) -> bool:
    """Returns whether a string is meant as a shape instead of a file's name."""
    return re.fullmatch(r"[A-Za-z_-]+(:[^/\\]*)?", text) is not None and (
        ":" in text or _identifier(text) in SHAPES
    )


def _identifier(name: str) -> str:
    return name.strip().lower().replace("-", "_")


def _value(text: str, key: str, value: str, *, is_number: bool) -> int | bool | str | RouteTable | None:
    if key == "routes":
        return None if value == "none" else RouteTable(table=value)
    if key == "ipv6":
        if value not in ("yes", "no"):
            raise TopologyError(f'{text}: ipv6 = "{value}": expected yes or no')
        return value == "yes"
    if not is_number:
        return value
    try:
        return int(value)
    except ValueError:
        raise TopologyError(f'{text}: {key} = "{value}": expected a whole number') from None
