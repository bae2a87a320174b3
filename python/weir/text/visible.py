"""Shows control characters in data as text, so that they control neither terminals nor browsers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, Final, TextIO, cast

# The pattern also matches characters that have no width, change the direction of text, or end a
# line, and halves of characters.
_OTHER_INVISIBLE: Final = "\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
_CONTROL: Final = re.compile(f"[\x00-\x08\x0b-\x1f{_OTHER_INVISIBLE}]")
_CONTROL_OR_LINE: Final = re.compile(f"[\x00-\x1f{_OTHER_INVISIBLE}]")
_COLOUR: Final = re.compile(r"(\x1b\[[0-9;]{0,20}m)")


def visible(text: str) -> str:
    r"""Replaces control characters by escapes such as ``\x1b``, except line ends and tabs."""
    return _CONTROL.sub(_escape, text)


def visible_line(text: str) -> str:
    """Replaces control characters as :func:`visible` does, and also line ends and tabs."""
    return _CONTROL_OR_LINE.sub(_escape, text)


def visible_but_colours(text: str) -> str:
    """Replaces control characters as :func:`visible` does, except the escapes of Weir's colours."""
    parts = _COLOUR.split(text)
    return "".join(part if place % 2 else visible(part) for place, part in enumerate(parts))


def _escape(found: re.Match[str]) -> str:
    # JSON can contain line ends unchanged. For other control characters, it requires `\u` and four
    # digits.
    character = found.group()
    return ascii(character)[1:-1] if character < "\x7f" else f"\\u{ord(character):04x}"


class VisibleStream:
    """A text stream that shows control characters as escapes.

    It has no ``buffer``, because a binary stream would not show them as escapes.

    Attributes:
        own: the original stream, for Weir's own control characters.
    """

    def __init__(self, own: TextIO) -> None:
        self.own = own

    def write(self, text: str | bytes) -> int:
        """Writes text, or UTF-8 bytes, which click writes if a stream accepts them."""
        if isinstance(text, bytes):
            if not text:
                # click writes an empty string of bytes as a test whether the stream is binary, and
                # would then encode texts itself.
                raise TypeError("expected a text")
            text = text.decode("utf-8", "backslashreplace")
        self.own.write(visible(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Writes several strings."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name in ("buffer", "detach"):
            raise AttributeError(name)
        return getattr(self.own, name)


@contextmanager
def visible_output(out: TextIO, err: TextIO) -> Iterator[None]:
    """Makes standard output and standard error show control characters as escapes in a block."""
    with redirect_stdout(_visible(out)), redirect_stderr(_visible(err)):
        yield


def own_stream(stream: TextIO) -> TextIO:
    """Returns the stream for Weir's own control characters, such as colours."""
    return cast(TextIO, getattr(stream, "own", stream))


def _visible(stream: TextIO) -> TextIO:
    return stream if isinstance(stream, VisibleStream) else cast(TextIO, VisibleStream(stream))
