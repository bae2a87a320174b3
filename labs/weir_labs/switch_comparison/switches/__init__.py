"""The switches under test, each with a description and a function that starts it."""
