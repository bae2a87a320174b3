"""One network in the virtual world and on real Linux hosts, side by side."""
