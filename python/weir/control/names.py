"""Names of objects as people write them: in full, or only their end."""

from __future__ import annotations

from collections.abc import Iterable

from weir.errors import ControlError
from weir.suggest import listing, nearest


def find(what: str, name: str, known: Iterable[str]) -> str:
    """The name that is ``name`` in full, or the only one that ends in ``.name``.

    Raises:
        ControlError: there is none, or several.
    """
    if not isinstance(name, str):
        raise ControlError(f"expected a name of a {what}, found {name!r}")
    known = list(known)
    if name in known:
        return name
    ends = [one for one in known if one.endswith(f".{name}")]
    if len(ends) == 1:
        return ends[0]
    if ends:
        raise ControlError(f'{what} "{name}" is ambiguous: {listing(ends)}')
    suggestion = nearest(name, known, dotted=True)
    there = "" if suggestion else f" (there are: {listing(known)})"
    raise ControlError(f'there is no {what} "{name}"{there}', suggestion=suggestion)
