"""Labs: experiments from publications, each started by one command.

A lab is a folder with P4 programs, topologies, experiments (functions decorated with
``@weir.experiment``) and a part of the report for each. Labs use only Weir's public Python API, and
import their own modules relatively, so that a copy (``weir lab copy``) runs unchanged.
:mod:`weir.lab` has the names that labs need, which this module exports, and runs labs.

To add a lab, create its folder here: its docstring's first line is the title, and its module
``lab`` has the variable ``LAB``. ``docs/decisions/0030-labs-are-experiments.md`` says more.
"""

from __future__ import annotations

from weir import lab

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weir.lab import (
        Findings as Findings,
        Lab as Lab,
        Outcome as Outcome,
        Part as Part,
        Tables as Tables,
        copy_lab as copy_lab,
        json_object as json_object,
        lab_folders as lab_folders,
        lab_title as lab_title,
        listing as listing,
        load_lab as load_lab,
        nearest as nearest,
        one_of as one_of,
        read_text as read_text,
        run_lab as run_lab,
        shown as shown,
        within as within,
        write_whole_json as write_whole_json,
    )

__all__ = lab.__all__


def __getattr__(name: str) -> object:
    """Loads names when they are used: some need the libraries of the extra ``lab``."""
    if name in __all__:
        return getattr(lab, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
