"""Hostile input for Weir: seeded generators, and a runner with bounds on time and memory.

CONTRIBUTING.md describes it.
"""
