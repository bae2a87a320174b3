"""The error for features that only Linux has, on other systems."""

from __future__ import annotations

import sys

from weir.errors import NetworkError


def require_linux(what: str, instead: str = "the virtual world works here") -> None:
    """Checks that this system is Linux.

    Args:
        what: the requested feature.
        instead: an alternative that also works on other systems.

    Raises:
        NetworkError: this is another system.
    """
    if sys.platform != "linux":
        raise NetworkError(f"{what} needs Linux, and this system is {sys.platform}: {instead}")
