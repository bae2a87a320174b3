"""A lab of two small experiments."""
