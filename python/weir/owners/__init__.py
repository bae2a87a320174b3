"""Protocols for the objects that own the parts of a network. A part annotates its owner with one of
these protocols instead of the owner's class. So the part declares the attributes it needs, and
imports no module of a higher layer."""
