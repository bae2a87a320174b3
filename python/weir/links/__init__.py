"""Links of a running network, their ends, and what is observed there."""
