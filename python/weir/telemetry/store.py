"""Telemetry reports on disk, and the questions that they answer."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import duckdb

from weir.errors import FileError
from weir.telemetry.batch import Batch, decode
from weir.telemetry.export import export
from weir.telemetry.questions.asking import Questions
from weir.telemetry.segments import TABLES, Segment, Segments, files
from weir.telemetry.tables import quoted, view
from weir.telemetry.words import Numbers

_ENOUGH_REPORTS: Final = 1_000_000
"""Segments with so many reports are large enough: they are not merged any more."""


@dataclass(frozen=True)
class Stored:
    """A batch that is on disk.

    Attributes:
        number: of the batch in the store, from 0.
        reports: how many reports it has.
        bad: how many of its datagrams are no reports.
    """

    number: int
    reports: int
    bad: int


class Store(Questions):
    """Telemetry reports in a folder, as Parquet files that DuckDB asks.

    Reports are added in batches. When :meth:`add` returns, its batch is acknowledged: it is on disk
    as a whole, and stays there if the process is killed or the power fails a moment later. A batch
    that was being added at that time is there as a whole or not at all; :attr:`batches` says which.
    Datagrams that are no reports are kept apart with the reason.

    Several processes may add and ask at the same time.

    >>> store = Store("run1")                                       # doctest: +SKIP
    >>> store.add(payloads, times_ns)                               # doctest: +SKIP
    Stored(number=0, reports=1000, bad=0)

    Args:
        folder: where it is, made by :meth:`begin` or by the first batch, and then its time counts
            from the start of a virtual network; None for a store that ends with this object.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        path = Path(tempfile.mkdtemp(prefix="weir-telemetry-") if folder is None else folder)
        if folder is None:
            weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)
        self._segments = Segments(path, durable=folder is not None)

    @property
    def folder(self) -> Path:
        """The folder it is in."""
        return self._segments.folder

    @property
    def origin_ns(self) -> int:
        """The instant from which answers count time.

        Raises:
            FileError: there is no such store.
        """
        return self._segments.origin_ns()

    @property
    def batches(self) -> int:
        """How many batches it holds; 0 if it does not exist yet.

        A sender that numbers its batches from 0 goes on with this one after a crash: none is lost,
        none is there twice.
        """
        return self._segments.count()

    def begin(self, origin_ns: int = 0) -> None:
        """Makes the store, if it does not exist yet.

        Args:
            origin_ns: the instant from which answers count time.

        Raises:
            FileError: it cannot be made.
        """
        self._segments.begin(origin_ns)

    def add(self, payloads: Sequence[bytes], times_ns: Sequence[int] | Numbers) -> Stored:
        """Decodes datagrams, and adds them as one batch.

        Args:
            payloads: the UDP payloads, in the order of their arrival.
            times_ns: when each arrived.

        Returns:
            The batch, which is on disk now.

        Raises:
            FileError: the store cannot be written; then it is as it was before.
        """
        if len(payloads) != len(times_ns):
            raise ValueError(f"{len(payloads)} payloads with {len(times_ns)} times")
        return self.add_batch(decode(payloads, times_ns))

    def add_batch(self, batch: Batch) -> Stored:
        """Adds what is decoded already; see :meth:`add`."""
        # Questions need no polars.
        from weir.telemetry.frames import writers

        number = self._segments.add(lambda number: writers(batch, number))
        return Stored(number, len(batch), len(batch.bad))

    def compact(self) -> None:
        """Merges small batches into larger files, which are faster to ask and take less space.

        Answers stay the same, also those of questions that are being asked, and after a kill.

        Raises:
            FileError: the store cannot be written.
        """
        run: list[Segment] = []
        reports = 0
        for segment in [*self._segments.all(), None]:
            size = 0 if segment is None else self._reports_in(segment)
            if segment is None or size >= _ENOUGH_REPORTS or reports + size > 4 * _ENOUGH_REPORTS:
                if len(run) > 1:
                    self._merge(run)
                run, reports = [], 0
            if segment is not None and size < _ENOUGH_REPORTS:
                run.append(segment)
                reports += size
        self._segments.tidy()

    def sql(self, query: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Asks the tables ``reports``, ``hops`` and ``bad`` in DuckDB's SQL.

        Returns:
            A dictionary for each row.

        Raises:
            FileError: there is no such store, or the query has a mistake.
        """
        with self.connection() as connection:
            answer = connection.execute(query, list(parameters))
            names = [column[0] for column in answer.description or ()]
            return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]

    def export(self, path: str | Path) -> list[Path]:
        """Writes all reports for other tools; addresses are texts such as ``10.0.1.1``.

        Args:
            path: a folder, for ``reports.parquet``, ``hops.parquet`` and ``bad.parquet``; or a name
                that ends in ``.duckdb``, for a database with these tables.

        Returns:
            The files.

        Raises:
            FileError: there is no such store, or a file cannot be written.
        """
        with self.connection() as connection:
            return export(connection, Path(path))

    @contextmanager
    def connection(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection of DuckDB in which the tables are views, for questions of one's own.

        It shows the batches that there are when it is opened.

        Raises:
            FileError: there is no such store, or a query in the block has a mistake.
        """
        self._segments.origin_ns()
        # Nothing is fetched: DuckDB loads no extension from elsewhere.
        settings = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        try:
            with duckdb.connect(":memory:", config=settings) as connection:
                self._show(connection)
                yield connection
        except duckdb.Error as error:
            raise FileError(str(error).partition("\n")[0], file=self.folder) from None

    def _show(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Makes the views. A merge may remove files meanwhile: then those that replace them."""
        for attempt in range(10):
            try:
                segments = self._segments.all()
                for table in TABLES:
                    connection.execute(f"DROP VIEW IF EXISTS {table}; {view(segments, table)}")
                return
            except duckdb.IOException:
                if attempt == 9:
                    raise

    def _reports_in(self, segment: Segment) -> int:
        (path,) = files([segment], "reports")
        query = "SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata(?)"
        row = duckdb.connect(":memory:").execute(query, [path]).fetchone()
        return int(row[0] or 0) if row else 0

    def _merge(self, run: list[Segment]) -> None:
        """Replaces segments by one with the same rows in the same order."""
        with duckdb.connect(":memory:") as connection:

            def writer(table: str) -> Callable[[IO[bytes]], object]:
                def write(file: IO[bytes]) -> None:
                    connection.execute(view(run, table))
                    connection.execute(
                        f"COPY (FROM {table}) TO {quoted(file.name)} (FORMAT parquet, COMPRESSION zstd)"
                    )

                return write

            present = [table for table in TABLES if files(run, table)]
            self._segments.replace(run, {table: writer(table) for table in present})
