"""Queue occupancy: probes carry the longest queue on their path, and latency follows it."""
