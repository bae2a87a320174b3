"""The thesis's results for Shorternet: BMv2 in Mininet, on one laptop."""

from __future__ import annotations

from typing import Final

CITATION: Final = (
    "The thesis: Oskar Claeson and William Kruse, High-Speed, Low-Latency, and Secure Networking with P4, Master's thesis, "
    "Chalmers University of Technology, 2021; Shorternet in sections 3.2 and 4.1."
)
"""The source of the published results."""

GAIN_PERCENT: Final = {74: 93.75, 300: 11.62, 850: 3.713, 1514: 2.038, 9000: 0.335}
"""Table 4.1: the gain in effective bandwidth in theory, by packet length in bytes."""

LATENCY_SAVED_MS: Final = 3.0
"""By how much Shorternet's mean latency was lower; "approximately 75 %" of the other one's."""

LATENCY_SAVED_PERCENT: Final = 75.0
JITTER_SAVED_MS: Final = 7.0
"""By how much Shorternet's jitter was lower; "86 %" of the other one's."""

JITTER_SAVED_PERCENT: Final = 86.0
LARGEST_LOSS_PERCENT: Final = 0.025
"""The largest loss of all flows: that of the standard stack with packets of 694 bytes."""
