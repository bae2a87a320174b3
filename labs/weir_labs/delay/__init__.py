"""A lab on delaying packets by recirculation: round trips, throughput, holding, target delays,
thresholds."""
