"""Reads JSON files so that every error message names the file and the JSON path."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from weir.errors import FileError, WeirError
from weir.suggest import listing, nearest

T = TypeVar("T")

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_KINDS = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
}


class _Duplicate(Exception):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def read_text(path: str | Path, maximum: int = 256 << 20) -> str:
    """The text of a file.

    Args:
        path: the file.
        maximum: maximum number of bytes, so that endless devices are refused.

    Raises:
        FileError: it is missing, a directory, not readable, too large or not UTF-8.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(maximum + 1)
        if len(content) > maximum:
            raise FileError(f"is larger than {maximum >> 20} MiB", file=path)
        return content.decode("utf-8")
    except FileNotFoundError:
        raise no_such_file(path) from None
    except IsADirectoryError:
        raise FileError("is a directory, expected a file", file=path) from None
    except UnicodeDecodeError as error:
        raise FileError(f"is not UTF-8 text (byte {error.start})", file=path) from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    except ValueError as error:
        raise FileError(f"cannot be read: {error}", file=path) from None


def no_such_file(path: str | Path) -> FileError:
    """The error for a missing file, with the nearest name that exists."""
    return FileError("no such file", file=path, suggestion=_neighbour(Path(path)))


def _neighbour(path: Path) -> str | None:
    try:
        names = sorted(
            entry.name for entry in path.parent.iterdir() if entry.is_file() and entry.suffix == path.suffix
        )
    except OSError:
        return None
    found = nearest(path.name, names)
    return None if found is None else str(path.parent / found)


def load(path: str | Path, error: type[WeirError] = FileError) -> Node:
    """Reads a JSON file.

    Args:
        path: the file.
        error: the error type for mistakes in its contents.

    Raises:
        FileError: it cannot be read or is not JSON.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise _Duplicate(key)
            found[key] = value
        return found

    def no_constant(name: str) -> NoReturn:
        raise FileError(f"is not JSON: {name} is not a number", file=path)

    text = read_text(path)
    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=no_constant)
    except json.JSONDecodeError as e:
        ended = e.pos >= len(text.rstrip())
        what = (
            "the file ends too early" if ended and text.strip() else "the file is empty" if ended else e.msg
        )
        raise FileError(f"is not JSON: {what}", file=path, where=f"{e.lineno}:{e.colno}") from None
    except _Duplicate as e:
        raise FileError(f'the key "{e.key}" is given twice in one object', file=path) from None
    except RecursionError:
        raise FileError("is nested too deeply", file=path) from None
    except ValueError as e:
        raise FileError(f"is not JSON: {e}", file=path) from None
    return Node(value, str(path), "$", error)


class Node:
    """A value in a JSON document, with its place.

    Attributes:
        value: the value as the ``json`` module returns it.
        file: the document's file name; None for values made in Python.
        path: its place, such as ``$.links[0]``.
    """

    def __init__(
        self, value: Any, file: str | None = None, path: str = "$", error: type[WeirError] = FileError
    ) -> None:
        self.value = value
        self.file = file
        self.path = path
        self.error = error

    def fail(self, message: str, suggestion: str | None = None) -> NoReturn:
        """Raises the document's type of error at this place."""
        raise self.error(message, file=self.file, where=self.path, suggestion=suggestion)

    def child(self, key: str | int) -> Node:
        """The member or element ``key``, which must exist."""
        if isinstance(key, int):
            step = f"[{key}]"
        else:
            step = f".{key}" if _PLAIN_KEY.fullmatch(key) else f'."{key}"'
        return Node(self.value[key], self.file, self.path + step, self.error)

    def expect(self, kinds: type | tuple[type, ...], what: str) -> Any:
        """The value, if it has one of these types; ``what`` describes what was expected."""
        if not isinstance(self.value, kinds) or (isinstance(self.value, bool) and kinds is not bool):
            self.fail(f"expected {what}, found {describe(self.value)}")
        return self.value

    def text(self, what: str) -> str:
        """The value, if it is a string."""
        return str(self.expect(str, f"{what} (a string)"))

    def integer(self, what: str) -> int:
        """The value, if it is a whole number."""
        return int(self.expect(int, f"{what} (a whole number)"))

    def items(self) -> Iterator[Node]:
        """The elements, if it is a list."""
        self.expect(list, "a list")
        return (self.child(i) for i in range(len(self.value)))

    def members(self) -> Iterator[tuple[str, Node]]:
        """The members, if it is an object."""
        self.expect(dict, "an object")
        return ((key, self.child(key)) for key in self.value)

    def get(self, key: str) -> Node | None:
        """The member ``key``, if there is one."""
        return self.child(key) if key in self.value else None

    def require(self, key: str) -> Node:
        """The member ``key``."""
        if key not in self.value:
            self.fail(f'missing key "{key}"', nearest(key, self.value))
        return self.child(key)

    def only(self, known: Iterable[str]) -> None:
        """Refuses members that are not ``known``."""
        known = list(known)
        self.expect(dict, "an object")
        for key in self.value:
            if key not in known:
                suggestion = nearest(key, known)
                expected = "" if suggestion else f" (known: {listing(known)})"
                self.child(key).fail(f'unknown key "{key}"{expected}', suggestion)

    def read(self, reader: Callable[[Any], T]) -> T:
        """The value read by ``reader``, whose errors get this place."""
        return self.attempt(partial(reader, self.value))

    def attempt(self, action: Callable[[], T]) -> T:
        """The result of ``action``, whose errors get this place."""
        try:
            return action()
        except WeirError as e:
            if e.file is not None:
                raise
            raise self.error(e.message, file=self.file, where=self.path, suggestion=e.suggestion) from None


def describe(value: Any) -> str:
    """A description of a JSON value for messages."""
    if value is None:
        return "null"
    shown = json.dumps(value, ensure_ascii=False, default=repr)
    kind = _KINDS.get(type(value), type(value).__name__)
    return f"{kind} {shown}" if len(shown) <= 40 and not isinstance(value, (dict, list)) else kind
