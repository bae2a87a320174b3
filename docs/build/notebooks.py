"""The example notebooks: executed, and as pages of the site with their results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"


def executed(path: Path) -> NotebookNode:
    """Runs the cells of a notebook in their order and returns it with their results.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell fails.
    """
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return notebook


def page(path: Path) -> str:
    """A page with the cells and results of a notebook.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell fails.
        ValueError: no result is a picture, or a result shows a traceback.
    """
    parts = [_cell(cell) for cell in executed(path).cells]
    link = f"This page is the notebook `docs/notebooks/{path.name}`, executed."
    text = "\n\n".join([*parts, link]) + "\n"
    if not ("<svg" in text or "<img" in text):
        raise ValueError(f"{path}: no result is a picture")
    if "Traceback" in text:
        raise ValueError(f"{path}: a result shows a traceback")
    return text


def _cell(cell: NotebookNode) -> str:
    if cell.cell_type == "markdown":
        return str(cell.source)
    outputs = [_output(output) for output in cell.outputs]
    return "\n\n".join([f"```python\n{cell.source}\n```", *outputs])


def _output(output: NotebookNode) -> str:
    """A result: a picture or HTML if there is one, else its text."""
    if output.output_type == "stream":
        return _text(output.text)
    data: dict[str, Any] = output.data
    for kind in ("image/svg+xml", "text/html"):
        if kind in data:
            # Without empty lines, which would end the block of HTML.
            return f"<div>{' '.join(line for line in data[kind].splitlines() if line.strip())}</div>"
    if "image/png" in data:
        return f'<img alt="Result of the cell" src="data:image/png;base64,{data["image/png"].strip()}">'
    return _text(data["text/plain"])


def _text(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"
