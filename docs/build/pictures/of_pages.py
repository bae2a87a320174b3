"""The pictures that pages draw themselves: a page shows the files that its Python blocks write.

A page ``tutorials/measure.md`` with the picture ``measure/queue.png`` writes ``queue.png``.
"""

from __future__ import annotations

import contextlib
import re
import shutil
from pathlib import Path

from pages import ROOT, PageRun

DOCS = ROOT / "docs"


def own_pictures(page: Path) -> list[str]:
    """The pictures of a page that are in the folder with the page's name."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"!\[[^\]]*\]\({re.escape(page.stem)}/([^)]+)\)", text)


def draw(folder: Path) -> dict[str, Path]:
    """Runs the pages with pictures of their own.

    Returns the files by the paths that they have in the site.
    """
    found = {}
    for page in sorted(DOCS.rglob("*.md")):
        names = own_pictures(page)
        if not names:
            continue
        place = folder / page.relative_to(DOCS).with_suffix("")
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        with contextlib.chdir(place):
            PageRun(page, place, skip=frozenset({"console", "output", "pycon", "sh"})).run()
        for name in names:
            found[f"{page.relative_to(DOCS).with_suffix('')}/{name}"] = place / name
    return found
