"""The colours of all plots, drawings and reports.

The hues are Okabe and Ito's, which are distinguishable with any colour vision.
"""

from __future__ import annotations

from typing import Final

COLOURS: Final = {
    "ink": "#22272e",
    "soft": "#6b7480",
    "grid": "#e4e7eb",
    "blue": "#0072b2",
    "orange": "#e69f00",
    "green": "#009e73",
    "red": "#d55e00",
    "sky": "#56b4e9",
    "purple": "#cc79a7",
}
"""The palette on white: greys for text, axes and grids, and hues for curves."""

DARK: Final = {
    "ink": "#e6e9ed",
    "soft": "#9aa4b0",
    "grid": "#343b45",
    "blue": "#4fa8e8",
    "orange": "#f2b134",
    "green": "#2fc296",
    "red": "#f58a4b",
    "sky": "#8fd0f5",
    "purple": "#e3a3c9",
}
"""The palette on dark pages, with the same but lighter hues, so that contrast and order remain."""

ANY: Final = {"blue": "#3a87c8", "orange": "#c77f1a", "red": "#d1442f"}
"""Hues between those of both palettes, legible on light and dark, for pictures within pages."""

GROUND: Final = ("#ffffff", "#1c2128")
"""The background colours of light and of dark pages."""
