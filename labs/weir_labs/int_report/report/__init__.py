"""The parts of the report: computed from each experiment's tables, drawn into a folder."""
