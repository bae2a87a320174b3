"""``weir bench tables``: measures nanoseconds per lookup."""

from __future__ import annotations

import dataclasses
import json

import click

from weir.cli import text
from weir.cli.bench.options import json_option


@click.command(
    "tables",
    short_help="Measure nanoseconds per lookup, by kind and size of table.",
    epilog="\b\nExamples:\n  weir bench tables\n  weir bench tables ipv4-1m acl-10k --json",
)
@click.argument("tables", metavar="[TABLE]…", nargs=-1)
@json_option
def tables_(tables: tuple[str, ...], as_json: bool) -> None:
    """Measure lookups and updates in generated tables.

    The tables have 1 000 (1k) to 1 000 000 (1m) entries with exact keys of 48 bits, IPv4 routes
    with random destinations, IPv6 routes, or 5-tuple access control lists with ranges and
    priorities.
    """
    from weir.bench import table_names, time_table

    names = table_names()
    for name in tables:
        if name not in names:
            raise click.BadParameter(
                f'there is no table "{name}"; there are {", ".join(names)}', param_hint="TABLE"
            )
    figures_of_tables = [(name, time_table(name)) for name in tables or names]
    if as_json:
        click.echo(
            json.dumps(
                [{"table": name, **dataclasses.asdict(figures)} for name, figures in figures_of_tables]
            )
        )
        return
    rows = [
        [
            name,
            one.what,
            f"{one.entries:,}",
            f"{one.ns_per_lookup:.1f}",
            f"{one.ns_per_batched_lookup:.1f}",
            f"{one.us_per_update:.2f}",
            f"{one.load_seconds:.3f}",
            f"{one.bytes_per_entry:.1f}",
        ]
        for name, one in figures_of_tables
    ]
    heads = [
        "table",
        "key",
        "entries",
        "ns/lookup",
        "ns in batches",
        "us/update",
        "s to load",
        "bytes/entry",
    ]
    text.table(heads, rows)
