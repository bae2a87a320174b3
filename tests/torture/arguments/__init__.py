"""Command lines that no user would type, run in this process."""

from torture.arguments.labs import labs
from torture.arguments.options import options
from torture.arguments.programs import links, stand_ins, switches
from torture.case import Class

CLASS = Class(
    "arguments",
    {
        "options": (60, options),
        "links": (15, links),
        "switches": (10, switches),
        "stand-ins": (10, stand_ins),
        "labs": (5, labs),
    },
)
