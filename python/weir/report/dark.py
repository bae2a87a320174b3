"""Adapts pictures in pages to the reader's light or dark scheme."""

from __future__ import annotations

from weir.display.palette import COLOURS, DARK, GROUND


def follow_colour_scheme(svg: str, *, ground: bool = True) -> str:
    """Changes a matplotlib picture so that its colours follow the reader's light or dark scheme.

    Printed pages are light. The picture's file is not changed, because other programs do not
    support CSS variables.

    Args:
        svg: the picture.
        ground: whether the picture has its own background; otherwise the background of the page is
            visible.
    """
    light, dark = dict(COLOURS), dict(DARK)
    light["ground"], dark["ground"] = GROUND
    if not ground:
        # The first shape is the ground of the whole picture.
        svg = svg.replace(f"fill: {GROUND[0]}", "fill: none", 1)
    for name, colour in light.items():
        svg = svg.replace(colour, f"var(--{name})")

    def rule(colours: dict[str, str]) -> str:
        return f":root{{{';'.join(f'--{name}:{colour}' for name, colour in colours.items())}}}"

    style = f"<style>{rule(light)}@media screen and (prefers-color-scheme:dark){{{rule(dark)}}}</style>"
    start = svg.index(">", svg.index("<svg")) + 1
    return svg[:start] + style + svg[start:]
