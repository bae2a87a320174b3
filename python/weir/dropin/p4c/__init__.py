"""Stand-ins for the compilers ``p4c`` and ``p4c-bm2-ss``.

The stand-ins use Weir's compiler. The stand-ins write JSON that contains the program's text, which
only Weir's switches can run.
"""

from weir.dropin.p4c.command import bm2_ss, p4c

__all__ = ["bm2_ss", "p4c"]
