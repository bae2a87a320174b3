"""Checks the permissions of files with secrets, such as private keys."""

from __future__ import annotations

import stat
import warnings
from pathlib import Path

from weir.errors import FileError, WeirWarning
from weir.files import system_errors


def check_secret(path: str | Path, what: str) -> None:
    """Checks the permissions of a file with a secret.

    Args:
        path: the file.
        what: the name of the secret in messages, such as ``private key``.

    Warns:
        WeirWarning: all users may read the file.

    Raises:
        FileError: all users may write the file, or it does not exist.
    """
    file = Path(path)
    with system_errors(file, "cannot be read"):
        mode = file.stat().st_mode
    if not stat.S_ISREG(mode):
        return
    if mode & stat.S_IWOTH:
        raise FileError(f"all users may write this {what}: chmod 600 {file}", file=file)
    if mode & stat.S_IROTH:
        warnings.warn(f"{file}: all users may read this {what}: chmod 600 {file}", WeirWarning, stacklevel=3)
