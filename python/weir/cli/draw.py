"""``weir draw``: draws a topology."""

from __future__ import annotations

from pathlib import Path

import click

from weir.cli.network_options import NetworkCommand, read_topology, shape_option
from weir.cli.output_file import OutputFile


@click.command(
    "draw",
    cls=NetworkCommand,
    short_help="Draw a topology.",
    epilog="""\b
Examples:
  weir draw topology.json
  weir draw --shape fat_tree:4 -o fat-tree.pdf""",
)
@click.argument("topology", metavar="TOPOLOGY", type=click.Path())
@shape_option
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=OutputFile(),
    help="The file to write: FILE.svg, FILE.png or FILE.pdf.  [default: TOPOLOGY.svg in the current folder]",
)
def command(topology: str, output: str | None) -> None:
    """Draw a topology: hosts with their addresses, switches with their programs, links.

    An SVG file has colours for light and dark pages and follows the reader's system. PNG and PDF
    have light colours and need an extra: pip install 'p4weir[lab]'.
    """
    from weir.cli.picture import check_drawing_file, write_drawing
    from weir.display import topology_svg
    from weir.topology.drawing import drawing

    if output is not None:
        check_drawing_file(Path(output))
    topology_read = read_topology(topology)
    stem = Path(topology).stem if topology_read.file is not None else topology.partition(":")[0]
    path = Path(f"{stem}.svg" if output is None else output)
    write_drawing(
        topology_svg(drawing(topology_read.hosts, topology_read.switches, topology_read.links)), path
    )
    click.echo(str(path))
