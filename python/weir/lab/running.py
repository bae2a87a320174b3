"""Runs a lab's experiments, and writes its report."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from weir.errors import CommandError, WeirError
from weir.errors.extras import lab_extra
from weir.experiments import Experiment
from weir.experiments.declaration import check_count, check_seed
from weir.experiments.failures import failures_in_short
from weir.lab.in_folder import InFolder
from weir.lab.known import lab_folder, lab_folders, load_lab
from weir.lab.on_computer import on_computer, refuse_own_times
from weir.lab.settings import changed_files, digest, open_results
from weir.lab.values import Allowed, Value, read_values
from weir.network.computer import Computer
from weir.network.world import WORLDS, no_such_world
from weir.text.suggest import listing, nearest

if TYPE_CHECKING:
    from weir.lab.compared import Compared
    from weir.lab.lab import Findings, Lab, Part
    from weir.network.world import WorldName


@dataclass(frozen=True)
class Outcome:
    """The result of a run.

    Attributes:
        report: the path of the report.
        findings: the findings of each experiment, by name.
        published: the published numbers and the lab's values, if the lab repeats a publication.
        failures: descriptions of the first few different errors of each experiment.
    """

    report: Path
    findings: Mapping[str, Findings]
    published: Sequence[Compared]
    failures: Sequence[str]


def run_lab(
    name: str,
    out: str | Path | None = None,
    *,
    only: Sequence[str] = (),
    quick: bool = False,
    values: Mapping[str, Sequence[str]] | None = None,
    seed: int = 1,
    seeds: int | None = None,
    workers: int | None = None,
    fresh: bool = False,
    progress: bool = False,
    world: WorldName | None = None,
    computer: str | None = None,
) -> Outcome:
    """Runs a lab, and writes its results and report.

    An interrupted run continues where it stopped. If the folder contains results of other
    arguments, or of other files of the lab, the run is refused, unless ``fresh`` is true.

    Args:
        name: the name of an installed lab, or the folder of your own lab.
        out: the folder for the results; by default ``out/NAME`` or, for the folder of your own lab,
            ``out/`` and the folder's name.
        only: the names of experiments; by default all. Results of other experiments in the folder
            are kept and included in the report.
        quick: whether to use small sizes, so that each experiment takes seconds.
        values: values of parameters as text, which replace the declared values, such as ``{"x":
            ["0", "5"]}`` for all experiments with a parameter ``x``.
        seed: the master seed.
        seeds: the number of repetitions of each point, instead of the declared number.
        workers: the number of worker processes; by default one for each processor.
        fresh: whether to remove earlier results first: those of the experiments in ``only``, by
            default all.
        progress: whether to show progress on standard error.
        world: ``linux`` to run the experiments that compare the virtual world with real Linux hosts
            (``weir lab list LAB`` shows them); by default, the lab's own world.
        computer: the computer that all switches and hosts of each network share, by name or as a
            file of ``weir lab fit``; see :class:`weir.Computer`. Experiments that cannot share a
            computer are left out.

    Raises:
        CommandError: there is no such lab, part or parameter, the lab has no experiments for this
            world, or its switches cannot share a computer.
        NetworkError: there is no such computer.
        FileError: the folder contains something else or results of other arguments, or cannot be
            written.
        WeirError: a value does not fit its parameter; no run was started.
    """
    whole_lab = load_lab(name)
    lab = _lab_in_world(whole_lab, world)
    with lab_extra("labs"):
        from weir.lab.page import write_page

    chosen_values = dict(values or {})
    own_folder = None if name in lab_folders() else lab_folder(name)
    names = {_named_part(lab, part_name, whole_lab).name for part_name in only}
    chosen = [part for part in lab.parts if not only or part.name in names]
    shared = None
    if computer is not None:
        if not only:
            chosen = [part for part in chosen if not part.own_times] or chosen
        refuse_own_times(lab, {part.name: part for part in chosen}, chosen_values)
        shared = Computer.named(computer)
    # Values are checked for all experiments before any run starts.
    check_seed(seed)
    if workers is not None:
        check_count("workers", workers)
    experiments = {
        part.name: _configured_experiment(
            part, quick, chosen_values, seeds, own_folder, world, lab.allowed_in(part)
        )
        for part in chosen
    }
    if computer is not None and shared is not None:
        experiments |= {part.name: on_computer(experiments[part.name], computer, shared) for part in chosen}
    unknown = set(chosen_values) - {name for part in chosen for name in part.experiment.space.grid}
    for part_name in sorted(unknown):
        if world != "linux" and any(part_name in part.experiment.space.grid for part in lab.linux):
            raise CommandError(
                f'only the experiments on real hosts have a parameter "{part_name}": add --world linux'
            )
        parameters = list(dict.fromkeys(name for part in chosen for name in part.experiment.space.grid))
        raise CommandError(
            f'no experiment has a parameter "{part_name}": there are {listing(parameters)}',
            suggestion=nearest(part_name, parameters),
        )
    # A copy of a lab has its own results.
    title = lab.name if own_folder in (None, Path.cwd()) else lab_folder(name).name
    folder = Path("out") / title if out is None else Path(out)
    settings = {
        "files": digest(lab_folder(name)),
        "quick": quick,
        "values": {key: list(chosen_values[key]) for key in sorted(chosen_values)},
        "seed": seed,
        "seeds": seeds,
    }
    if world == "linux":
        settings["world"] = world
    if shared is not None:
        settings["computer"] = asdict(shared)
    changed = _changed(lab, own_folder)
    open_results(folder, lab.name, settings, fresh, [part.name for part in chosen] if only else ())
    failures: list[str] = []
    for part in chosen:
        result = experiments[part.name].run(
            folder / part.name, seed=seed, workers=part.workers or workers, progress=progress, warn=False
        )
        failures += [f"{part.name}: {failure}" for failure in failures_in_short(result)]
    command = _command(name, world, only, quick, chosen_values, seed, seeds, computer)
    findings, published = write_page(lab, folder, command, quick, seed, shared, changed)
    return Outcome(folder / "report.html", findings, published, failures)


def _changed(lab: Lab, folder: Path | None) -> list[str]:
    """Lists the files of a copied lab that differ from those of the installed lab of its name."""
    installed = lab_folders().get(lab.name)
    return [] if folder is None or installed is None else changed_files(folder, installed)


def _lab_in_world(lab: Lab, world: WorldName | None) -> Lab:
    """Returns the lab with its experiments for a world.

    If the lab has none, the error names the labs that have some.
    """
    if world not in (None, *WORLDS):
        raise no_such_world(world)
    try:
        return lab.in_world(world)
    except CommandError as error:
        in_both_worlds = [] if lab.real else [other for other in lab_folders() if _runs_in_both_worlds(other)]
        raise CommandError(
            f"{error.message} (in both: {listing(in_both_worlds)})" if in_both_worlds else error.message
        ) from None


def _runs_in_both_worlds(name: str) -> bool:
    """Returns whether a lab has experiments for both worlds; ``False`` if the lab cannot be
    loaded."""
    try:
        return bool(load_lab(name).linux)
    except WeirError:
        return False


def _named_part(lab: Lab, name: str, whole: Lab) -> Part:
    """Finds an experiment of a lab by its name.

    Args:
        lab: the lab with the experiments of one world.
        name: the name of the experiment.
        whole: the lab with the experiments of the virtual world.

    Raises:
        CommandError: there is no such experiment.
    """
    by_name = {part.name: part for part in lab.parts}
    if name not in by_name:
        if any(part.name == name for part in whole.parts):
            raise CommandError(
                f'the experiment "{name}" runs in the virtual world only (in both: {listing(by_name)})'
            )
        suggestion = nearest(name, by_name)
        have = "" if suggestion else f" (there are: {listing(by_name, len(by_name))})"
        raise CommandError(f'the lab {lab.name} has no experiment "{name}"{have}', suggestion=suggestion)
    return by_name[name]


def _configured_experiment(
    part: Part,
    quick: bool,
    values: Mapping[str, Sequence[str]],
    seeds: int | None,
    folder: Path | None,
    world: WorldName | None,
    allowed: Allowed,
) -> Experiment:
    """Returns the experiment with the sizes and parameter values of this run.

    ``folder`` is the lab's folder if the lab is not installed.
    """
    experiment = part.experiment
    if folder is not None:
        function = InFolder(folder, world, part.name, experiment.function)
        experiment = Experiment(function, experiment.space, experiment.seeds)
    if quick:
        experiment = experiment.replaced(part.quick_seeds, **part.quick)
    chosen = {
        name: _read_values(part, name, texts, allowed)
        for name, texts in values.items()
        if name in experiment.space.grid
    }
    return experiment.replaced(seeds, **chosen)


def _read_values(part: Part, name: str, texts: Sequence[str], allowed: Allowed) -> list[Value]:
    """Reads the values that the user gave for a parameter of an experiment.

    If the experiment has bounds of its own for the parameter, the error names the experiment.
    """
    declared = [*part.experiment.space.grid[name], *part.quick.get(name, ())]
    try:
        return read_values(name, texts, declared, allowed)
    except WeirError as error:
        if name in part.allowed:
            message = f"{error.message} in the experiment {part.name}"
            raise WeirError(message, suggestion=error.suggestion) from None
        raise


def _command(
    name: str,
    world: WorldName | None,
    only: Sequence[str],
    quick: bool,
    values: Mapping[str, Sequence[str]],
    seed: int,
    seeds: int | None,
    computer: str | None,
) -> str:
    """Returns the command that repeats a run, quoted for a shell."""
    # A name that begins with a hyphen would be an option.
    words = ["weir", "lab", "run", f"./{name}" if name.startswith("-") else name]
    words += ["--world", "linux"] if world == "linux" else []
    words += ["--only", ",".join(only)] if only else []
    words += ["--quick"] if quick else []
    for key, texts in sorted(values.items()):
        words += ["--set", f"{key}={','.join(texts)}"]
    words += ["--computer", computer] if computer is not None else []
    words += ["--seed", f"{seed}"] if seed != 1 else []
    words += ["--seeds", f"{seeds}"] if seeds is not None else []
    return shlex.join(words)
