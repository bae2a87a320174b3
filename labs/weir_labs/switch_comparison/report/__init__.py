"""The parts of the report, in the thesis's order, which compute findings from the tables."""
