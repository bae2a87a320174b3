"""Libraries that only the extra ``lab`` installs, for plots, data frames, reports and labs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final

from weir.errors import MissingExtraError

_LAB: Final = ("jinja2", "matplotlib", "polars")


@contextmanager
def lab_extra(purpose: str) -> Iterator[None]:
    """Imports in the block are for ``purpose``, such as ``plots``, which needs the extra ``lab``.

    Raises:
        MissingExtraError: a library of the extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in _LAB:
            raise
        raise MissingExtraError(purpose, library) from None


def require_plots() -> None:
    """Reports a missing matplotlib, for commands that plot only after a long run.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise MissingExtraError("plots", "matplotlib")
