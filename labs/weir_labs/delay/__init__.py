"""Delay by recirculation: round trips, throughput, hold, delays on demand, thresholds."""
