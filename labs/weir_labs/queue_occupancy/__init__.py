"""Queue occupancy: probes carry the longest queue on their way, and latency follows it."""
