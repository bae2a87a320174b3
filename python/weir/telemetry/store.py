"""Telemetry reports on disk, and the questions that they answer."""

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

from weir.errors import FileError
from weir.telemetry.batch import Batch, decode
from weir.telemetry.export import export
from weir.telemetry.limit import Limit, WhenFull
from weir.telemetry.merge import connected, merge
from weir.telemetry.questions.asking import Questions
from weir.telemetry.segments import TABLES, Segments
from weir.telemetry.tables import view
from weir.telemetry.words import Numbers

_TRIES: Final = 5
"""How often a query is repeated because files were merged meanwhile."""

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Stored:
    """A batch that is on disk.

    Attributes:
        number: the batch's number in the store, from 0.
        reports: how many reports it has.
        bad: how many of its datagrams are not reports.
    """

    number: int
    reports: int
    bad: int


class Store(Questions):
    """Telemetry reports in a folder, as Parquet files that DuckDB queries.

    Reports are added in batches. When :meth:`add` returns, its batch is complete on disk, and
    remains there even if the process is killed or the power fails a moment later. A batch that was
    being added at that time exists as a whole or not at all; :attr:`batches` says which. Datagrams
    that are not reports are kept separately, with the reason.

    Several processes may add and query at the same time.

    The store keeps a hash of each file. Before it answers, it checks that no file is missing or has
    changed since it was written, and otherwise refuses with the name of the file.

    >>> store = Store("run1")                                       # doctest: +SKIP
    >>> store.add(payloads, times_ns)                               # doctest: +SKIP
    Stored(number=0, reports=1000, bad=0)

    Args:
        folder: the store's folder, created by :meth:`begin` or by the first batch. In the latter
            case, time counts from the start of a virtual network. None for a store that is deleted
            with this object.
        limit: the size that the files may have, such as ``"4GB"``; None for no limit. While files
            are merged, they take up to an eighth more.
        when_full: what happens when a batch would exceed the limit: ``"stop"`` refuses it with a
            :class:`StoreFullError`, ``"oldest"`` removes the oldest batches.
    """

    def __init__(
        self, folder: str | Path | None = None, *, limit: str | None = None, when_full: WhenFull = "stop"
    ) -> None:
        most = Limit.read(limit, when_full)
        path = Path(tempfile.mkdtemp(prefix="weir-telemetry-") if folder is None else folder)
        if folder is None:
            weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)
        self._segments = Segments(path, durable=folder is not None, limit=most)

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
        return self._segments.about().origin_ns

    @property
    def limit(self) -> Limit | None:
        """The limit on its size."""
        return self._segments.limit

    @property
    def removed(self) -> int:
        """How many batches were removed, because of the limit or because they were damaged.

        Raises:
            FileError: there is no such store.
        """
        return sum(last - first + 1 for first, last in self._segments.about().removed)

    @property
    def batches(self) -> int:
        """How many batches were added to the store; 0 if it does not exist yet.

        After a crash, a sender that numbers its batches from 0 continues with this number, so that
        no batch is lost or stored twice.
        """
        return self._segments.count()

    def begin(self, origin_ns: int = 0) -> None:
        """Creates the store, if it does not exist yet.

        Args:
            origin_ns: the instant from which answers count time.

        Raises:
            FileError: the store cannot be created.
        """
        self._segments.begin(origin_ns)

    def add(self, payloads: Sequence[bytes], times_ns: Sequence[int] | Numbers) -> Stored:
        """Decodes datagrams, and adds them as one batch.

        Args:
            payloads: the UDP payloads, in the order of their arrival.
            times_ns: the time at which each datagram arrived.

        Returns:
            The batch, which is now on disk.

        Raises:
            StoreFullError: the store has its limit.
            FileError: the store cannot be written; it is unchanged.
        """
        if len(payloads) != len(times_ns):
            raise ValueError(f"{len(payloads)} payloads with {len(times_ns)} times")
        return self.add_batch(decode(payloads, times_ns))

    def add_batch(self, batch: Batch) -> Stored:
        """Adds a batch that is already decoded; see :meth:`add`."""
        # Questions need no polars.
        from weir.telemetry.frames import writers

        number = self._segments.add(lambda number: writers(batch, number), len(batch))
        return Stored(number, len(batch), len(batch.bad))

    def compact(self) -> None:
        """Merges small batches into larger files, which are faster to query and take less space.

        Answers do not change, even if the process is killed. If another process is already merging,
        this returns at once.

        Raises:
            FileError: the store cannot be written, or is damaged.
        """
        with self._segments.merging_alone() as alone, self._errors_reported():
            if alone:
                merge(self._segments)

    def check(self, *, remove: bool = False) -> list[FileError]:
        """Reads all files, and compares them with their hashes.

        Args:
            remove: whether to remove damaged batches, so that the store answers without them.

        Returns:
            What is missing or damaged, each with the name of the file.

        Raises:
            FileError: there is no such store, or its description is damaged.
        """
        segments = self._segments
        about, present = segments.about(), segments.all_segments()
        found = list(segments.damage(about, present))
        if found and (segments.about(), segments.all_segments()) != (about, present):
            return self.check(remove=remove)
        if found and remove:
            damaged = dict.fromkeys(segment for segment, _ in found if segment is not None)
            segments.remove(damaged, about.missing((one.first, one.last) for one in present))
        return [error for _, error in found]

    def sql(self, query: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Queries the tables ``reports``, ``hops`` and ``bad`` with DuckDB's SQL.

        Returns:
            A dictionary for each row.

        Raises:
            FileError: there is no such store, or the query has a mistake.
        """
        return self._ask(lambda connection: _rows(connection, query, parameters))

    def export(self, path: str | Path) -> list[Path]:
        """Writes all reports for other tools, with addresses as text such as ``10.0.1.1``.

        Args:
            path: a folder, for ``reports.parquet``, ``hops.parquet`` and ``bad.parquet``; or a name
                that ends in ``.duckdb``, for a database with these tables.

        Returns:
            The files.

        Raises:
            FileError: there is no such store, or a file cannot be written.
        """
        return self._ask(lambda connection: export(connection, Path(path)))

    @contextmanager
    def connection(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A DuckDB connection in which the tables are views, for your own queries.

        It shows the batches that exist when it is opened. If they are merged in the meantime, a
        query may fail; repeat it.

        Raises:
            FileError: there is no such store, or a query in the block has a mistake.
        """
        with self._errors_reported(), self._views() as connection:
            yield connection

    def _ask(self, question: Callable[[duckdb.DuckDBPyConnection], Answer]) -> Answer:
        """The answer to a question, which is asked again if files were merged meanwhile."""
        with self._errors_reported():
            for _ in range(_TRIES):
                segments = self._segments.all_segments() if self._segments.exists else []
                try:
                    with self._views() as connection:
                        return question(connection)
                except duckdb.IOException:
                    if self._segments.all_segments() == segments:
                        raise
            with self._views() as connection:
                return question(connection)

    @contextmanager
    def _views(self) -> Iterator[duckdb.DuckDBPyConnection]:
        segments = self._segments.whole_segments()
        with connected() as connection:
            for table in TABLES:
                connection.execute(view(self._segments.files(segments, table), table))
            yield connection

    @contextmanager
    def _errors_reported(self) -> Iterator[None]:
        """Reports errors of DuckDB in the block as mistakes."""
        try:
            yield
        except duckdb.Error as error:
            # The first paragraph; the next one repeats the query.
            message = " ".join(str(error).partition("\n\n")[0].split())
            raise FileError(message, file=self.folder) from None


def _rows(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[Any]
) -> list[dict[str, Any]]:
    answer = connection.execute(query, list(parameters))
    names = [column[0] for column in answer.description or ()]
    return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
