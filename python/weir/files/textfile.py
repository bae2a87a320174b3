"""Reads text files."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Collection, Iterable
from io import BufferedReader
from pathlib import Path

from weir.errors import CommandError, FileError
from weir.files import is_folder
from weir.files.opening import open_named
from weir.text.suggest import nearest

_MARK = "\ufeff"


def read_text(path: str | Path, maximum: int = 256 << 20) -> str:
    """Reads the text of a file, without the byte order mark that some editors write at its start.

    Args:
        path: the file.
        maximum: maximum number of bytes, so that endless devices are refused.

    Raises:
        FileError: the file is missing, a directory, not readable, too large or not UTF-8.
    """
    content = _read_bytes(path, maximum)
    try:
        return content.decode("utf-8").removeprefix(_MARK)
    except UnicodeDecodeError as error:
        raise FileError(f"is not UTF-8 text (byte {error.start})", file=path) from None


def read_source(
    path: str | Path, maximum: int, opener: Callable[[str | Path], BufferedReader] = open_named
) -> str:
    """Reads a P4 file as UTF-8 or, if it is not UTF-8, as ISO 8859-1 (each byte is a character).

    P4 allows any 8-bit characters in comments and strings (specification section "Lexical
    constructs").

    Args:
        path: the file.
        maximum: maximum number of bytes.
        opener: a function of :mod:`weir.files.opening` that opens the file.

    Raises:
        FileError: the file is missing, a directory, not readable, too large or contains a byte 0.
    """
    content = _read_bytes(path, maximum, opener)
    if (zero := content.find(0)) >= 0:
        raise FileError(f"is not text (byte {zero} is 0)", file=path)
    try:
        return content.decode("utf-8").removeprefix(_MARK)
    except UnicodeDecodeError:
        return content.decode("iso8859-1")


def _read_bytes(
    path: str | Path, maximum: int, opener: Callable[[str | Path], BufferedReader] = open_named
) -> bytes:
    try:
        with opener(path) as file:
            content = file.read(maximum + 1)
        if len(content) > maximum:
            raise FileError(f"is larger than {maximum >> 20} MiB", file=path)
        if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise FileError("is UTF-16 text: save it as UTF-8", file=path)
        return content
    except FileNotFoundError:
        raise no_such_file(path) from None
    except IsADirectoryError:
        raise FileError("is a directory, expected a file", file=path) from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from None
    except ValueError as error:
        raise FileError(f"cannot be read: {error}", file=path) from None


def check_words(words: Iterable[str], what: str = "argument") -> None:
    """Refuses words of a command that are not UTF-8: Python reads their bytes as surrogates.

    Args:
        words: the words.
        what: the name of the words in messages, such as ``argument``.

    Raises:
        CommandError: a word has such bytes; the message says which word.
    """
    for number, word in enumerate(words, 1):
        try:
            word.encode()
        except UnicodeEncodeError as error:
            bad_bytes = word[error.start :][:40].encode("utf-8", "backslashreplace").decode()
            place = f'character {error.start + 1}, "{bad_bytes}"'
            raise CommandError(
                f"{what} {number} is not UTF-8 text ({place}); rename it if it is a file"
            ) from None


def no_such_file(path: str | Path, exclude: Iterable[str | Path] = (), what: str = "") -> FileError:
    """Returns the error for a missing file, with the most similar name that exists.

    Args:
        path: the missing file.
        exclude: files that must not be suggested.
        what: what the file should contain, such as ``entries of s1``.
    """
    file = Path(path)
    message = f"no such file ({what})" if what else "no such file"
    if not is_folder(file.parent):
        return FileError(f"{message}: there is no folder {file.parent}", file=path)
    return FileError(
        message, file=path, suggestion=_neighbour(file, {Path(excluded).name for excluded in exclude})
    )


def _neighbour(path: Path, exclude: Collection[str]) -> str | None:
    try:
        names = sorted(
            entry.name
            for entry in path.parent.iterdir()
            if entry.is_file() and entry.suffix == path.suffix and entry.name not in exclude
        )
    except OSError:
        return None
    neighbour = nearest(path.name, names)
    return None if neighbour is None else str(path.parent / neighbour)
