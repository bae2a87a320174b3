"""Declares experiments, which run a function over combinations of parameters and seeds."""

from __future__ import annotations

import hashlib
import inspect
import textwrap
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from weir import _core
from weir.errors import ExperimentError, WeirWarning, shown
from weir.experiments.failures import failures_in_short
from weir.experiments.measurements import OF_RUNS, OF_SERIES
from weir.experiments.parameters import Point, Space, as_text, read_space, replace_values, restrict
from weir.experiments.pool import default_workers, run_tasks
from weir.experiments.result import Result
from weir.experiments.store import Store
from weir.experiments.task import Record, Task, mixed_kinds
from weir.files import system_errors
from weir.files.opening import make_folder
from weir.files.whole_file import write_whole
from weir.text.suggest import nearest

_MAX_RUNS = 1_000_000


class Experiment:
    """A function that measures, with the values of its parameters; created by :func:`experiment`.

    Calling an experiment calls its function once.

    Attributes:
        name: the function's name.
        function: the function.
        space: the parameters and their values.
        seeds: the number of repetitions of each point, each with its own seed.
        replacements: the values that :meth:`replaced` has set in place of declared values.
    """

    def __init__(self, function: Callable[..., object], space: Space, seeds: int) -> None:
        self.name = function.__name__
        self.function = function
        self.space = space
        self.seeds = seeds
        self.replacements: dict[str, list[Any]] = {}
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__
        self.__module__ = function.__module__
        self._takes_seed = _check_signature(function, space, seeds)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""
        return self.function(*args, **kwargs)

    def replaced(self, seeds: int | None = None, **values: Iterable[Any]) -> Experiment:
        """Copies the experiment with other values of some parameters, or with another number of
        seeds.

        >>> bufferbloat.replaced(rate=["5Mbit"], seeds=3).run()   # doctest: +SKIP

        Args:
            seeds: the number of repetitions of each point; ``None`` for the declared number.
            values: parameters that are combined freely, each with its new values.

        Raises:
            ExperimentError: there is no such parameter, or it has no values.
        """
        space = replace_values(self.space, values)
        changed = Experiment(
            self.function, space, self.seeds if seeds is None else check_count("seeds", seeds)
        )
        changed.replacements = self.replacements | {name: list(space.grid[name]) for name in values}
        return changed

    def points(self, only: Mapping[str, object] | None = None) -> list[Point]:
        """Returns the combinations of parameters that a run visits; see :meth:`run` for
        ``only``."""
        points = self.space.points()
        return points if only is None else restrict(self.space, points, _only_texts(only))

    def run(
        self,
        out: str | Path | None = None,
        *,
        seed: int = 1,
        seeds: int | None = None,
        only: Mapping[str, object] | None = None,
        workers: int | None = None,
        on: str | None = None,
        fresh: bool = False,
        progress: bool | None = None,
        warn: bool = True,
    ) -> Result:
        """Runs all points, each with all seeds.

        If there is a folder, each run is stored when it ends. Repeating the call continues an
        interrupted one and repeats failed runs. The tables are the same, byte for byte, regardless
        of interruptions and of the computers on which runs were executed.

        Args:
            out: a folder for the results; by default, results are only in memory.
            seed: the master seed, from which the runs' seeds are derived.
            seeds: the number of repetitions of each point, instead of the declared number.
            only: values of parameters, such as ``{"rate": "1Mbit"}`` or ``{"rate": ["1Mbit"]}``, to
                run only these points.
            workers: the number of worker processes, by default one per processor; 1 runs everything
                in this process.
            on: the address of a Dask scheduler, such as ``tcp://HOST:8786``, to run on its workers;
                needs ``pip install 'p4weir[dask]'``.
            fresh: whether to remove earlier results of this experiment in the folder first.
            progress: whether to show the finished runs and the remaining time, on standard error or
                in the notebook; by default on a terminal and in a notebook.
            warn: whether to warn about failed runs.

        Warns:
            WeirWarning: some runs failed; :attr:`Result.failures` lists them all.

        Raises:
            ExperimentError: an argument is wrong, or the folder has results of another experiment.
            FileError: the folder cannot be written.
        """
        from weir.experiments.progress import progress as bar

        repetitions = self.seeds if seeds is None else check_count("seeds", seeds)
        workers = default_workers() if workers is None else check_count("workers", workers)
        points = self.points(only)
        tasks = [
            Task(number, point, repetition, run_seed(check_seed(seed), repetition))
            for number, (point, repetition) in enumerate(
                (point, repetition) for point in points for repetition in range(repetitions)
            )
        ]
        if not tasks:
            raise ExperimentError(f"{self.name} has no points to run")
        if len(tasks) > _MAX_RUNS:
            raise ExperimentError(f"{self.name} has {len(tasks)} runs: expected at most {_MAX_RUNS}")
        declaration = {
            "experiment": self.name,
            "question": inspect.cleandoc(self.__doc__ or ""),
            "function": _function_digest(self.function),
            "file": _file(self.function),
            "replaced": self.replacements,
            "version": _core.__version__,
            "names": self.space.names,
            "values": {name: list(self.space.values(name)) for name in self.space.names},
            "only": {name: list(values) for name, values in _only_texts(only or {}).items()},
            "master_seed": seed,
            "repetitions": repetitions,
        }
        store = None if out is None else Store(Path(out))
        if store is not None:
            store.open(declaration, fresh)
        records: dict[int, Record] = {}
        for task in tasks:
            earlier = None if store is None else store.record(task)
            if earlier is not None:
                records[task.number] = earlier
        open_tasks = [task for task in tasks if task.number not in records]
        runs = run_tasks(self.function, open_tasks, self._takes_seed, workers, on)
        with bar(self.name, len(open_tasks), progress) as step, closing(runs):
            for task, record in runs:
                records[task.number] = record
                if store is not None:
                    store.keep(task, record)
                step(task.title if record["error"] is None else f"{task.title}: failed: {record['error']}")
        for number, failed in list(mixed_kinds((task.number, records[task.number]) for task in tasks)):
            records[number] = failed
            if store is not None:
                store.keep(tasks[number], failed)
        result = Result(
            declaration, [records[task.number] for task in tasks], None if store is None else store.folder
        )
        if store is not None:
            store.finish(declaration, tasks, _write_tables(result, store.folder))
        if warn and result.failures:
            count = f"{len(result.failures)} of {len(result.records)} runs of {self.name} failed"
            warnings.warn("\n".join([count, *failures_in_short(result)]), WeirWarning, stacklevel=2)
        return result

    def __repr__(self) -> str:
        return f"<weir.Experiment {self.name}: {len(self.points())} points, {self.seeds} seeds each>"


def experiment(
    *groups: object, seeds: int = 1, where: Callable[..., object] | None = None, **parameters: Iterable[Any]
) -> Callable[[Callable[..., object]], Experiment]:
    """Declares a function as an experiment.

    The function takes the parameters by name, and a ``seed`` for its networks. It returns the
    measurements as a dictionary from names to numbers, strings, series (``ping.rtts``), results or
    data frames.

    >>> @weir.experiment(rate=["1Mbit", "10Mbit"], queue=["16p", "64p"], seeds=10)  # doctest: +SKIP
    ... def bufferbloat(rate, queue, seed): ...

    Args:
        groups: parameters that vary together or depend on others, from :func:`weir.zipped`
            and :func:`weir.when`.
        seeds: the number of repetitions of each point, each with a different seed. Networks without
            noise have the same results for all seeds.
        where: a function of the parameters, by name, that returns whether to run a combination.
        parameters: the values of each parameter; all combinations are run.

    Raises:
        ExperimentError: a parameter has no values, or the function does not take it.
    """
    if len(groups) == 1 and callable(groups[0]) and not parameters:
        raise ExperimentError("write @weir.experiment(...) with the parameters, not @weir.experiment alone")
    space = read_space(groups, parameters, where)
    count = check_count("seeds", seeds)
    return lambda function: Experiment(function, space, count)


def _write_tables(result: Result, folder: Path) -> list[Path]:
    frames = {"runs": result.runs}
    if result.series.height:
        frames["series"] = result.series
    frames |= {f"frames/{name}": frame for name, frame in result.frames.items()}
    written = []
    for name, frame in frames.items():
        target = folder / f"{name}.parquet"
        with system_errors(target.parent, "cannot be created"):
            make_folder(target.parent)
        write_whole(target, frame.write_parquet)
        written.append(target)
    return written


def _check_signature(function: Callable[..., object], space: Space, seeds: int) -> bool:
    """Checks that a function takes the parameters; returns whether it also takes a seed.

    Raises an error if the function does not fit the parameters.
    """
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        kind = "async" if inspect.iscoroutinefunction(function) else "a generator"
        raise ExperimentError(f"{function.__name__} is {kind}: expected a function that returns measurements")
    parameters = inspect.signature(function).parameters
    names = [name for name, parameter in parameters.items() if parameter.kind is not parameter.VAR_KEYWORD]
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    for name in space.names:
        if name == "seed":
            raise ExperimentError('"seed" is not a parameter: set the number of seeds with seeds=')
        if name in OF_RUNS or name in OF_SERIES:
            raise ExperimentError(f'the parameter "{name}" has the name of a column of results: rename it')
        if name not in names and not takes_all:
            raise ExperimentError(
                f'{function.__name__} has no parameter "{name}", which the experiment declares',
                suggestion=nearest(name, names),
            )
    optional = {name for group in space.conditionals for name in group.values}
    for name, parameter in parameters.items():
        has_default = parameter.default is not parameter.empty or parameter.kind in (
            parameter.VAR_KEYWORD,
            parameter.VAR_POSITIONAL,
        )
        if name not in space.names and name != "seed" and not has_default:
            raise ExperimentError(
                f'{function.__name__} needs the parameter "{name}", which the experiment does not declare',
                suggestion=nearest(name, space.names),
            )
        if name in optional and not has_default:
            raise ExperimentError(
                f'{function.__name__} needs a default for "{name}", which some points do not have'
            )
    if seeds > 1 and "seed" not in names and not takes_all:
        raise ExperimentError(f"{function.__name__} has {seeds} seeds but no parameter seed")
    return "seed" in names or takes_all


def _function_digest(function: Callable[..., object]) -> str:
    """Computes a digest that identifies a function, from its source or, if there is none, from its
    code."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
        # The digest leaves out the decorator. The decorator has the parameters, which may change,
        # because each run is identified by its own values.
        text = text[text.index("def ") :]
    except (OSError, TypeError, ValueError):
        text = repr((function.__code__.co_code, function.__code__.co_consts))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _file(function: Callable[..., object]) -> str:
    """Returns the name of a function's file, without its folder; empty if there is no file."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    path = Path("" if code is None else code.co_filename)
    return path.name if path.suffix == ".py" and path.is_file() else ""


def _only_texts(only: Mapping[str, object]) -> dict[str, Sequence[str]]:
    """Converts the values of ``only`` to strings, as they are given on the command line."""
    texts: dict[str, Sequence[str]] = {}
    for name, values in only.items():
        many: Sequence[Any] = values if isinstance(values, (list, tuple)) else [values]
        texts[name] = [as_text(value) for value in many]
    return texts


def check_count(name: str, value: int) -> int:
    """Returns a number of repetitions or processes; raises an error if it is out of range."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 100_000:
        raise ExperimentError(f"{name} = {shown(value)} is out of range: expected 1 to 100000")
    return value


def check_seed(value: int) -> int:
    """Returns a seed; raises an error if it is out of range."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 63:
        raise ExperimentError(f"the seed {shown(value)} is out of range: expected 0 to 2**63 - 1")
    return value


def run_seed(master: int, repetition: int) -> int:
    """Derives the seed of a repetition, 0 to 2**63 - 1.

    The seed depends only on the master seed and the repetition. Runs with different parameters
    therefore use the same random numbers, and their results can be compared in pairs (common random
    numbers).
    """
    digest = hashlib.sha256(f"weir experiment {master} {repetition}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
