"""Python files of users, run as modules: errors in them name the file and the line."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from weir import hints
from weir.errors import MissingExtraError, WeirError


@contextmanager
def user_code(file: str | Path, kind: type[WeirError], what: str = "") -> Iterator[None]:
    """Runs a block that runs a user's Python file, and converts the file's errors.

    Args:
        file: the file, or a folder with several files, as the user named it.
        kind: the error to raise.
        what: the consequence of an error, for messages, such as ``the lab cannot be loaded``.

    Raises:
        WeirError: the code is wrong, raised an error, or ended the process. The class is ``kind``.
    """
    try:
        yield
    except (MissingExtraError, KeyboardInterrupt):
        raise
    except (Exception, SystemExit) as error:
        place, line = _place(error, Path(file).resolve())
        message = f"{what}: {_text(error)}" if what else _text(error)
        shown_file = file if place is None or place == Path(file).resolve() else place
        raise kind(message, file=shown_file, where=None if line is None else str(line)) from None


def experiment_files(folder: Path) -> list[Path]:
    """Finds the Python files of a folder that declare experiments, without running the files."""
    return [
        path
        for path in sorted(folder.glob("*.py"))
        if b"@weir.experiment" in path.read_bytes() or b"@experiment" in path.read_bytes()
    ]


def _place(error: BaseException, file: Path) -> tuple[Path | None, int | None]:
    """Finds the innermost place of the error in the file or folder, or of a syntax error."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return Path(error.filename), error.lineno
    folder = file if file.is_dir() else file.parent
    frames = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    return next((frame for frame in reversed(frames) if frame[0].parent == folder), (None, None))


def _text(error: BaseException) -> str:
    if isinstance(error, WeirError):
        return str(error)
    if isinstance(error, SystemExit):
        return 'the file ends the process: code to run belongs under if __name__ == "__main__":'
    if isinstance(error, SyntaxError):
        return error.msg
    return hints.in_line(error)
