"""The parts of the report, in the thesis's order: each computes its findings from the tables."""
