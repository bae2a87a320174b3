"""The picture of docs/reference/trace.md: the coloured trace of a packet through a router."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

import weir
from weir.stf.bench import Bench
from weir.trace.step_tree import tree
from weir.trace.tree_lines import lines, rich_lines

NET = Path(__file__).parents[3] / "tests" / "net"
PACKET = "080000000100 080000000111 0800 4500001400000000400063e80a0001010a000202"
COLUMNS = 118


def draw(folder: Path) -> list[Path]:
    """Draws the trace."""
    bench = Bench(weir.compile(NET / "router.p4"), range(4))
    bench.switch.load_entries(NET / "s1-runtime.json")
    journey = bench.send(1, bytes.fromhex(PACKET))
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), highlight=False, force_terminal=True)
    for line in rich_lines(lines(tree(journey)), COLUMNS):
        console.print(line, soft_wrap=True)
    # Rich's own form names a font on another host: the browser's fixed-width font serves as well.
    svg = console.export_svg(title="weir trace router.p4", unique_id="trace", font_aspect_ratio=0.61)
    start, end = svg.index("@font-face"), svg.rindex("@font-face")
    svg = svg[:start] + svg[svg.index("}", end) + 1 :]
    path = folder / "trace.svg"
    path.write_text(svg.replace("Fira Code", "monospace"), encoding="utf-8")
    return [path]
