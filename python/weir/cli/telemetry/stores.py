"""``weir telemetry show``, ``bad``, ``sql``, ``export``, ``compact`` and ``check``: commands for a
store's content and files."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from weir.cli import text
from weir.cli.files import Output
from weir.cli.telemetry.answers import (
    memory_option,
    open_store,
    output_options,
    print_table,
    show_answer,
    store_argument,
)


@click.command(
    "show",
    short_help="Show a summary of a store.",
    epilog="\b\nExample:\n  weir telemetry show run1",
)
@store_argument
@memory_option
def show(store: str) -> None:
    """Show a summary of a store: the number of reports, their times, and their flows."""
    asked = open_store(store)
    with text.show_progress("reading the store"):
        overview, flows = asked.overview(), asked.flows()
    rows = [
        ("reports", f"{overview.reports} in {overview.datagrams} datagrams and {overview.batches} batches"),
        ("bad datagrams", str(overview.bad)),
        ("nodes", ", ".join(map(str, overview.nodes)) or "none"),
        ("flows", str(overview.flows)),
        ("drops", str(overview.dropped)),
        ("met congestion", str(overview.congested)),
    ]
    if overview.first_s is not None and overview.last_s is not None:
        rows.append(("time", f"{overview.first_s:.6f} s to {overview.last_s:.6f} s"))
    if asked.origin_ns:
        start = datetime.fromtimestamp(asked.origin_ns / 1e9, UTC)
        rows.append(("time 0", f"{start:%Y-%m-%d %H:%M:%S} UTC"))
    if removed := asked.removed:
        rows.append(("removed", f"{removed} batches"))
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        click.echo(f"{name.ljust(width)}  {value}")
    if len(flows):
        click.echo()
        print_table(flows, 20)


@click.command(
    "bad",
    short_help="Show datagrams that are not reports.",
    epilog="\b\nExample:\n  weir telemetry bad run1",
)
@store_argument
@output_options
def bad(store: str, **output: Any) -> None:
    """Show samples of datagrams that are not reports, with the reasons and their total number."""
    show_answer(open_store(store).bad, **output)


@click.command(
    "sql",
    short_help="Query a store with SQL.",
    epilog='\b\nExample:\n  weir telemetry sql run1 "SELECT max(latency_us) FROM hops WHERE node = 2"',
)
@store_argument
@click.argument("query", metavar="QUERY")
@click.option(
    "--all-files",
    is_flag=True,
    help="Let the query read and write other files, such as with read_csv and COPY.",
)
@memory_option
def sql(store: str, query: str, all_files: bool) -> None:
    """Query the tables reports, hops and bad with DuckDB's SQL.

    The query can read only the store, and write no files, unless --all-files allows more.
    """
    with text.show_progress("reading the store"):
        rows = open_store(store).sql(query, all_files=all_files)
    if rows:
        text.table(list(rows[0]), [[str(value) for value in row.values()] for row in rows])


@click.command(
    "export",
    short_help="Write a store's tables for other tools.",
    epilog="""\b
Examples:
  weir telemetry export run1 tables
  weir telemetry export run1 run1.duckdb""",
)
@store_argument
@click.argument("target", metavar="TARGET", type=Output())
@memory_option
def export(store: str, target: str) -> None:
    """Write the tables reports, hops and bad.

    TARGET is a folder for Parquet files, one for each table, or a name that ends in .duckdb for a
    database. It must be outside of the store.
    """
    with text.show_progress("writing the tables"):
        files = open_store(store).export(target)
    for file in files:
        click.echo(str(file))


@click.command(
    "compact",
    short_help="Merge small files of a store.",
    epilog="\b\nExample:\n  weir telemetry compact run1",
)
@store_argument
def compact(store: str) -> None:
    """Merge the files of small batches. Queries become faster, and answers do not change."""
    with text.show_progress("merging files"):
        open_store(store).compact()


@click.command(
    "check",
    short_help="Check a store's files for damage.",
    epilog="""\b
Examples:
  weir telemetry check run1
  weir telemetry check run1 --remove-damaged""",
)
@store_argument
@click.option(
    "--remove-damaged",
    is_flag=True,
    help="Remove damaged batches from the store.",
)
def check(store: str, remove_damaged: bool) -> int:
    """Compare all files of a store with their stored hashes.

    Lists missing and damaged files. The exit code is 1 if files are missing or damaged and their
    batches were not removed.
    """
    asked = open_store(store)
    with text.show_progress("reading the store"):
        damaged = asked.check(remove=remove_damaged)
    for error in damaged:
        text.error(str(error))
    if damaged and not remove_damaged:
        return 1
    removed_text = f", {asked.removed} of them removed" if asked.removed else ""
    click.echo(f"{asked.batches} batches{removed_text}: all files are unchanged")
    return 0
