"""What the operating system does for a call: Ctrl-C, progress on the terminal, processes."""
