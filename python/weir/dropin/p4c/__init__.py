"""Stand-ins for the compilers ``p4c`` and ``p4c-bm2-ss``.

They compile with Weir's compiler. The JSON that they write contains the program's text, and only
Weir's switches can run it.
"""

from weir.dropin.p4c.command import bm2_ss, p4c

__all__ = ["bm2_ss", "p4c"]
