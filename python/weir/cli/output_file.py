"""Files that a command writes at its end: unusable names are reported before the command runs."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import click

from weir.errors import FileError


class OutputFile(click.Path):
    """The type of an option whose file is written after a run."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name as it was typed; see :func:`check_output_file`."""
        converted = super().convert(value, param, ctx)
        if ctx is None or not ctx.resilient_parsing:
            check_output_file(Path(os.fsdecode(converted)))
        return converted


def check_output_file(path: Path) -> None:
    """Reports what would prevent a file from being written, as far as that is known in advance.

    Raises:
        FileError: its folder is missing or cannot be written, or it is a folder.
    """
    try:
        # Links are followed, as when the file is written.
        target = Path(os.path.realpath(path))
        mode = target.stat().st_mode if target.exists() else None
        folder = target.parent
        has_folder, is_folder = folder.exists(), folder.is_dir()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise FileError(f"cannot be written: {reason}", file=path) from None
    if mode is not None and stat.S_ISDIR(mode):
        raise FileError("cannot be written: it is a folder", file=path)
    if mode is not None and not stat.S_ISREG(mode):
        # Devices and pipes are written directly.
        return
    if not has_folder:
        raise FileError(
            f"cannot be written: there is no folder {path.parent}",
            file=path,
            suggestion=f"mkdir -p {path.parent}",
        )
    if not is_folder:
        raise FileError(f"cannot be written: {path.parent} is a file, not a folder", file=path)
    if not os.access(folder, os.W_OK | os.X_OK) or (mode is not None and not os.access(target, os.W_OK)):
        raise FileError("cannot be written: permission denied", file=path)
