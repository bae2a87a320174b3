"""The terminal of a long call: Ctrl-C, and how far the call is."""
