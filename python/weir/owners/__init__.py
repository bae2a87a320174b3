"""Protocols for the objects that own the parts of a network.

A part annotates its owner with one of these protocols instead of the owner's class. The part
therefore declares which attributes it needs, and does not import a module of a higher layer.
"""
