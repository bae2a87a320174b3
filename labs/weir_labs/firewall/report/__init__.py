"""The parts of the report, which are computed from the experiments' tables and drawn into a
folder."""
