"""``weir telemetry listen``: stores the reports that arrive at a UDP port."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import click

from weir.cli import text
from weir.cli.files import Output
from weir.cli.telemetry.answers import open_store
from weir.cli.telemetry.receiving import limit_options, sender_option
from weir.cli.telemetry.until import Until, until_options

if TYPE_CHECKING:
    from weir.telemetry.listener import Listener
    from weir.telemetry.store import Store

_COMPACT_EVERY = 100
"""The number of batches after which small batches are merged."""

_LARGEST_BATCH = 100_000
_LARGEST_BYTES = 32 << 20
"""The maximum number of datagrams in a batch, and the maximum memory that they take."""


@click.command(
    "listen",
    short_help="Store the reports that arrive at a UDP port.",
    epilog="""\b
Examples:
  weir telemetry listen --udp :6000 --store run1
  weir telemetry listen --udp 127.0.0.1:6000 --store run1 --for 10s
  weir telemetry listen --udp :6000 --sender 10.0.0.0/8 --store run1 --limit 20GB --when-full oldest""",
)
@click.option(
    "--udp",
    required=True,
    metavar="HOST:PORT",
    help="The address to listen at: :PORT for all IPv4 addresses, [::]:PORT also for IPv6; port 0 picks a free port.",
)
@click.option(
    "--store",
    required=True,
    metavar="DIR",
    type=Output(),
    help="The folder of the store, which is created or extended.",
)
@click.option(
    "--every",
    default="1s",
    show_default=True,
    metavar="TIME",
    help="The interval at which to store arrived reports. If the process is killed, the reports of at most one interval are lost.",
)
@sender_option
@limit_options
@until_options
@click.option("--verbose", is_flag=True, help="Print a line for each stored batch.")
def command(
    udp: str,
    store: str,
    every: str,
    senders: tuple[str, ...],
    limit: str,
    when_full: Any,
    verbose: bool,
    **given: Any,
) -> None:
    """Store the reports that arrive at a UDP port, until Ctrl-C.

    Stored batches are complete on disk, and remain if the process is killed. Other commands can
    query the store in the meantime. Datagrams that are not reports are counted, and `weir telemetry
    bad` shows samples of them.
    """
    from weir import units
    from weir.system.freed import share_freed_memory
    from weir.telemetry.limit import StoreFullError
    from weir.telemetry.listener import Listener

    share_freed_memory()
    interval_s = max(units.time_ns(every, "--every", "s"), 1) / 1e9
    until = Until(**given)
    writer = _StoreWriter(open_store(store, limit, when_full), verbose)
    listener = None
    try:
        with until, Listener(udp, senders=senders) as listener:
            writer.begin(listener)
            due = time.monotonic() + interval_s
            while not until.is_over(writer.datagrams + listener.waiting):
                is_large = listener.waiting >= _LARGEST_BATCH or listener.waiting_bytes >= _LARGEST_BYTES
                if is_large or time.monotonic() >= due:
                    writer.add(listener)
                    due = time.monotonic() + interval_s
                until.wait(0.01)
        while listener.waiting:
            writer.add(listener)
        writer.compact()
    except StoreFullError:
        writer.show_total(listener)
        raise
    writer.show_total(listener)


class _StoreWriter:
    """The store that this command fills, with counts of the reports that the command has stored."""

    def __init__(self, store: Store, verbose: bool) -> None:
        self._store, self._verbose = store, verbose
        self._reports = self._bad = self._batches = 0
        self._merges = True
        self.datagrams = 0

    def begin(self, listener: Listener) -> None:
        """Creates the store or checks the files of an existing one, and prints the settings."""
        store = self._store
        store.begin(time.time_ns())
        if damaged := store.check():
            raise damaged[0]
        limit = f", {store.limit}" if store.limit else ""
        click.echo(
            f"listening at {listener.address} to {listener.senders}, storing in "
            f"{store.folder}{limit}; Ctrl-C stops it",
            err=True,
        )

    def add(self, listener: Listener) -> None:
        """Stores a batch of the datagrams that have arrived, if there are any."""
        from weir.telemetry.limit import StoreFullError

        payloads, times = listener.take(_LARGEST_BATCH, _LARGEST_BYTES)
        if not payloads:
            return
        try:
            stored = self._store.add(payloads, times)
        except StoreFullError:
            # Merging makes the files smaller.
            self.compact()
            stored = self._store.add(payloads, times)
        self._reports, self._bad = self._reports + stored.reports, self._bad + stored.bad
        self._batches, self.datagrams = self._batches + 1, self.datagrams + len(payloads)
        if self._verbose:
            click.echo(f"batch {stored.number}: {stored.reports} reports, {stored.bad} bad datagrams")
            sys.stdout.flush()
        if self._batches % _COMPACT_EVERY == 0:
            self.compact()

    def compact(self) -> None:
        """Merges small files; stops merging if a file is damaged."""
        from weir.errors import FileError

        if not self._merges:
            return
        try:
            self._store.compact()
        except FileError as error:
            self._merges = False
            text.warning(f"files are no longer merged: {error}")

    def show_total(self, listener: Listener | None) -> None:
        """Prints how many reports were stored, and how many datagrams were not."""
        parts = [f"{self._reports} reports in {self._batches} batches, {self._bad} bad datagrams"]
        if listener is not None and listener.refused:
            parts.append(f"{listener.refused} datagrams of other senders")
        if listener is not None and listener.dropped:
            parts.append(f"{listener.dropped} datagrams dropped by this system")
        if removed := self._store.removed:
            parts.append(f"{removed} old batches removed")
        click.echo(", ".join(parts))
