"""The interfaces of owners, as the parts of a network need them.

A part annotates its owner with one of these protocols instead of the owner's class. So the part
names what it needs, and imports no module of a higher layer.
"""
