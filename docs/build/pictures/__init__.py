"""The pictures of the documentation, drawn from runs of Weir.

``python docs/build/pictures`` draws all of them into ``out/pictures``. The build of the site does
the same; only the README's picture is committed. Plots and drawings are SVG files whose colours are
those of a light or a dark page.
"""

from __future__ import annotations

from pathlib import Path

from pictures import delay, examples, loss, networks, of_pages, tcp, trace
from weir.report.dark import follow_colour_scheme


def draw_all(folder: Path) -> dict[str, Path]:
    """Draws every picture into a folder.

    Returns the files by the paths that they have in the site.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plots = [path for draw in (delay.draw, loss.draw, tcp.draw) for path in draw(folder)]
    named = {f"images/{path.name}": path for path in plots}
    named |= examples.draw(folder / "examples") | of_pages.draw(folder / "pages")
    for path in named.values():
        svg = follow_colour_scheme(path.read_text(encoding="utf-8"), ground=False)
        path.write_text(svg, encoding="utf-8")
    # Drawings of networks already follow the scheme. The trace has its own dark ground on all
    # pages.
    named |= networks.draw(folder)
    return named | {f"images/{path.name}": path for path in trace.draw(folder)}
