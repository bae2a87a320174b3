"""Labs: experiments from papers, each started by one command.

A lab is a folder with a P4 program, a topology, table entries, a page for students and the code
that measures, plots and reports. Labs use only Weir's public Python API, so a copy (``weir lab
new``) can do the same.

To add a lab: create its folder next to ``delay``, with a module ``lab`` that has ``run(options) ->
Outcome``, and describe it in `LABS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from weir.labs.base import Lab, Options, Outcome
from weir.labs.copying import copy_lab

__all__ = ["LABS", "Lab", "Options", "Outcome", "copy_lab"]

_ALL: Final = (
    Lab(
        name="delay",
        title="Delay by recirculation: RTT against the number of passes, at five link rates",
        profiles=("default", "bmv2-vm", "bmv2-server"),
        files=("README.md", "delay.p4", "topology.json", "s1-runtime.json", "run.py"),
    ),
)

LABS: Final[Mapping[str, Lab]] = MappingProxyType({lab.name: lab for lab in _ALL})
