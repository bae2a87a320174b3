"""A number that tests change."""

FACTOR = 1
