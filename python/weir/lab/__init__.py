"""The definition of labs, helpers for labs, and the code that runs labs.

Weir's own labs are in the package ``weir_labs``, which is a separate distribution; see
:mod:`weir.lab.installed`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weir.errors import shown as shown
    from weir.files.jsontext import json_object as json_object
    from weir.files.textfile import read_text as read_text
    from weir.files.whole_file import write_whole_json as write_whole_json
    from weir.lab.choice import one_of as one_of, switches_of as switches_of, within as within
    from weir.lab.claims import (
        all_within as all_within,
        by_at_most as by_at_most,
        claim as claim,
        part_of as part_of,
        span as span,
    )
    from weir.lab.compared import Compared as Compared
    from weir.lab.known import lab_folders as lab_folders, lab_title as lab_title, load_lab as load_lab
    from weir.lab.lab import Findings as Findings, Lab as Lab, Part as Part
    from weir.lab.lab_run import LabRun as LabRun
    from weir.lab.new import copy_lab as copy_lab
    from weir.lab.published import (
        Arithmetic as Arithmetic,
        Fitted as Fitted,
        NoValue as NoValue,
        Predicted as Predicted,
        Published as Published,
    )
    from weir.lab.running import Outcome as Outcome, run_lab as run_lab
    from weir.lab.site import Site as Site, run_all_labs as run_all_labs
    from weir.lab.tables import Tables as Tables
    from weir.text.counted import count_noun as count_noun
    from weir.text.suggest import listing as listing, nearest as nearest

# These modules are loaded at first use, because some need the libraries of the extra `lab`.
_NAMES_BY_MODULE = {
    "errors": "shown",
    "files.jsontext": "json_object",
    "files.textfile": "read_text",
    "files.whole_file": "write_whole_json",
    "lab.choice": "within one_of switches_of",
    "lab.claims": "all_within by_at_most claim part_of span",
    "lab.compared": "Compared",
    "lab.known": "lab_folders lab_title load_lab",
    "lab.lab": "Findings Lab Part",
    "lab.lab_run": "LabRun",
    "lab.new": "copy_lab",
    "lab.published": "Arithmetic Fitted NoValue Predicted Published",
    "lab.running": "Outcome run_lab",
    "lab.site": "Site run_all_labs",
    "lab.tables": "Tables",
    "text.counted": "count_noun",
    "text.suggest": "listing nearest",
}
"""Maps each module to the public names that it defines."""

_MODULE_BY_NAME = {
    name: f"weir.{module}" for module, names in _NAMES_BY_MODULE.items() for name in names.split()
}
__all__ = sorted(_MODULE_BY_NAME)


def __getattr__(name: str) -> object:
    import importlib

    if name in _MODULE_BY_NAME:
        return getattr(importlib.import_module(_MODULE_BY_NAME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
