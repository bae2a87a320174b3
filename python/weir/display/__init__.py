"""Output for notebooks and reports: HTML and pictures (SVG) of networks, results and programs.

Colours come from the page around them (``currentColor``) and from tones that are legible on light
and on dark backgrounds, so the same text serves both. Everything that a user wrote is escaped. The
same values give the same bytes.
"""

from weir.display.markup import code, details, escape, figures, grid, titled_output
from weir.display.sparkline import sparkline
from weir.display.topology import topology_svg

__all__ = ["code", "details", "escape", "figures", "grid", "sparkline", "titled_output", "topology_svg"]
