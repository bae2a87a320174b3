"""Creates HTML and SVG of networks, results and programs, for notebooks and reports.

Colours are those of the page (``currentColor``) or tones that are legible on light and dark
backgrounds. All strings from users are escaped. The same values give the same bytes.
"""

from weir.display.markup import code, details, escape, figures, grid, titled_output
from weir.display.sparkline import sparkline
from weir.display.topology import topology_svg

__all__ = ["code", "details", "escape", "figures", "grid", "sparkline", "titled_output", "topology_svg"]
