"""The simple test framework: packets in, packets expected, tables filled; as the public P4 test corpora write it."""

from weir.stf.run import Difference, Failure, Result, run_stf

__all__ = ["Difference", "Failure", "Result", "run_stf"]
