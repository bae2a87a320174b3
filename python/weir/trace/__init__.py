"""Packet traces: the journey of a packet through a switch, step by step, with all its copies."""

from weir._core import Value
from weir.trace.journey import Journey, Journeys
from weir.trace.record import Choice, Copy, Header, Output
from weir.trace.steps import Place, Step

__all__ = ["Choice", "Copy", "Header", "Journey", "Journeys", "Output", "Place", "Step", "Value"]
