"""The definition of a lab: a folder with experiments, and a part of the report for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir.errors import CommandError
from weir.experiments import Experiment
from weir.lab.tables import Tables

if TYPE_CHECKING:
    from weir.lab.published import Published
    from weir.network.world import WorldName
    from weir.report import Section
    from weir.topology import Topology


@dataclass(frozen=True)
class Findings:
    """The findings of a part, for the report.

    Attributes:
        answer: the result in one or two sentences.
        sections: tables, plots and text.
    """

    answer: str
    sections: Sequence[Section]


@dataclass(frozen=True, kw_only=True)
class Part:
    """One experiment of a lab.

    Attributes:
        experiment: the experiment that runs. Its name, with ``-`` for ``_``, is the part's name.
        report: computes the findings from the tables, and draws plots into the folder. It gets only
            the tables, so every number in the report is in the Parquet files.
        quick: values of parameters for ``--quick``, such as ``{"pings": [40]}``.
        quick_seeds: repetitions of each point for ``--quick``.
        workers: the maximum number of simultaneous runs: 1 for runs that measure this computer.
            None for as many as the user requests.
        own_times: why the experiment's switches cannot share a computer (``--computer``); empty if
            they can. Such an experiment is left out, unless it is named.
    """

    experiment: Experiment
    report: Callable[[Tables, Path], Findings]
    quick: Mapping[str, Sequence[str | int | float | bool]] = field(default_factory=dict)
    quick_seeds: int = 1
    workers: int | None = None
    own_times: str = ""

    @property
    def name(self) -> str:
        """The name on the command line, such as ``udp-throughput``."""
        return self.experiment.name.replace("_", "-")


@dataclass(frozen=True, kw_only=True)
class Lab:
    """A lab; the variable ``LAB`` of the module ``lab`` in its folder.

    Attributes:
        name: its name on the command line.
        question: the title of the report.
        parts: its experiments, in the order of the report.
        network: draws the network for the report; None for no drawing.
        source: the publication that the lab repeats.
        published: the numbers of the publications, each with how the lab's own value comes about.
            The report compares them, and ``published.csv`` in the results has them as data.
        real: whether runs use the wall clock, so that they never repeat exactly.
        linux: the experiments of ``--world linux``: each has runs in both worlds, and its report
            shows them side by side.
        allowed: the values that parameters may have: some words, whole numbers within limits, or
            what a function accepts, which raises ``ValueError`` for anything else. For example
            ``{"mode": ["slow", "fast"], "hops": range(1, 11), "weights": read_weights}``. Values
            given with ``--set`` are checked before anything runs; quantities with units are checked
            even if not listed here.
    """

    name: str
    question: str
    parts: Sequence[Part]
    network: Callable[[], Topology] | None = None
    source: str = ""
    published: Sequence[Published] = ()
    real: bool = False
    linux: Sequence[Part] = ()
    allowed: Mapping[str, Sequence[str] | range | Callable[[Any], object]] = field(default_factory=dict)

    def in_world(self, world: WorldName) -> Lab:
        """The lab with the experiments for a world.

        Raises:
            CommandError: the lab has no experiments for the Linux world.
        """
        if world == "virtual":
            return self
        if self.real:
            raise CommandError(f"the lab {self.name} uses real Linux hosts anyway: leave --world out")
        if not self.linux:
            raise CommandError(f"the lab {self.name} runs in the virtual world only")
        return replace(self, parts=self.linux, real=True)
