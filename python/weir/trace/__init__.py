"""Packet traces: all steps of a packet and its copies through a switch."""

from weir._core import Value
from weir.trace.journey import Journey, Journeys
from weir.trace.record import Choice, Copy, Header, Output
from weir.trace.steps import Place, Step

__all__ = ["Choice", "Copy", "Header", "Journey", "Journeys", "Output", "Place", "Step", "Value"]
