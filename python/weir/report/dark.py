"""Adapts pictures in pages to the reader's light or dark scheme."""

from __future__ import annotations

from typing import Final

from weir.report.plot import COLOURS

_DARK: Final = {
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
"""The palette for dark pages, with the same but lighter hues, so that contrast and order remain."""

_GROUND: Final = ("#ffffff", "#1c2128")


def follow_colour_scheme(svg: str) -> str:
    """Changes a matplotlib picture so that its colours follow the reader's light or dark scheme.

    Printed pages are light. The picture's file is not changed, because other programs do not
    support CSS variables.
    """
    light, dark = dict(COLOURS), dict(_DARK)
    light["ground"], dark["ground"] = _GROUND
    for name, colour in light.items():
        svg = svg.replace(colour, f"var(--{name})")

    def rule(colours: dict[str, str]) -> str:
        return f":root{{{';'.join(f'--{name}:{colour}' for name, colour in colours.items())}}}"

    style = f"<style>{rule(light)}@media screen and (prefers-color-scheme:dark){{{rule(dark)}}}</style>"
    start = svg.index(">", svg.index("<svg")) + 1
    return svg[:start] + style + svg[start:]
