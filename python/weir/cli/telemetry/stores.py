"""What a store holds: ``weir telemetry show``, ``bad``, ``sql``, ``export``; and its files."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import click

from weir.cli import text
from weir.cli.telemetry.answers import open_store, output_options, print_table, show_answer, store_argument


@click.command(
    "show",
    short_help="What a store holds.",
    epilog="\b\nExample:\n  weir telemetry show run1",
)
@store_argument
def show(store: str) -> None:
    """Show how many reports a store holds, from which time, and of which flows."""
    asked = open_store(store)
    with text.show_progress("reading the store"):
        found, flows = asked.overview(), asked.flows()
    rows = [
        ("reports", f"{found.reports} in {found.datagrams} datagrams and {found.batches} batches"),
        ("bad datagrams", str(found.bad)),
        ("nodes", ", ".join(map(str, found.nodes)) or "none"),
        ("flows", str(found.flows)),
        ("drops", str(found.dropped)),
        ("met congestion", str(found.congested)),
    ]
    if found.first_s is not None and found.last_s is not None:
        rows.append(("time", f"{found.first_s:.6f} s to {found.last_s:.6f} s"))
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
    short_help="Datagrams that are not reports.",
    epilog="\b\nExample:\n  weir telemetry bad run1",
)
@store_argument
@output_options
def bad(store: str, **output: Any) -> None:
    """Show samples of datagrams that are not reports, with the reason, and how many others came."""
    show_answer(open_store(store).bad, **output)


@click.command(
    "sql",
    short_help="Query a store with SQL.",
    epilog='\b\nExample:\n  weir telemetry sql run1 "SELECT max(latency_us) FROM hops WHERE node = 2"',
)
@store_argument
@click.argument("query", metavar="QUERY")
def sql(store: str, query: str) -> None:
    """Query the tables reports, hops and bad with DuckDB's SQL."""
    with text.show_progress("reading the store"):
        rows = open_store(store).sql(query)
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
@click.argument("target", metavar="TARGET", type=click.Path())
def export(store: str, target: str) -> None:
    """Write the tables reports, hops and bad.

    TARGET is a folder for a Parquet file of each table, or a name that ends in .duckdb for a
    database.
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
    """Merge the files of small batches, which makes queries faster. Answers do not change."""
    with text.show_progress("merging files"):
        open_store(store).compact()


@click.command(
    "check",
    short_help="Check that a store's files are as written.",
    epilog="""\b
Examples:
  weir telemetry check run1
  weir telemetry check run1 --remove-damaged""",
)
@store_argument
@click.option(
    "--remove-damaged",
    is_flag=True,
    help="Remove damaged batches, so that the store answers without them.",
)
def check(store: str, remove_damaged: bool) -> int:
    """Compare all files of a store with the hashes that it keeps.

    Lists the files that are missing or damaged. The exit code is then 1, unless they were removed.
    """
    asked = open_store(store)
    with text.show_progress("reading the store"):
        damaged = asked.check(remove=remove_damaged)
    for error in damaged:
        text.error(str(error))
    if damaged and not remove_damaged:
        return 1
    left = f", {asked.removed} of them removed" if asked.removed else ""
    click.echo(f"{asked.batches} batches{left}: all files are as they were written")
    return 0
