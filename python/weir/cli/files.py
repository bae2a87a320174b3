"""Types of options and arguments that name files and folders.

The types report unusable names before the command runs, and refuse an output that would overwrite
what the command reads.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click

from weir.errors import CommandError, FileError

_NAMED_KEY: Final = "weir.cli.files.named"
"""The key in the context's ``meta`` of the files that the command line names."""

_STORED: Final = (".json", ".parquet")
"""The suffixes of the files that make up a store of reports or the results of an experiment."""


@dataclass
class _NamedFiles:
    """The files that a command line names.

    Attributes:
        outputs: the options that name outputs, by the file or folder.
        inputs: the files that the command reads, as they were typed.
        folders: the folders whose stored files the command reads.
    """

    outputs: dict[Path, str] = field(default_factory=dict)
    inputs: list[Path] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)


class Input(click.Path):
    """The type of an option or argument that names a file that the command reads.

    Another text, such as a shape in place of a topology, is not taken for a file.

    Args:
        may_be_empty: whether the text may be empty, because it may also be something else.
        **path: the arguments of ``click.Path``.
    """

    def __init__(self, *, may_be_empty: bool = False, **path: Any) -> None:
        super().__init__(**path)
        self.may_be_empty = may_be_empty

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Remembers the file, and returns its name as it was typed."""
        converted = super().convert(value, param, ctx)
        if not os.fsdecode(converted) and not self.may_be_empty:
            raise CommandError(f'{_name(param)}: expected a name, found ""')
        if ctx is not None and not ctx.resilient_parsing:
            self.remember(os.fsdecode(converted), ctx)
        return converted

    def remember(self, name: str, ctx: click.Context) -> None:
        """Remembers that the command reads a file."""
        keep_inputs([name], ctx)


class InputFolder(Input):
    """The type of an option or argument that names a store of reports or a folder of results."""

    def remember(self, name: str, ctx: click.Context) -> None:
        """Remembers that the command reads the files that are stored in a folder."""
        named, folder = _named_files(ctx), Path(os.path.realpath(name))
        named.folders.append(folder)
        for output, option in named.outputs.items():
            _check_folder(folder, output, option)


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
            keep_output(Path(os.fsdecode(converted)), _name(param), ctx)
        return converted

    def check(self, path: Path) -> None:
        """Refuses a name that is known to be unwritable."""


class OutputFile(Output):
    """The type of an option that names a file that is written after a run.

    Args:
        or_standard_output: whether ``-`` means standard output.
    """

    def __init__(self, *, or_standard_output: bool = False) -> None:
        super().__init__()
        self._or_standard_output = or_standard_output

    def check(self, path: Path) -> None:
        """Refuses a file that cannot be written; see :func:`check_output_file`."""
        if not (self._or_standard_output and str(path) == "-"):
            check_output_file(path)


def _name(param: click.Parameter | None) -> str:
    """Returns the option's longest name, for messages."""
    if isinstance(param, click.Argument):
        return param.human_readable_name
    return "" if param is None else max(param.opts, key=len)


def _named_files(ctx: click.Context | None) -> _NamedFiles:
    """Returns the files that the command line names so far."""
    ctx = ctx or click.get_current_context(silent=True)
    named: _NamedFiles = _NamedFiles() if ctx is None else ctx.meta.setdefault(_NAMED_KEY, _NamedFiles())
    return named


def keep_output(path: Path, option: str, ctx: click.Context | None = None) -> None:
    """Remembers that the command writes a file, so that no other option names it.

    Args:
        path: the file, or a folder.
        option: the option that names it, for messages.
        ctx: the context of the command; by default the current one.

    Raises:
        CommandError: another option names the file, or the command reads it.
    """
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not (target.is_file() or target.is_dir()):
            return
    except (OSError, ValueError):
        # The code that writes the file reports the reason.
        return
    named = _named_files(ctx)
    # Two different names can still mean the same file.
    same = (other for other in named.outputs if other == target or _is_same_file(other, target))
    if (other := next(same, None)) is not None and named.outputs[other] != option:
        raise CommandError(f"{named.outputs[other]} and {option} both name {path}: each needs its own file")
    for file in named.inputs:
        _check_input(file, target, option)
    for folder in named.folders:
        _check_folder(folder, target, option)
    named.outputs[target] = option


def keep_inputs(files: Iterable[str | Path], ctx: click.Context | None = None) -> None:
    """Remembers that the command reads files, so that it does not write to them.

    Args:
        files: the files; names without a file are allowed.
        ctx: the context of the command; by default the current one.

    Raises:
        CommandError: an option names one of the files for an output.
    """
    named = _named_files(ctx)
    for file in map(Path, files):
        named.inputs.append(file)
        for output, option in named.outputs.items():
            _check_input(file, output, option)


def _check_input(file: Path, output: Path, option: str) -> None:
    if _is_same_file(file, output) and output.is_file():
        raise _overwriting(option, file)


def _check_folder(folder: Path, output: Path, option: str) -> None:
    if output.is_relative_to(folder) and output.suffix in _STORED and output.is_file():
        raise _overwriting(option, output)


def _overwriting(option: str, file: Path) -> CommandError:
    return CommandError(f"{option} would overwrite {file}, which the command reads: give another name")


def _is_same_file(one: Path, other: Path) -> bool:
    """Returns whether two names refer to the same existing file."""
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
