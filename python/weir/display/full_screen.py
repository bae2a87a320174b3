"""Shows changing text on the whole terminal, and waits for the key that ends it."""

from __future__ import annotations

import os
import select
import sys
import time
from types import TracebackType
from typing import Any, Final, Self

from rich.console import Group, RenderableType
from rich.live import Live
from rich.segment import SegmentLines
from rich.text import Text

from weir.display.terminal import VisibleConsole

_END_KEYS: Final = frozenset(b"qQ")


class FullScreen:
    """The whole terminal, as a context manager that restores the terminal at its end.

    Args:
        console: the console of a terminal that can be a screen.
    """

    def __init__(self, console: VisibleConsole) -> None:
        self._console = console
        self._live = Live(console=console, screen=True, auto_refresh=False)
        self._modes: list[Any] | None = None

    def show(self, *parts: RenderableType) -> None:
        """Shows these parts, one below the other.

        If the terminal has too few lines, the last line says how many lines are missing.
        """
        room = self._console.height
        options = self._console.options.update(height=None)
        lines = self._console.render_lines(Group(*parts), options, pad=False)
        renderables: list[RenderableType] = [SegmentLines(lines[:room], new_lines=True)]
        if len(lines) > room:
            missing = len(lines) - room + 1
            message = f"… {missing} more lines do not fit: make the terminal higher, or use --once"
            last = Text(message, style="yellow", no_wrap=True, overflow="ellipsis")
            renderables = [SegmentLines(lines[: room - 1], new_lines=True), last]
        self._live.update(Group(*renderables), refresh=True)

    def wait(self, seconds: float) -> bool:
        """Waits; returns ``False`` at once if the user types ``q``."""
        if self._modes is None:
            time.sleep(seconds)
            return True
        deadline = time.monotonic() + seconds
        while (seconds_left := deadline - time.monotonic()) > 0:
            if select.select([sys.stdin], [], [], seconds_left)[0]:
                typed = os.read(sys.stdin.fileno(), 64)
                if not typed or _END_KEYS.intersection(typed):
                    return False
        return True

    def __enter__(self) -> Self:
        if sys.stdin.isatty():
            import termios
            import tty

            # Keys arrive one by one and are not shown. Ctrl-C keeps its meaning.
            self._modes = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()
        if self._modes is not None:
            import termios

            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._modes)
