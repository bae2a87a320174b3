"""A program for the hosts of ``topology.json``, so it has no relative imports."""

from __future__ import annotations

import weir


class Listener(weir.HostProgram):
    """Accepts reports, so that the host does not answer each with an ICMP error."""
