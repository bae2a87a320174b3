"""The pictures of the documentation, drawn from runs of Weir.

``python docs/build/pictures`` draws all of them into ``out/pictures``. The build of the site does
the same; only the README's picture is committed.
"""

from __future__ import annotations

from pathlib import Path

from pictures import examples, loss, of_pages, tcp, trace


def draw_all(folder: Path) -> dict[str, Path]:
    """Draws every picture into a folder.

    Returns the files by the paths that they have in the site.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn = [path for draw in (loss.draw, tcp.draw, trace.draw) for path in draw(folder)]
    named = {f"images/{path.name}": path for path in drawn}
    return named | examples.draw(folder / "examples") | of_pages.draw(folder / "pages")
