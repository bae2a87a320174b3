"""A rich console that makes control characters in printed data visible."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from weir.text.visible import own_stream, visible


class VisibleConsole(Console):
    """A console that sends only its own control characters to the terminal.

    Strings are printed unchanged, so rich's markup in data, such as ``[red]``, has no effect.

    Args:
        options: the options of :class:`rich.console.Console`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, "highlight": False, **options})

    @property
    def is_screen(self) -> bool:
        """Whether the output is a terminal that can place text anywhere on its screen."""
        return self.is_terminal and not self.is_dumb_terminal

    @property
    def file(self) -> IO[str]:
        """The stream to which the console writes."""
        stream: IO[str] = Console.file.fget(self)  # type: ignore[attr-defined]
        return cast("IO[str]", own_stream(cast(Any, stream)))

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        Console.file.fset(self, new_file)  # type: ignore[attr-defined]

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yields the pieces of the printed output, each with its style, and makes control
        characters visible."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else Segment(visible(piece.text), piece.style)
