"""What became of a packet in a switch: its journey, step by step, with all copies made of it."""

from weir.control.values import Value
from weir.trace.journey import Choice, Copy, Header, Journey, Journeys, Output
from weir.trace.steps import Place, Step

__all__ = ["Choice", "Copy", "Header", "Journey", "Journeys", "Output", "Place", "Step", "Value"]
