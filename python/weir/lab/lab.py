"""The definition of a lab, which is a folder with experiments and a part of the report for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from weir.errors import CommandError
from weir.experiments import Experiment
from weir.lab.tables import Tables
from weir.lab.values import Allowed

if TYPE_CHECKING:
    from weir.lab.published import Published
    from weir.network.world import WorldName
    from weir.report import Section
    from weir.topology import Topology


@dataclass(frozen=True)
class Findings:
    """The findings of an experiment, for the report.

    Attributes:
        answer: the result in one or two sentences.
        sections: tables, plots and text.
    """

    answer: str
    sections: Sequence[Section]


@dataclass(frozen=True, kw_only=True)
class Part:
    """An experiment of a lab, with its part of the report.

    Attributes:
        experiment: the experiment that runs. The experiment's name, with ``-`` for ``_``, is the
            part's name.
        report: a function that computes the findings from the tables, and draws plots into the
            folder. It gets only the tables, so all numbers in the report are in the Parquet files.
        quick: the values of parameters for ``--quick``, such as ``{"pings": [40]}``.
        quick_seeds: the number of repetitions of each point for ``--quick``.
        workers: the maximum number of simultaneous runs, which is 1 for runs that benchmark
            this machine; ``None`` for as many as the user requests.
        own_times: why the experiment's switches cannot share a computer (``--computer``); empty if
            they can. With ``--computer``, such an experiment is left out, and refused if it is
            named.
        allowed: the values that parameters of this experiment may have, in place of those that
            :attr:`Lab.allowed` has for parameters of the same names.
    """

    experiment: Experiment
    report: Callable[[Tables, Path], Findings]
    quick: Mapping[str, Sequence[str | int | float | bool]] = field(default_factory=dict)
    quick_seeds: int = 1
    workers: int | None = None
    own_times: str = ""
    allowed: Allowed = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The experiment's name on the command line, such as ``udp-throughput``."""
        return self.experiment.name.replace("_", "-")


@dataclass(frozen=True, kw_only=True)
class Lab:
    """A lab, which is the variable ``LAB`` of the module ``lab`` in the lab's folder.

    Attributes:
        name: the lab's name on the command line.
        question: the title of the report.
        parts: the experiments, in the order of the report.
        network: a function that draws the network for the report; ``None`` for no drawing.
        source: the publication that the lab repeats.
        published: the published numbers, each with the method that computes the lab's value. The
            report compares both, and ``published.csv`` in the results has them as data.
        real: whether runs use real time, so that they never repeat exactly.
        linux: the experiments of ``--world linux``, each with runs in both worlds and a report that
            compares them.
        allowed: the values that parameters may have: words, whole numbers within limits, or values
            that a function accepts (it raises ``ValueError`` for others), for example ``{"mode":
            ["slow", "fast"], "hops": range(1, 11), "weights": read_weights}``. Values of ``--set``
            are checked before runs start; quantities with units are checked even if they are not
            listed here.
    """

    name: str
    question: str
    parts: Sequence[Part]
    network: Callable[[], Topology] | None = None
    source: str = ""
    published: Sequence[Published] = ()
    real: bool = False
    linux: Sequence[Part] = ()
    allowed: Allowed = field(default_factory=dict)

    def allowed_in(self, part: Part) -> Allowed:
        """Returns the values that the parameters of an experiment may have."""
        return {**self.allowed, **part.allowed}

    def in_world(self, world: WorldName | None) -> Lab:
        """Returns the lab with the experiments for a world; ``None`` for the lab's own world.

        Raises:
            CommandError: the lab has no experiments for this world.
        """
        if world is not None and self.real:
            raise CommandError(f"the lab {self.name} always uses real Linux hosts: leave out --world")
        if world != "linux":
            return self
        if not self.linux:
            raise CommandError(f"the lab {self.name} runs in the virtual world only")
        return replace(self, parts=self.linux, real=True)
