"""Types of options for output files, which report unusable names before the command runs."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from weir.errors import CommandError, FileError

_OUTPUTS_KEY = "weir.cli.output_file.claimed"
"""The key in the context's ``meta`` under which the command's output files and folders are
stored."""


class Output(click.Path):
    """The type of an option that names an output file or folder. Two options must not name the same
    file.

    Several options may name the same device, such as ``/dev/null``.
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Checks the name of the output, and returns the name as it was typed."""
        converted = super().convert(value, param, ctx)
        if not os.fsdecode(converted):
            raise CommandError(f'{_name(param)}: expected a name, found ""')
        if ctx is not None and not ctx.resilient_parsing:
            self.check(Path(os.fsdecode(converted)))
            _record_output(Path(os.fsdecode(converted)), _name(param), ctx)
        return converted

    def check(self, path: Path) -> None:
        """Refuses a name that is known to be unwritable."""


class OutputFile(Output):
    """The type of an option that names a file that is written after a run."""

    def check(self, path: Path) -> None:
        """Refuses a file that cannot be written; see :func:`check_output_file`."""
        check_output_file(path)


def _name(param: click.Parameter | None) -> str:
    """Returns the option's longest name, for messages."""
    if isinstance(param, click.Argument):
        return param.human_readable_name
    return "" if param is None else max(param.opts, key=len)


def _record_output(path: Path, option: str, ctx: click.Context) -> None:
    """Records which option names an output, so that no other option can name the same file.

    Raises:
        CommandError: another option names the same file.
    """
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not (target.is_file() or target.is_dir()):
            return
    except (OSError, ValueError):
        # The code that writes the file reports the reason.
        return
    claimed: dict[Path, str] = ctx.meta.setdefault(_OUTPUTS_KEY, {})
    # Two different names can still mean the same file.
    same = (other for other in claimed if other == target or is_same_file(other, target))
    if (other := next(same, None)) is not None and claimed[other] != option:
        raise CommandError(f"{claimed[other]} and {option} both name {path}: each needs its own file")
    claimed[target] = option


def keep_inputs(ctx: click.Context, inputs: Iterable[str]) -> None:
    """Checks that no output file is one that the command reads.

    Args:
        ctx: the context of the parsed command.
        inputs: the names of the parameters whose files the command reads.

    Raises:
        CommandError: the command would overwrite what it reads.
    """
    outputs: dict[Path, str] = ctx.meta.get(_OUTPUTS_KEY, {})
    for name in inputs:
        given = ctx.params.get(name) or ()
        for file in (given,) if isinstance(given, str) else given:
            for output, option in outputs.items():
                if is_same_file(output, Path(file)):
                    raise overwriting(option, file)


def overwriting(option: str, file: str) -> CommandError:
    """Returns the error of an option that names a file that the command reads."""
    return CommandError(f"{option} would overwrite {file}, which the command reads: give another name")


def is_same_file(one: Path, other: Path) -> bool:
    """Returns whether two names are those of one file that exists."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def check_output_file(path: Path) -> None:
    """Checks in advance, as far as possible, that a file can be written.

    Raises:
        CommandError: the name is ``-``, which other programs use for standard output.
        FileError: the name is that of a folder, or the parent folder is missing or not writable.
    """
    if str(path) == "-":
        raise CommandError(
            'expected the name of a file, found "-" (./- for a file of this name)', suggestion="/dev/stdout"
        )
    try:
        # Symbolic links are followed, as when the file is written.
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
            suggestion=f"mkdir -p {shlex.quote(str(path.parent))}",
        )
    if not is_folder:
        raise FileError(f"cannot be written: {path.parent} is a file, not a folder", file=path)
    if not os.access(folder, os.W_OK | os.X_OK) or (mode is not None and not os.access(target, os.W_OK)):
        read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
        reason = "the file system is read-only" if read_only else "permission denied"
        raise FileError(f"cannot be written: {reason}", file=path)
