"""Opens files that other users may have made, without waiting for a writer, and refuses links and
devices.

All code that reads files of other people calls these functions. A named pipe can make the caller
wait for ever, a socket or a device is not data, and a link in a received folder can lead to any
file of the user.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from io import BufferedReader
from pathlib import Path
from typing import Final

from weir._core import is_opened_by_caller

if sys.platform == "win32":
    _FLAGS: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
    _NO_LINK: Final = 0
    _APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND

    def _wait_for_data(descriptor: int) -> None:
        """Does nothing, because files on Windows have no non-blocking mode."""

else:
    _FLAGS: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    _NO_LINK: Final = os.O_NOFOLLOW
    _APPEND: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW

    def _wait_for_data(descriptor: int) -> None:
        """Makes reading wait, once it is known that waiting ends."""
        os.set_blocking(descriptor, True)


class NotAFileError(OSError):
    """An error about a name that is a pipe, a socket, a device or a link instead of a file."""

    def __init__(self, reason: str) -> None:
        super().__init__(errno.EINVAL, reason)


def open_inside(path: str | Path) -> BufferedReader:
    """Opens a file of a folder that others may have made: a telemetry store, a result, a lab.

    Raises:
        OSError: there is no such file, it cannot be read, or it is a link or not a regular file.
    """
    try:
        descriptor = os.open(path, _FLAGS | _NO_LINK)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotAFileError("it is a symbolic link, expected a file") from None
        raise _file_kind_error(path, error) from None
    return _regular(descriptor)


def open_named(path: str | Path) -> BufferedReader:
    """Opens a file that a user, or another file of the user, names. Links are followed.

    Pipes can be read if the caller of the command has opened them: ``/dev/stdin``, and ``<(…)`` of
    shells. Other named pipes are refused, because the folder of somebody else could contain one. A
    device is read if it has data immediately.

    Raises:
        OSError: there is no such file, it cannot be read, or it is not a file.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise _file_kind_error(path, error) from None
    if is_opened_by_caller(path):
        _wait_for_data(descriptor)
        return os.fdopen(descriptor, "rb")
    return _regular(descriptor, devices=True)


def open_log(path: str | Path) -> int:
    """Opens a log file for appending, and creates it if it does not exist. Returns the descriptor.

    Raises:
        OSError: the file cannot be written, or is a link or not a regular file.
    """
    try:
        descriptor = os.open(path, _APPEND, 0o644)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise NotAFileError("it is a symbolic link, expected a file") from None
        raise _file_kind_error(path, error) from None
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise NotAFileError(f"it is {_kind(mode)}, expected a file")
    return descriptor


def refuse_pipe(path: str | Path) -> None:
    """Refuses a name that :func:`open_named` would refuse, for code that cannot be given an open
    file. A name that does not exist is left to this code.

    Raises:
        NotAFileError: the name is a pipe that nobody has opened, or a socket.
    """
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except (OSError, ValueError):
        return
    if is_opened_by_caller(path):
        return
    if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
        raise NotAFileError(f"it is {_kind(mode)}, expected a file")


def _regular(descriptor: int, *, devices: bool = False) -> BufferedReader:
    """Returns the file of a descriptor if it is a regular file, or a device if that is allowed."""
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISREG(mode):
            _wait_for_data(descriptor)
        elif stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        elif not (devices and stat.S_ISCHR(mode)):
            raise NotAFileError(f"it is {_kind(mode)}, expected a file")
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _file_kind_error(path: str | Path, error: OSError) -> OSError:
    """Returns an error that names the kind of file, if opening failed because of the kind."""
    if error.errno != errno.ENXIO:
        return error
    try:
        return NotAFileError(f"it is {_kind(os.stat(path).st_mode)}, expected a file")  # noqa: PTH116
    except OSError:
        return error


def _kind(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "a named pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def is_link(path: str | Path) -> bool:
    """Returns whether a name is a symbolic link."""
    return os.path.islink(path)  # noqa: PTH114


def refuse_link(folder: Path) -> None:
    """Refuses a folder of results that is a symbolic link, which can lead to other files.

    Raises:
        NotAFileError: the name is a link.
    """
    if is_link(folder):
        raise NotAFileError("it is a symbolic link, expected a folder")


def make_folder(folder: Path) -> None:
    """Creates a folder inside a folder that others may have made; refuses a link.

    Raises:
        OSError: the folder cannot be created, or is a link or a file.
    """
    refuse_link(folder)
    folder.mkdir(parents=True, exist_ok=True)
