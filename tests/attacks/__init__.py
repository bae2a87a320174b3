"""Attacks on a running switch: what an unknown peer can take from it within a minute."""
