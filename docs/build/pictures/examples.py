"""The pictures of docs/examples: the network of each example, and the plot that it draws."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from weir import Topology
from weir.cli.picture import write_drawing
from weir.display import topology_svg
from weir.examples import EXAMPLES
from weir.topology.drawing import drawing


def draw(folder: Path) -> dict[str, Path]:
    """Draws all networks and runs all examples.

    Returns the files by the paths that they have in the site.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for name, example in EXAMPLES.items():
        plot, network = folder / f"{name}.svg", folder / f"{name}-network.svg"
        with contextlib.redirect_stdout(io.StringIO()):
            example.run(plot)
        topology = Topology.load(example.folder / "topology.json")
        svg = topology_svg(drawing(topology.hosts, topology.switches, topology.links))
        write_drawing(svg, network, ground=False)
        found |= {f"examples/{path.name}": path for path in (plot, network)}
    return found
