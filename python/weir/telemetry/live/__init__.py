"""The live view, which shows the state from recent reports in tables on a terminal."""
