"""The simple test framework (STF) of the public P4 test corpora."""

from weir._core import Difference
from weir.stf.run import Failure, Result, run_stf, run_stf_text

__all__ = ["Difference", "Failure", "Result", "run_stf", "run_stf_text"]
