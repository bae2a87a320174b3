"""The pictures of docs/examples: each example draws its own."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from weir.examples import EXAMPLES


def draw(folder: Path) -> dict[str, Path]:
    """Runs all examples.

    Returns the files by the paths that they have in the site.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for name, example in EXAMPLES.items():
        path = folder / f"{name}.png"
        with contextlib.redirect_stdout(io.StringIO()):
            example.run(path)
        found[f"examples/{name}.png"] = path
    return found
