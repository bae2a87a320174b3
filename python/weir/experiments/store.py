"""Stores an experiment's results in a folder, with a file for each run and tables of all runs.

``experiment.json`` describes the experiment. ``runs/KEY.json`` is the record of a run, complete or
absent; ``runs/KEY.log`` is the output of a failed run. The tables, Parquet files, are written when
all runs are done. After that, the list of runs and the hashes of all files are added to
``experiment.json``; if they are missing, the experiment was interrupted and can be resumed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from weir.errors import ExperimentError, FileError
from weir.experiments.stored import read_declaration, read_record, write_declaration, write_record
from weir.experiments.task import Record, Task
from weir.files import is_there, system_errors
from weir.files.opening import is_link, make_folder, refuse_link
from weir.files.sealed import FileHash
from weir.files.whole_file import write_whole_text

DECLARATION: Final = "experiment.json"

_REPAIR: Final = "run the experiment again with this folder, which repeats damaged runs"


_FOLDERS: Final = ("runs", "frames")


def _link(folder: Path) -> FileError | None:
    """Returns an error if a folder of a result is a link to another folder."""
    return FileError("is a symbolic link, expected a folder", file=folder) if is_link(folder) else None


class Store:
    """The folder of one experiment's results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runs = folder / "runs"

    def open(self, declaration: Mapping[str, Any], fresh: bool) -> None:
        """Prepares the folder for runs of a declaration.

        Args:
            declaration: the experiment's name, the digest of its function, and the other data that
                all runs share.
            fresh: whether to remove earlier results of the same experiment.

        Raises:
            FileError: the path is not a folder, or cannot be written.
            ExperimentError: the folder contains something else, or results of another function.
        """
        with system_errors(self.folder, "cannot be written"):
            self._open(declaration, fresh)

    def _open(self, declaration: Mapping[str, Any], fresh: bool) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise FileError("is a file, expected a folder for the results", file=self.folder)
        if self.folder.is_dir() and any(self.folder.iterdir()):
            earlier = self.declaration()
            if earlier["experiment"] != declaration["experiment"]:
                raise ExperimentError(
                    f'contains results of the experiment "{earlier["experiment"]}": name another folder',
                    file=self.folder,
                )
            changed = [
                name for name in ("function", "version", "master_seed") if earlier[name] != declaration[name]
            ]
            if changed and not fresh:
                reasons = {
                    "function": "the function has changed",
                    "version": f"Weir {earlier['version']} made them",
                }
                reason = reasons.get(changed[0], f"they have the master seed {earlier['master_seed']}")
                raise ExperimentError(
                    f"contains earlier results, and {reason}: name another folder, or remove them "
                    "with fresh=True (--fresh)",
                    file=self.folder,
                )
            if fresh:
                self.clear()
        self._refuse_links()
        make_folder(self._runs)
        write_declaration(self.folder / DECLARATION, declaration)

    def _refuse_links(self) -> None:
        """Refuses folders of the result that are links, in which files would be written or removed.

        Raises:
            FileError: a folder is a link.
        """
        for name in _FOLDERS:
            with system_errors(self.folder / name, "cannot be written"):
                refuse_link(self.folder / name)

    def declaration(self) -> dict[str, Any]:
        """Reads the data that the folder's runs share.

        Raises:
            ExperimentError: the folder has no results of an experiment, or of another format.
        """
        path = self.folder / DECLARATION
        if not is_there(path) and not is_link(path):
            raise ExperimentError(
                f"has no results of an experiment: there is no file {DECLARATION} in it", file=self.folder
            )
        try:
            return read_declaration(path)
        except FileError as error:
            raise ExperimentError(error.message, file=path) from None

    def record(self, task: Task) -> Record | None:
        """Reads the record of an earlier run of a task; returns ``None`` if there is no record or
        the run failed."""
        try:
            stored = read_record(self._runs / f"{task.key}.json")
        except FileError:
            return None
        return stored if stored["error"] is None else None

    def keep(self, task: Task, record: Record) -> None:
        """Writes the record of a run, and the log of a failed run as text.

        Raises:
            FileError: a file cannot be written.
        """
        if record["error"] is not None:
            write_whole_text(self.log(task), record["log"])
        write_record(self._runs / f"{task.key}.json", record)
        if record["error"] is None:
            self.log(task).unlink(missing_ok=True)

    def log(self, task: Task) -> Path:
        """Returns the path of the file with the output of a failed run."""
        return self._runs / f"{task.key}.log"

    def finish(self, declaration: Mapping[str, Any], tasks: Sequence[Task], tables: Iterable[Path]) -> None:
        """Completes the result by adding the list of its runs and the hashes of all files.

        Raises:
            FileError: a file cannot be read or written.
        """
        files = [self._runs / f"{task.key}.json" for task in tasks]
        files += [log for task in tasks if (log := self.log(task)).exists()]
        hashes: dict[str, Any] = {}
        for path in sorted([*files, *tables]):
            with system_errors(path, "cannot be read"):
                hashes[path.relative_to(self.folder).as_posix()] = FileHash.of(path).json()
        runs = [task.key for task in tasks]
        write_declaration(self.folder / DECLARATION, {**declaration, "runs": runs, "files": hashes})

    @property
    def is_complete(self) -> bool:
        """Whether all runs are done; see :meth:`finish`.

        Raises:
            ExperimentError: the folder's description is damaged or of another format.
        """
        return (self.folder / DECLARATION).exists() and "files" in self.declaration()

    def damage(self) -> list[FileError]:
        """Describes the missing and damaged files of a complete result, by file name.

        Raises:
            ExperimentError: the folder has no complete result.
        """
        hashes = {name: FileHash.read(value) for name, value in self._complete()["files"].items()}
        errors = [_link(self.folder / name) for name in _FOLDERS]
        errors += [expected.check(self.folder / name) for name, expected in hashes.items()]
        return [error for error in errors if error is not None]

    def check(self) -> None:
        """Compares all files with their hashes.

        Raises:
            ExperimentError: the folder has no complete result, or a file is missing or damaged.
        """
        if damage := self.damage():
            further = len(damage) - 1
            further_files = f" (and {further} more file{'' if further == 1 else 's'})" if further else ""
            raise ExperimentError(f"{damage[0].message}{further_files}; {_REPAIR}", file=damage[0].file)

    def records(self) -> list[Record]:
        """Reads all records, in the order of the tables, after a check of all files.

        Raises:
            ExperimentError: the folder has no complete result, or a file is missing or damaged.
        """
        self.check()
        shared = self._complete()
        stored = []
        for key in shared["runs"]:
            path = self._runs / f"{key}.json"
            try:
                stored.append(read_record(path, shared["names"]))
            except FileError as error:
                raise ExperimentError(f"{error.message}; {_REPAIR}", file=path) from None
        return stored

    def _complete(self) -> dict[str, Any]:
        """Reads the data that the runs of a complete result share."""
        shared = self.declaration()
        if "runs" not in shared or "files" not in shared:
            raise ExperimentError(
                "has no complete result: run the experiment again with this folder to continue it",
                file=self.folder,
            )
        return shared

    def clear(self) -> None:
        """Removes the files that an experiment wrote, and no others."""
        self._refuse_links()
        for pattern in ("runs/*.json", "runs/*.log", "frames/*.parquet", "*.parquet", "report.html"):
            for file in self.folder.glob(pattern):
                file.unlink()
