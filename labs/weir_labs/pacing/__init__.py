"""TCP pacing from the switch: hosts get their share of each link when flows join and leave."""
