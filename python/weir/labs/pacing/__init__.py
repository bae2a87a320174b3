"""TCP pacing from the switch: hosts are told their share of each link when flows join and leave."""
