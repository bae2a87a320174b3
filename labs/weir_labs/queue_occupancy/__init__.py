"""A lab on queue occupancy, in which probes carry the length of the longest queue on their path."""
