"""Stand-ins for the programs and scripts of Tofino's software, for repositories that call them."""

from weir.dropin.tofino.build import bf_p4c, p4_build
from weir.dropin.tofino.model import run_tofino_model, tofino_model
from weir.dropin.tofino.shell import run_bfshell
from weir.dropin.tofino.switchd import bf_switchd, run_switchd

__all__ = [
    "bf_p4c", "bf_switchd", "p4_build", "run_bfshell", "run_switchd", "run_tofino_model", "tofino_model",
]  # fmt: skip
