"""Writes drawings of topologies as picture files."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import TYPE_CHECKING, Final

from weir.display.palette import COLOURS, DARK, GROUND
from weir.errors import FileError
from weir.errors.extras import picture_file, require_plots
from weir.files.whole_file import write_whole_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GROUNDS: Final = tuple(f";background:{ground}" for ground in GROUND)
_UNITS_PER_INCH: Final = 96
_POINTS_PER_UNIT: Final = 72 / _UNITS_PER_INCH
_PADDING: Final = 6
"""The space in units between the sides of a box and its text, both sides together."""
_MAX_WIDTH: Final = 30_000
"""The maximum width and height of a raster picture in units; matplotlib draws fewer than 65 536
pixels."""


def check_drawing_file(path: Path) -> None:
    """Checks before drawing that a picture can be written in this format.

    Raises:
        FileError: the file's suffix is not a picture format.
        MissingExtraError: the format needs matplotlib, which is not installed.
    """
    if picture_file(path).suffix.lower() != ".svg":
        require_plots(path)


def write_drawing(svg: str, path: Path, *, ground: bool = True) -> None:
    """Writes the drawing of a topology as a file.

    Args:
        svg: the drawing, an element of :func:`weir.display.topology_svg`.
        path: the file. ``.svg`` follows the reader's light or dark scheme; ``.png`` and ``.pdf``
            are light.
        ground: whether an SVG file has its own background; otherwise the background of the page is
            visible.

    Raises:
        FileError: the file has another suffix or cannot be written, or is PNG and too large.
        MissingExtraError: the format needs matplotlib, which is not installed.
    """
    check_drawing_file(path)
    if path.suffix.lower() == ".svg":
        head, tag, body = svg.partition(">")
        light, dark = _GROUNDS if ground else ("", "")
        style = (
            f"<style>:root{{color:{COLOURS['ink']}{light};max-width:100%;height:auto}}"
            f"@media screen and (prefers-color-scheme:dark){{:root{{color:{DARK['ink']}{dark}}}}}</style>"
        )
        write_whole_text(path, f'{head} xmlns="http://www.w3.org/2000/svg"{tag}{style}{body}\n', follow=True)
        return
    # Imported only here, because SVG does not need matplotlib.
    from weir.report.plot import axes, save_as

    root = ElementTree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    if path.suffix.lower() == ".png" and max(width, height) > _MAX_WIDTH:
        raise FileError("the drawing is too large for PNG: write an .svg or .pdf file", file=path)
    with axes(width / _UNITS_PER_INCH, height / _UNITS_PER_INCH) as ax:
        ax.get_figure(root=True).set_layout_engine("none")  # type: ignore[union-attr]
        ax.set_position((0, 0, 1, 1))
        ax.set_axis_off()
        ax.set_xlim(0, width)
        ax.set_ylim(height, 0)
        # The font of pictures can be wider than that of pages.
        rooms = {
            text: float(box.attrib["width"]) - _PADDING
            for group in root.iter("g")
            if (box := group.find("rect")) is not None
            for text in group.iter("text")
        }
        for element in root.iter():
            _paint(ax, element, rooms.get(element))
        save_as(ax, path)


def _paint(ax: Axes, element: ElementTree.Element, room: float | None) -> None:
    """Paints the part of a drawing that an SVG element describes: a line, curve, box with round
    corners, or text, which becomes smaller if it is wider than its room."""
    from matplotlib.patches import FancyBboxPatch, PathPatch
    from matplotlib.path import Path as Outline

    get = element.attrib.get
    match element.tag:
        case "path":
            numbers = [float(number) for number in re.findall(r"[-\d.]+", get("d", ""))]
            points = list(zip(numbers[::2], numbers[1::2], strict=True))
            codes = [Outline.MOVETO, *([Outline.CURVE4] * 3 if "C" in get("d", "") else [Outline.LINETO])]
            edge = _colour(get("stroke"), get("stroke-opacity"))
            dashes = {"linestyle": (0, (3, 2.5))} if "stroke-dasharray" in element.attrib else {}
            line = float(get("stroke-width", 1)) * _POINTS_PER_UNIT
            ax.add_patch(
                PathPatch(Outline(points, codes), fill=False, edgecolor=edge, linewidth=line, **dashes)
            )
        case "rect":
            x, y, width, height, radius = (
                float(get(name, 0)) for name in ("x", "y", "width", "height", "rx")
            )
            ax.add_patch(
                FancyBboxPatch(
                    (x, y),
                    width,
                    height,
                    boxstyle=f"round,pad=0,rounding_size={radius}",
                    facecolor=_colour(get("fill"), get("fill-opacity")),
                    edgecolor=_colour(get("stroke"), None),
                    linewidth=float(get("stroke-width", 1)) * _POINTS_PER_UNIT,
                )
            )
        case "text":
            size = float(get("font-size", 10)) * _POINTS_PER_UNIT
            text = ax.text(
                float(get("x", 0)),
                float(get("y", 0)),
                element.text or "",
                color=_colour(get("fill"), get("fill-opacity")),
                fontsize=size,
                fontweight="bold" if "font-weight" in element.attrib else "normal",
                horizontalalignment="left" if get("text-anchor") == "start" else "center",
                verticalalignment="baseline",
            )
            if room is not None:
                needed = text.get_window_extent().transformed(ax.transData.inverted()).width
                text.set_fontsize(size * min(1.0, room / needed))


def _colour(colour: str | None, opacity: str | None) -> tuple[str, float]:
    """Converts an SVG colour and opacity for matplotlib. ``currentColor`` becomes the colour of
    text."""
    opaque_colour = COLOURS["ink"] if colour is None or colour == "currentColor" else colour
    return opaque_colour, 1.0 if opacity is None else float(opacity)
