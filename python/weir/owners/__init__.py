"""What parts of a network ask of what they belong to.

A part annotates with these protocols instead of with its owner's class. So it names what it needs,
and imports nothing that lies above it.
"""
