"""The parts of the report: each computes its findings from the tables of its experiment."""
