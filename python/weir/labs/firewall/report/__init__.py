"""What the report shows of each experiment: computed from its tables, drawn into a folder."""
