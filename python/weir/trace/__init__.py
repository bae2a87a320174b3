"""Packet traces: all steps of a packet and its copies through a switch."""

from weir._core import Choice, Header, Output, Place, Step, Value
from weir.trace.journey import Journey
from weir.trace.record import Copy

__all__ = ["Choice", "Copy", "Header", "Journey", "Output", "Place", "Step", "Value"]
