"""The switches under test: a description of each, whether it is installed, how it starts."""
