"""Stores telemetry reports on disk, and answers queries about them."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import duckdb

from weir import units
from weir.errors import FileError
from weir.errors.checks import check_whole
from weir.telemetry.batch import Batch, decode
from weir.telemetry.database import MAX_ROWS, MEMORY, first_line, open_database
from weir.telemetry.export import export, refuse_within
from weir.telemetry.limit import Limit, WhenFull
from weir.telemetry.manifest import MAX_NS, TABLES
from weir.telemetry.merge import merge
from weir.telemetry.questions.asking import Questions
from weir.telemetry.segments import Segments
from weir.telemetry.tables import view
from weir.telemetry.words import Numbers

_MAX_ATTEMPTS: Final = 5
"""The number of times that a query is repeated if files were merged in the meantime."""

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Stored:
    """The contents of a batch on disk.

    Attributes:
        number: the batch's number in the store, from 0.
        reports: the number of reports in the batch.
        bad: the number of datagrams that are not reports.
    """

    number: int
    reports: int
    bad: int


class Store(Questions):
    """Telemetry reports in a folder, as Parquet files that DuckDB queries.

    Reports are added in batches. When :meth:`add` returns, the batch is complete on disk and
    remains there even if the process is killed or the power fails immediately afterwards. A batch
    that was being added at that time is either complete or absent, as :attr:`batches` shows.
    Datagrams that are not reports are stored separately, with the reason.

    Several processes may add and query at the same time.

    The store has a hash of each file. Before a query, it checks that no file is missing or changed,
    and otherwise raises an error with the name of the file.

    >>> store = Store("run1")                                       # doctest: +SKIP
    >>> store.add(payloads, times_ns)                               # doctest: +SKIP
    Stored(number=0, reports=1000, bad=0)

    Args:
        folder: the store's folder, created by :meth:`begin` or by the first batch. In the latter
            case, times are relative to the start of a virtual network. ``None`` creates a temporary
            store, which is deleted with this object.
        limit: the maximum size of the files, such as ``"4GB"``; ``None`` for no limit. While files
            are merged, they may exceed the limit by an eighth.
        when_full: the action when a batch would exceed the limit: ``"stop"`` refuses the batch with
            a :class:`StoreFullError`, and ``"oldest"`` removes the oldest batches.
        memory: the maximum memory of a query, such as ``"2GB"``. A query that needs more stores up
            to eight times as much in temporary files.
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        limit: str | None = None,
        when_full: WhenFull = "stop",
        memory: str = MEMORY,
    ) -> None:
        self._memory = units.size_bytes(memory, "memory", MEMORY)
        most = Limit.read(limit, when_full)
        path = Path(tempfile.mkdtemp(prefix="weir-telemetry-") if folder is None else folder)
        if folder is None:
            weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)
        self._segments = Segments(path, durable=folder is not None, limit=most)

    @property
    def folder(self) -> Path:
        """The folder of the store."""
        return self._segments.folder

    @property
    def origin_ns(self) -> int:
        """The time in nanoseconds that is 0 in answers.

        Raises:
            FileError: there is no such store.
        """
        return self._segments.about().origin_ns

    @property
    def limit(self) -> Limit | None:
        """The limit on the store's size."""
        return self._segments.limit

    @property
    def removed(self) -> int:
        """The number of batches removed because of the limit or because they were damaged.

        Raises:
            FileError: there is no such store.
        """
        return sum(last - first + 1 for first, last in self._segments.about().removed)

    @property
    def batches(self) -> int:
        """The number of batches added to the store; 0 if the store does not exist yet.

        After a crash, a sender that numbers its batches from 0 continues with this number, so that
        no batch is lost or stored twice.
        """
        return self._segments.count()

    def begin(self, origin_ns: int = 0) -> None:
        """Creates the store, if it does not exist yet.

        Args:
            origin_ns: the time in ns that is 0 in answers.

        Raises:
            FileError: the store cannot be created.
        """
        check_whole("origin_ns", origin_ns, 0, MAX_NS)
        self._segments.begin(origin_ns)

    def add(self, payloads: Sequence[bytes], times_ns: Sequence[int] | Numbers) -> Stored:
        """Decodes datagrams, and adds them as one batch.

        Args:
            payloads: the UDP payloads, in the order of their arrival.
            times_ns: the time at which each datagram arrived.

        Returns:
            The summary of the batch.

        Raises:
            StoreFullError: the store has reached its limit.
            FileError: the store cannot be written, and is unchanged.
        """
        if len(payloads) != len(times_ns):
            raise ValueError(f"{len(payloads)} payloads with {len(times_ns)} times")
        return self.add_batch(decode(payloads, times_ns))

    def add_batch(self, batch: Batch) -> Stored:
        """Adds a batch that is already decoded; see :meth:`add`."""
        # This import is only here because queries do not need polars.
        from weir.telemetry.frames import writers

        if max(len(batch), len(batch.hops["report"])) > MAX_ROWS:
            raise FileError(f"a batch has at most {MAX_ROWS} reports and hops", file=self.folder)
        number = self._segments.add(lambda number: writers(batch, number), len(batch))
        return Stored(number, len(batch), len(batch.bad))

    def compact(self) -> None:
        """Merges small batches into larger files, which are faster to query and smaller.

        Answers do not change, even if the process is killed. If another process is already merging,
        the function returns at once.

        Raises:
            FileError: the store cannot be written, or is damaged.
        """
        with self._segments.merging_alone() as is_merging, self._errors_reported():
            if is_merging:
                merge(self._segments)

    def check(self, *, remove: bool = False) -> list[FileError]:
        """Reads all files, and compares them with their hashes.

        Args:
            remove: whether to remove damaged batches, so that queries work without them.

        Returns:
            The missing and damaged files, each with its name.

        Raises:
            FileError: there is no such store, or its description is damaged.
        """
        segments = self._segments
        about, present = segments.about(), segments.all_segments()
        errors = list(segments.damage(about, present))
        if errors and (segments.about(), segments.all_segments()) != (about, present):
            return self.check(remove=remove)
        if errors and remove:
            damaged = dict.fromkeys(segment for segment, _ in errors if segment is not None)
            segments.remove(
                damaged,
                about.missing((present_segment.first, present_segment.last) for present_segment in present),
            )
        return [error for _, error in errors]

    def sql(
        self, query: str, parameters: Sequence[Any] = (), *, all_files: bool = False
    ) -> list[dict[str, Any]]:
        """Queries the tables ``reports``, ``hops`` and ``bad`` with DuckDB's SQL.

        Args:
            query: the query.
            parameters: the values of the query's parameters.
            all_files: whether the query may read and write other files, such as with ``read_csv``
                and ``COPY``. By default, a query can read only the store.

        Returns:
            A dictionary for each row.

        Raises:
            FileError: there is no such store, or the query has a mistake.
        """
        return self._ask(lambda connection: _fetch_rows(connection, query, parameters), all_files=all_files)

    def export(self, path: str | Path) -> list[Path]:
        """Writes all reports for other tools, with addresses as text such as ``10.0.1.1``.

        Args:
            path: a folder, for ``reports.parquet``, ``hops.parquet`` and ``bad.parquet``; or a name
                that ends in ``.duckdb``, for a database with these tables.

        Returns:
            The files.

        Raises:
            FileError: there is no such store, a file cannot be written, or ``path`` is within the
                store, whose own files have the same names.
        """
        target = Path(path)
        refuse_within(self.folder, target)
        return self._ask(lambda connection: export(connection, target), all_files=True)

    @contextmanager
    def connection(self, *, all_files: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
        """Opens a DuckDB connection in which the tables are views, for your own queries.

        The views show the batches that exist when the connection is opened. If batches are merged
        in the meantime, a query may fail and must be repeated.

        Args:
            all_files: whether queries may read and write other files; see :meth:`sql`.

        Raises:
            FileError: there is no such store, or a query in the block has a mistake.
        """
        with self._errors_reported(), self._open_views(all_files) as connection:
            yield connection

    def _ask(
        self, question: Callable[[duckdb.DuckDBPyConnection], Answer], *, all_files: bool = False
    ) -> Answer:
        """Runs a query, and repeats it if files were merged in the meantime."""
        with self._errors_reported():
            for _ in range(_MAX_ATTEMPTS):
                segments = self._segments.all_segments() if self._segments.exists else []
                try:
                    with self._open_views(all_files) as connection:
                        return question(connection)
                except (duckdb.IOException, duckdb.PermissionException):
                    # DuckDB reports a file that a merge has removed in one of these two ways.
                    if self._segments.all_segments() == segments:
                        raise
            with self._open_views(all_files) as connection:
                return question(connection)

    @contextmanager
    def _open_views(self, all_files: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        segments = self._segments.whole_segments()
        files = {table: self._segments.files(segments, table) for table in TABLES}
        readable = [path for paths in files.values() for path in paths]
        with open_database(readable, memory=self._memory, all_files=all_files) as connection:
            for table, paths in files.items():
                connection.execute(view(paths, table))
            yield connection

    @contextmanager
    def _errors_reported(self) -> Iterator[None]:
        """Converts DuckDB's errors in the block to errors of the user's query."""
        try:
            yield
        except duckdb.PermissionException as error:
            raise FileError(
                f"{first_line(error)}: a query can read only the store, unless --all-files (all_files=True) "
                "allows more",
                file=self.folder,
            ) from None
        except duckdb.OutOfMemoryException:
            raise FileError(
                f"the query needs more than {units.format_size(self._memory)} of memory: allow more with "
                "--memory (memory=)",
                file=self.folder,
            ) from None
        except duckdb.Error as error:
            raise FileError(first_line(error), file=self.folder) from None


def _fetch_rows(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[Any]
) -> list[dict[str, Any]]:
    answer = connection.execute(query, list(parameters))
    names = [column[0] for column in answer.description or ()]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
