"""The folder of an experiment's results: a file for each run, and tables of all of them.

``experiment.json`` describes the experiment. ``runs/KEY.json`` is the record of a run, complete or
absent; ``runs/KEY.log`` is the output of a failed run. The tables, Parquet files, are written when
all runs are done; in a folder without them, the experiment was stopped and can be resumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from weir.errors import ExperimentError, FileError
from weir.experiments.stored import read_declaration, read_record
from weir.experiments.task import Record, Task
from weir.files.whole_file import write_whole_json, write_whole_text

DECLARATION: Final = "experiment.json"


class Store:
    """The folder of one experiment's results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runs = folder / "runs"

    def open(self, declaration: Mapping[str, Any], fresh: bool) -> None:
        """Makes the folder ready for runs of this declaration.

        Args:
            declaration: the experiment's name, the digest of its function, and the other data that
                all runs share.
            fresh: whether to remove earlier results of the same experiment.

        Raises:
            FileError: the path is not a folder, or cannot be written.
            ExperimentError: the folder contains something else, or results of another function.
        """
        try:
            self._open(declaration, fresh)
        except OSError as error:
            raise FileError(f"cannot be written: {error.strerror or error}", file=self.folder) from None

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
                what = {
                    "function": "the function has changed",
                    "version": f"Weir {earlier['version']} made them",
                }
                reason = what.get(changed[0], f"they have the master seed {earlier['master_seed']}")
                raise ExperimentError(
                    f"contains earlier results, and {reason}: name another folder, or start again with "
                    "fresh=True (--fresh), which removes them",
                    file=self.folder,
                )
            if fresh:
                self.clear()
        self._runs.mkdir(parents=True, exist_ok=True)
        write_whole_json(self.folder / DECLARATION, declaration, indent=2)

    def declaration(self) -> dict[str, Any]:
        """The data that the folder's runs share.

        Raises:
            ExperimentError: the folder has no results of an experiment.
        """
        try:
            return read_declaration(self.folder / DECLARATION)
        except (FileError, ValueError):
            raise ExperimentError(
                f"has no results of an experiment ({DECLARATION} is missing or damaged)", file=self.folder
            ) from None

    def record(self, task: Task) -> Record | None:
        """The record of an earlier run of this task, unless that run failed."""
        try:
            read = read_record(self._runs / f"{task.key}.json")
        except (FileError, ValueError):
            return None
        return read if read["error"] is None else None

    def keep(self, task: Task, record: Record) -> None:
        """Writes the record of a run, and the log of a failed run as text.

        Raises:
            FileError: a file cannot be written.
        """
        if record["error"] is not None:
            write_whole_text(self.log(task), record["log"])
        write_whole_json(self._runs / f"{task.key}.json", record)
        if record["error"] is None:
            self.log(task).unlink(missing_ok=True)

    def log(self, task: Task) -> Path:
        """The file with the output of a failed run."""
        return self._runs / f"{task.key}.log"

    def records(self) -> list[Record]:
        """All records, in the order of their tables.

        Raises:
            ExperimentError: the folder has no complete result.
        """
        shared = self.declaration()
        try:
            return [
                read_record(self._runs / f"{key}.json", shared["names"]) for key in shared.get("runs", [])
            ]
        except (FileError, ValueError):
            raise ExperimentError(
                "has no complete result: run the experiment again with this folder, it goes on where it stopped",
                file=self.folder,
            ) from None

    def clear(self) -> None:
        """Removes the files that an experiment wrote, and nothing else."""
        for pattern in ("runs/*.json", "runs/*.log", "frames/*.parquet", "*.parquet", "report.html"):
            for file in self.folder.glob(pattern):
                file.unlink()
