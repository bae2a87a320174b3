"""The exception of BfRt's objects."""

from weir.errors import ControlError


class BfRtTableError(ControlError):
    """A table refuses a change, or a value does not fit its field.

    Scripts for the BfRt shell of Tofino switches expect this name.
    """
