"""The parts of the report, in the paper's order: each computes its findings from the tables."""
