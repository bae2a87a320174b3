"""The thesis's results about its firewall: BMv2 in Mininet, without a controller."""

from __future__ import annotations

from typing import Final

CITATION: Final = (
    "The thesis: Oskar Claeson and William Kruse, High-Speed, Low-Latency, and Secure Networking with P4, Master's thesis, "
    "Chalmers University of Technology, 2021; the firewall in sections 3.4 and 4.4."
)
"""The source of the published results."""

FOUND: Final = (
    ("frames with MAC addresses of hosts elsewhere", "blocked"),
    ("h4 without entries", "has no access"),
    ("h4 after its entries are written", "can send and receive"),
    ("entries for each host and switch", "2"),
    ("time of a packet with many entries", "not measured"),
    ("verification of hosts, distribution of rules", "not investigated"),
    ("rules for transport ports; new hosts may only answer", "suggested"),
)
"""What was tested, and what was found (sections 3.4 and 4.4)."""
