"""Checks and copies files that users name, and converts errors of the operating system."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
from collections.abc import Container, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from weir.errors import FileError


def is_there(path: str | Path) -> bool:
    """Returns whether there is a file or folder with this name.

    Unlike :meth:`pathlib.Path.exists`, the function does not raise an error for names that
    are too long or contain a NUL; the code that opens the file reports them.
    """
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: str | Path) -> bool:
    """Returns whether there is a file with this name. Names that are too long or
    contain a NUL raise no error, as in :func:`is_there`."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | Path) -> bool:
    """Returns whether there is a folder with this name. Names that are too long or
    contain a NUL raise no error, as in :func:`is_there`."""
    return os.path.isdir(path)  # noqa: PTH112


@contextmanager
def system_errors(shown: Path, what: str) -> Iterator[None]:
    """Converts errors of the operating system in the block to a :class:`FileError` about the file
    ``shown``."""
    try:
        yield
    except FileNotFoundError as error:
        raise _missing_folder_error(shown, what) or FileError(
            f"{what}: {error.strerror}", file=shown
        ) from None
    except FileExistsError as error:
        broken = shown.is_symlink() and not shown.exists()
        reason = (
            f"it is a symbolic link to {shown.readlink()}, which does not exist" if broken else error.strerror
        )
        raise FileError(f"{what}: {reason}", file=shown) from None
    except OSError as error:
        reason = (
            "no space left on the device" if error.errno == errno.ENOSPC else error.strerror or str(error)
        )
        raise FileError(f"{what}: {reason}", file=shown) from None
    except ValueError as error:
        if "null" not in str(error):
            raise
        # The name contains a NUL.
        raise FileError(f"{what}: {error}", file=shown) from None


def _missing_folder_error(path: Path, what: str) -> FileError | None:
    """Returns the error for a file whose folder does not exist; ``None`` if the folder exists."""
    folder = path.parent
    if is_there(folder):
        return None
    return FileError(
        f"{what}: there is no folder {folder}", file=path, suggestion=f"mkdir -p {shlex.quote(str(folder))}"
    )


def copy_files(files: Iterable[Path], into: str | Path) -> list[Path]:
    """Copies files into a new or empty folder.

    Returns:
        The paths of the copies.

    Raises:
        FileError: the folder is not empty, or cannot be written.
    """
    return _copy([(file, file.name) for file in files], Path(into))


def copy_folder(source: Path, into: str | Path, suffixes: Container[str]) -> list[Path]:
    """Copies the files with these suffixes in a folder and its subfolders.

    Returns:
        The paths of the copies.

    Raises:
        FileError: the folder is not empty, or cannot be written.
    """
    files = [path for path in sorted(source.rglob("*")) if path.is_file() and path.suffix in suffixes]
    return _copy([(file, file.relative_to(source)) for file in files], Path(into))


def _copy(files: Iterable[tuple[Path, str | Path]], folder: Path) -> list[Path]:
    """Copies files into a new or empty folder, each under the given name."""
    with system_errors(folder, "cannot be written"):
        if folder.exists() and not folder.is_dir():
            raise FileError("is a file, expected a folder", file=folder)
        if folder.is_dir() and any(folder.iterdir()):
            raise FileError(
                "is not empty, and its files will not be overwritten: name a new folder", file=folder
            )
        topmost_new = next(
            (parent for parent in reversed([folder, *folder.parents]) if not is_there(parent)), None
        )
        folder.mkdir(parents=True, exist_ok=True)
        try:
            copies = []
            for file, name in files:
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                copies.append(Path(shutil.copyfile(file, target)))
            return copies
        except BaseException:
            # Half a copy would look like a whole one.
            for path in [topmost_new] if topmost_new is not None else folder.iterdir():
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
            raise
