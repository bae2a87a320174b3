"""Progress of a run: a bar on a terminal, a few lines in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Step = Callable[[str], None]
"""Called after each step with what was done."""

_LINES = 5


@contextmanager
def progress(what: str, steps: int, *, quiet: bool = False) -> Iterator[Step]:
    """Shows the progress of a run of ``steps`` steps on standard error.

    Args:
        what: what is running, such as ``delay``.
        steps: how often the returned function will be called.
        quiet: whether to show nothing.
    """
    console = Console(stderr=True)
    if quiet:
        yield lambda _: None
    elif console.is_terminal:
        columns = (
            TextColumn(what),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[at]}"),
        )
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(what, total=steps, at="")
            yield lambda at: bar.update(task, advance=1, at=at)
    else:
        done = 0

        def step(at: str) -> None:
            nonlocal done
            done += 1
            if done % max(1, steps // _LINES) == 0 or done == steps:
                console.print(f"{what}: {done} of {steps}: {at}", highlight=False, soft_wrap=True)

        yield step
