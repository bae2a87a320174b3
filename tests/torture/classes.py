"""The classes of hostile input."""

from __future__ import annotations

import importlib
from typing import Final

from torture.case import Class

NAMES: Final = ("programs", "control", "packets", "networks", "files", "arguments", "thrift", "processes")


def load(name: str) -> Class:
    """The class of this name. Others are not imported, so that a worker stays small.

    A name with a dot is the name of a module outside of this package.
    """
    tortured = importlib.import_module(name if "." in name else f"torture.{name}").CLASS
    assert isinstance(tortured, Class)
    return tortured
