"""Runtime commands of each kind, given to both switches."""
