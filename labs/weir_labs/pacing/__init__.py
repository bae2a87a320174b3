"""A lab on TCP pacing in which the switch tells hosts their share of each link."""
