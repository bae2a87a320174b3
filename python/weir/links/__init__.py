"""Links of a running network, their ends, and observation at the ends."""
