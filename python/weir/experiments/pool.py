"""Runs tasks in worker processes of this machine, in this process, or on a Dask cluster."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final

from weir.errors import ExperimentError
from weir.experiments.processes import quietly_started, worker_processes
from weir.experiments.task import Record, Task, perform

Function = Callable[..., object]

_ADDRESS: Final = re.compile(r"([a-z]+://)?[^\s/:]+(:[^\s/:]+)*:\d+(/\S*)?")
"""A pattern that the addresses of Dask schedulers match."""


def run_tasks(
    function: Function, tasks: Sequence[Task], takes_seed: bool, workers: int, on: str | None
) -> Generator[tuple[Task, Record]]:
    """Runs tasks and yields each with its record, in the order in which they end.

    Closing the generator stops the remaining runs.

    Args:
        function: the function that a run calls.
        tasks: the runs.
        takes_seed: whether the function has a parameter ``seed``.
        workers: the number of worker processes; 1 runs all tasks in this process.
        on: the address of a Dask scheduler, to run on its workers instead.

    Raises:
        ExperimentError: the scheduler cannot be reached.
    """
    if on is not None:
        with _dask(on) as executor:
            yield from _run_all(executor, function, tasks, takes_seed, nullcontext())
    elif workers == 1 or len(tasks) == 1:
        for task in tasks:
            yield task, perform(function, task, takes_seed)
    else:
        yield from _run_in_processes(function, tasks, takes_seed, workers)


def default_workers() -> int:
    """Returns the default number of workers: one for each processor that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run_all(
    executor: Executor,
    function: Function,
    tasks: Sequence[Task],
    takes_seed: bool,
    starting: AbstractContextManager[None],
) -> Iterator[tuple[Task, Record]]:
    with starting:
        futures: dict[Future[Record], Task] = {
            executor.submit(perform, function, task, takes_seed): task for task in tasks
        }
    for future in as_completed(futures):
        yield futures[future], future.result()


def _run_in_processes(
    function: Function, tasks: Sequence[Task], takes_seed: bool, workers: int
) -> Iterator[tuple[Task, Record]]:
    """Runs tasks in worker processes.

    If a process dies, its pool fails. Each task that may have run in the process then runs again in
    its own process. This shows which task kills its process; the other tasks continue.
    """
    open_tasks = list(tasks)
    while open_tasks:
        finished: set[int] = set()
        with worker_processes(min(workers, len(open_tasks))) as executor:
            try:
                for task, record in _run_all(executor, function, open_tasks, takes_seed, quietly_started()):
                    finished.add(task.number)
                    yield task, record
            except BrokenProcessPool:
                pass
        open_tasks = [task for task in open_tasks if task.number not in finished]
        for task in open_tasks[:workers]:
            yield task, _run_alone(function, task, takes_seed)
        open_tasks = open_tasks[workers:]


def _run_alone(function: Function, task: Task, takes_seed: bool) -> Record:
    """Runs a task in a process of its own."""
    with worker_processes(1) as executor:
        try:
            ((_, record),) = _run_all(executor, function, [task], takes_seed, quietly_started())
            return record
        except BrokenProcessPool as error:
            return perform(_ProcessDied(str(error)), task, takes_seed)


class _ProcessDied:
    """A stand-in for a function whose process died, which raises an error."""

    def __init__(self, why: str) -> None:
        self._why = why

    def __call__(self, **_: object) -> object:
        raise ExperimentError(
            f"the worker process ended: {self._why.splitlines()[0] if self._why else 'no reason known'}"
        )


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    if not _ADDRESS.fullmatch(address):
        raise ExperimentError(
            f'"{address}" is not an address of a Dask scheduler: expected one such as tcp://HOST:8786'
        )
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise ExperimentError("Dask is not installed: pip install 'p4weir[dask]'") from None
    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ExperimentError(f"the Dask scheduler {address} cannot be reached: {error}") from None
    with client:
        yield client.get_executor(pure=False, retries=2)
