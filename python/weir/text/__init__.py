"""Helpers for text in messages: plurals, lists of names, numbers."""
