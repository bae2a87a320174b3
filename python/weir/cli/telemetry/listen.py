"""``weir telemetry listen``: store the reports that arrive at a UDP port."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from weir.cli.telemetry.answers import open_store
from weir.cli.telemetry.until import Until, until_options

_COMPACT_EVERY = 100
"""Batches after which small ones are merged."""

_LARGEST_BATCH = 100_000


@click.command(
    "listen",
    short_help="Store the reports that arrive at a UDP port.",
    epilog="""\b
Examples:
  weir telemetry listen --udp :6000 --store run1
  weir telemetry listen --udp 127.0.0.1:6000 --store run1 --for 10s""",
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
    type=click.Path(),
    help="The folder of the store: a new one, or one to add to.",
)
@click.option(
    "--every",
    default="1s",
    show_default=True,
    metavar="TIME",
    help="Store arrived reports at this interval. A kill loses at most the reports of one interval.",
)
@until_options
@click.option("--verbose", is_flag=True, help="Print each batch when it is on disk.")
def command(udp: str, store: str, every: str, verbose: bool, **given: Any) -> None:
    """Store the reports that arrive at a UDP port, until Ctrl-C.

    Each stored batch is complete on disk and survives a kill. Other commands can query the store in
    the meantime. Datagrams that are not reports are kept separately: see `weir telemetry bad`.
    """
    from weir import units
    from weir.telemetry.listener import Listener

    interval_s = max(units.time_ns(every, "--every", "s"), 1) / 1e9
    until = Until(**given)
    target = open_store(store)
    reports = bad = batches = datagrams = 0

    def add(listener: Listener) -> None:
        nonlocal reports, bad, batches, datagrams
        payloads, times = listener.take(_LARGEST_BATCH)
        if not payloads:
            return
        stored = target.add(payloads, times)
        reports, bad = reports + stored.reports, bad + stored.bad
        batches, datagrams = batches + 1, datagrams + len(payloads)
        if verbose:
            click.echo(f"batch {stored.number}: {stored.reports} reports, {stored.bad} bad datagrams")
            sys.stdout.flush()
        if batches % _COMPACT_EVERY == 0:
            target.compact()

    with until, Listener(udp) as listener:
        target.begin(time.time_ns())
        click.echo(f"listening at {listener.address}, storing in {target.folder}; Ctrl-C ends", err=True)
        due = time.monotonic() + interval_s
        while not until.is_over(datagrams + listener.waiting):
            if listener.waiting >= _LARGEST_BATCH or time.monotonic() >= due:
                add(listener)
                due = time.monotonic() + interval_s
            until.wait(0.01)
    while listener.waiting:
        add(listener)
    target.compact()
    lost = f", {listener.dropped} datagrams dropped by this system" if listener.dropped else ""
    click.echo(f"{reports} reports in {batches} batches, {bad} bad datagrams{lost}")
