"""The plots of docs/examples."""

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
        plot = folder / f"{name}.svg"
        with contextlib.redirect_stdout(io.StringIO()):
            example.run(plot)
        found[f"examples/{plot.name}"] = plot
    return found
