"""P4 programs that should not exist."""

from torture.case import Class
from torture.programs.absurd import sizes, widths
from torture.programs.growing import inlining, loops
from torture.programs.includes import includes
from torture.programs.macros import macros
from torture.programs.mutate import mutated
from torture.programs.text import text

CLASS = Class(
    "programs",
    {
        "mutated": (60, mutated),
        "widths": (8, widths),
        "sizes": (8, sizes),
        "inlining": (6, inlining),
        "loops": (6, loops),
        "macros": (6, macros),
        "includes": (4, includes),
        "text": (2, text),
    },
)
