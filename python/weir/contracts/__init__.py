"""The contracts of all worlds: calls that simulated and real parts of a network answer."""
