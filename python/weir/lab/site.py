"""Runs all labs, and writes a page with links to their reports."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from weir.errors import CommandError, WeirError
from weir.errors.extras import lab_extra
from weir.lab.installed import ALL, MISSING, offers
from weir.lab.known import load_lab
from weir.lab.lab_run import LabRun
from weir.lab.running import run_lab
from weir.lab.settings import open_results


@dataclass(frozen=True)
class Site:
    """The results of all labs, and the page with links to them.

    Attributes:
        page: the path of the page.
        runs: the run of each lab, including labs that were skipped or cannot be loaded.
    """

    page: Path
    runs: Sequence[LabRun]


def run_all_labs(
    out: str | Path | None = None,
    *,
    quick: bool = False,
    seed: int = 1,
    seeds: int | None = None,
    workers: int | None = None,
    fresh: bool = False,
    progress: bool = False,
    begins: Callable[[str, int, int], object] = lambda *_: None,
    ends: Callable[[LabRun], object] = lambda _: None,
) -> Site:
    """Runs all installed labs of the virtual world, and writes a page with links to their reports.

    Labs that measure this computer are skipped. If a lab fails, the other labs still run. The
    folder contains ``index.html``, and a folder for each lab as :func:`run_lab` writes it.

    Args:
        out: the folder for the results; by default ``out/all``.
        quick: see :func:`run_lab`, like ``seed``, ``seeds``, ``workers``, ``fresh``, ``progress``.
        seed: the master seed.
        seeds: the number of repetitions of each point, instead of the declared number.
        workers: the number of worker processes; by default one for each processor.
        fresh: whether to remove earlier results first.
        progress: whether to show progress of each experiment on standard error.
        begins: a function to call before each lab, with its name, its number from 1, and the number
            of labs.
        ends: a function to call after each lab.

    Returns:
        The path of the page, and the run of each lab.

    Raises:
        CommandError: no labs are installed.
        FileError: the folder contains something else or results of other arguments, or cannot be
            written.
    """
    folder = Path("out") / ALL if out is None else Path(out)
    offered = offers()
    if not (offered.labs or offered.unusable):
        raise CommandError(MISSING)
    with lab_extra("labs"):
        from weir.lab.site_page import write_index

    open_results(folder, ALL, {"quick": quick, "seed": seed, "seeds": seeds}, fresh)

    def run(name: str) -> LabRun:
        start = time.monotonic()
        lab = None
        try:
            lab = load_lab(name)
            if lab.real:
                return LabRun(name, lab, skipped=f"it measures this computer: weir lab run {name}")
            outcome = run_lab(
                name,
                folder / name,
                quick=quick,
                seed=seed,
                seeds=seeds,
                workers=workers,
                fresh=fresh,
                progress=progress,
            )
        except WeirError as error:
            return LabRun(name, lab, failures=[str(error)], seconds=time.monotonic() - start)
        return LabRun(name, lab, outcome, failures=outcome.failures, seconds=time.monotonic() - start)

    runs = []
    for number, name in enumerate(offered.labs, start=1):
        begins(name, number, len(offered.labs))
        runs.append(run(name))
        ends(runs[-1])
    runs += [LabRun(name, failures=[reason]) for name, reason in offered.unusable.items()]
    return Site(write_index(folder, runs, _command(quick, seed, seeds)), runs)


def _command(quick: bool, seed: int, seeds: int | None) -> str:
    options = ["--quick"] if quick else []
    options += [f"--seed {seed}"] if seed != 1 else []
    options += [f"--seeds {seeds}"] if seeds is not None else []
    return " ".join(["weir lab run", ALL, *options])
