"""Protocols for the objects that own the parts of a network.

A part annotates its owner with one of these protocols instead of the owner's class. So the part
declares which attributes it needs, and does not import a module of a higher layer.
"""
