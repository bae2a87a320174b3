"""Labs: experiments from publications, each started by one command.

A lab is a folder with P4 programs, topologies, experiments (functions decorated with
``@weir.experiment``) and a part of the report for each. Labs use only Weir's public Python API, and
import their own modules relatively, so that a copy (``weir lab copy``) runs unchanged.
:mod:`weir.lab` runs them; this module exports the names that labs need.

To add a lab, create its folder here: its docstring's first line is the title, and its module
``lab`` has the variable ``LAB``. ``docs/decisions/0030-labs-are-experiments.md`` says more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir.errors import shown
from weir.files.jsontext import json_object
from weir.files.textfile import read_text
from weir.files.whole_file import write_whole_json
from weir.lab.choice import one_of, within
from weir.lab.copying import copy_lab
from weir.lab.known import lab_folders, lab_title, load_lab
from weir.text.suggest import listing, nearest

if TYPE_CHECKING:
    from weir.lab.lab import Findings, Lab, Part
    from weir.lab.running import Outcome, run_lab
    from weir.lab.tables import Tables

__all__ = [
    "Findings",
    "Lab",
    "Outcome",
    "Part",
    "Tables",
    "copy_lab",
    "json_object",
    "lab_folders",
    "lab_title",
    "listing",
    "load_lab",
    "nearest",
    "one_of",
    "read_text",
    "run_lab",
    "shown",
    "within",
    "write_whole_json",
]

_MODULES = {
    "Findings": "lab",
    "Lab": "lab",
    "Part": "lab",
    "Outcome": "running",
    "run_lab": "running",
    "Tables": "tables",
}


def __getattr__(name: str) -> object:
    """Loads names that need the libraries of the extra ``lab`` only when they are used."""
    import importlib

    if name in _MODULES:
        return getattr(importlib.import_module(f"weir.lab.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
