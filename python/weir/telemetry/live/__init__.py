"""The live view: the state from recent reports, and its tables for a terminal."""
