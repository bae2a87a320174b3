"""Shows the progress of many runs, as a bar on a terminal or in a notebook, or as a few lines in a
pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from weir.display.terminal import VisibleConsole

Step = Callable[[str], None]
"""A function to call after each step with a description of the step."""

_MAX_LINES: Final = 5
_UPDATE_INTERVAL_S: Final = 0.25
"""The seconds between two updates in a notebook."""


@contextmanager
def progress(what: str, steps: int, show: bool | None = None) -> Iterator[Step]:
    """Shows the progress of ``steps`` steps, on standard error or in the notebook.

    Args:
        what: the name of the run, such as ``delay``.
        steps: the number of calls of the returned function.
        show: whether to show progress; by default on a terminal and in a notebook.
    """
    console = VisibleConsole(stderr=True, force_jupyter=False)
    notebook = _notebook()
    if show is False or (show is None and notebook is None and not console.is_terminal):
        yield lambda _: None
    elif notebook is not None:
        with _show_in_notebook(notebook, what, steps) as step:
            yield step
    elif console.is_terminal:
        columns = (
            TextColumn(what, markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("left {task.fields[at]}", markup=False),
        )
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(what, total=steps, at="")
            yield lambda at: bar.update(task, advance=1, at=at)
    else:
        yield _lines(console, what, steps)


def _lines(console: VisibleConsole, what: str, steps: int) -> Step:
    start, done = monotonic(), 0

    def step(at: str) -> None:
        nonlocal done
        done += 1
        if done % max(1, steps // _MAX_LINES) == 0 or done == steps:
            time_left_text = time_left(monotonic() - start, done, steps)
            console.print(f"{what}: {done} of {steps}{time_left_text}: {at}", soft_wrap=True)

    return step


@contextmanager
def _show_in_notebook(display: Callable[..., Any], what: str, steps: int) -> Iterator[Step]:
    """Shows a bar below the notebook's cell, and removes it at the end."""
    from weir.display import escape

    start, done, shown = monotonic(), 0, 0.0

    def content(text: str) -> dict[str, str]:
        bar = f'<progress value="{done}" max="{steps}" style="vertical-align:middle"></progress>'
        return {"text/plain": text, "text/html": f"<div>{bar} {escape(text)}</div>"}

    handle = display(content(f"{what}: 0 of {steps}"), raw=True, display_id=True)

    def step(at: str) -> None:
        nonlocal done, shown
        done += 1
        now = monotonic()
        if now - shown >= _UPDATE_INTERVAL_S:
            shown = now
            text = f"{what}: {done} of {steps}{time_left(now - start, done, steps)}: {at}"
            handle.update(content(text), raw=True)

    try:
        yield step
    finally:
        handle.update({"text/plain": "", "text/html": ""}, raw=True)


def _notebook() -> Callable[..., Any] | None:
    """Finds the display function of the notebook in which this process runs; returns ``None``
    outside notebooks."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not shell.has_trait("kernel"):
        return None
    return getattr(sys.modules.get("IPython.display"), "display", None)


def time_left(passed_s: float, done: int, steps: int) -> str:
    """Estimates the remaining time, as in ``, 3 min 20 s left``, on the assumption that all steps
    take equally long.

    The text is empty after the last step.
    """
    seconds = round(passed_s / done * (steps - done))
    if done == steps:
        return ""
    if seconds < 60:
        return f", {seconds} s left"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f", {minutes} min {seconds} s left"
    hours, minutes = divmod(minutes, 60)
    return f", {hours} h {minutes} min left"
