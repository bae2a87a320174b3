"""Draws the networks on pages: a page ``labs/delay.md`` shows ``labs/delay-network.svg``."""

from __future__ import annotations

from pathlib import Path

from weir import Topology
from weir.cli.picture import write_drawing
from weir.display import topology_svg
from weir.examples import EXAMPLES
from weir.lab.known import lab_folders, load_lab
from weir.topology.drawing import drawing
from weir_labs.shorternet.hybrid_network import hybrid_topology


def draw(folder: Path) -> dict[str, Path]:
    """Draws the networks of all examples and labs.

    Returns the files by the paths that they have in the site.
    """
    networks = {
        f"examples/{name}": Topology.load(example.folder / "topology.json")
        for name, example in EXAMPLES.items()
    }
    for name in lab_folders():
        network = load_lab(name).network
        if network is not None:
            networks[f"labs/{name}"] = network()
    networks["labs/shorternet-hybrid"] = hybrid_topology()
    found = {}
    for name, topology in networks.items():
        path = folder / f"{name}-network.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        svg = topology_svg(drawing(topology.hosts, topology.switches, topology.links))
        write_drawing(svg, path, ground=False)
        found[f"{name}-network.svg"] = path
    return found
