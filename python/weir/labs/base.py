"""The interface between labs and the command line: name, options and outcome of a lab."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from rich.console import Console

from weir.errors import WeirError
from weir.extras import lab_extra
from weir.suggest import listing, nearest

DEFAULT_SEED: Final = 1


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a run.

    Attributes:
        out: the folder for the results.
        seed: the seed of all randomness, 0 to 2**63 - 1; the same seed gives the same bytes. A lab
            without random effects, such as the delay lab, gives the same result for each seed.
        quick: fewer packets, but every cell.
        profile: the timing profile, one of the lab's `Lab.profiles`.
        executor: the executor of the switch's program, see `weir.compile`; results do not depend on
            it.
        console: the output of tables; standard output if None. Progress goes to standard error.
        quiet: whether to show no progress.
    """

    out: Path
    seed: int = DEFAULT_SEED
    quick: bool = False
    profile: str = "default"
    executor: str | None = None
    console: Console | None = None
    quiet: bool = False


@dataclass(frozen=True)
class Outcome:
    """The result of a run: the folder with its files, and the page to open first."""

    out: Path
    report: Path


@dataclass(frozen=True, kw_only=True)
class Lab:
    """A lab that can be listed, run and copied.

    Attributes:
        name: its name on the command line, and the name of its folder.
        title: one line for ``weir lab list``.
        profiles: its timing profiles; the first one is the default.
        files: the files that ``weir lab new`` copies.
    """

    name: str
    title: str
    profiles: tuple[str, ...]
    files: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """The folder of the lab's own files."""
        return Path(__file__).parent / self.name

    @property
    def default_out(self) -> Path:
        """The default folder of the results."""
        return Path("out") / self.name

    def run(self, options: Options) -> Outcome:
        """Runs the whole lab, prints its tables and writes its results to ``options.out``.

        Raises:
            WeirError: the options are wrong, or the output folder cannot be written or contains
                something else.
        """
        if not 0 <= options.seed < 1 << 63:
            raise WeirError(f"the seed {options.seed} is out of range: expected 0 to 2**63 - 1")
        if options.profile not in self.profiles:
            suggestion = nearest(options.profile, self.profiles)
            known = "" if suggestion else f" (known: {listing(self.profiles)})"
            raise WeirError(
                f'the lab {self.name} has no profile "{options.profile}"{known}', suggestion=suggestion
            )
        # Only now, because plotting libraries take long to import.
        with lab_extra("labs"):
            module = importlib.import_module(f"weir.labs.{self.name}.lab")
        return cast(Callable[[Options], Outcome], module.run)(options)
