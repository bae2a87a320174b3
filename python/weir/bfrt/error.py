"""The exception of BfRt's objects."""

from weir.errors import ControlError


class BfRtTableError(ControlError):
    """A table refuses a change, or a value does not fit its field.

    It has the name that scripts for the shell of Tofino's switches expect.
    """
