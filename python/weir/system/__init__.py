"""Services of the operating system: Ctrl-C, progress on the terminal, processes."""
