"""Delay by recirculation: round trips, throughput, holding packets, delays on demand."""
