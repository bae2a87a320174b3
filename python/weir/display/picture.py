"""Pictures as files of their own, which have no page around them."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Final

from weir.errors import FileError
from weir.whole_file import write_whole, write_whole_text

_STYLE: Final = (
    "<style>:root{color:#22272e;background:#fff;max-width:100%;height:auto}"
    "@media (prefers-color-scheme:dark){:root{color:#e6e9ed;background:#14181d}}</style>"
)
_PNG_SCALE: Final = 2


def write_picture(svg: str, path: Path) -> None:
    """Writes an SVG element of this package as a file.

    Args:
        svg: the element.
        path: the file: ``.svg``, or ``.png`` (light, two pixels for each unit).

    Raises:
        FileError: the file has another suffix or cannot be written, or the package ``cairosvg``,
            which draws PNG, is not installed.
    """
    kind = path.suffix.lower()
    if kind not in (".svg", ".png"):
        raise FileError("expected a name that ends in .svg or .png", file=path)
    head, tag, body = svg.partition(">")
    element = f'{head} xmlns="http://www.w3.org/2000/svg"{tag}'
    if kind == ".svg":
        write_whole_text(path, f"{element}{_STYLE}{body}\n")
        return
    try:
        cairosvg = importlib.import_module("cairosvg")
    except ImportError:
        raise FileError(
            "PNG needs cairosvg, which is not installed: pip install cairosvg, or write a file .svg",
            file=path,
        ) from None
    png = cairosvg.svg2png(
        bytestring=f'{element}<g color="#22272e">{body.replace("</svg>", "</g></svg>")}'.encode(),
        background_color="#fff",
        scale=_PNG_SCALE,
    )
    write_whole(path, lambda file: file.write(png))
