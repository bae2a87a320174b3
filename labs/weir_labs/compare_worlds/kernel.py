"""Features of this computer's kernel."""

from __future__ import annotations

from pathlib import Path


def has_congestion(world: str, congestion: str) -> bool:
    """Returns whether a world has a congestion control.

    The virtual world has every congestion control that the lab uses. A Linux kernel has modules for
    those that are not its default, and hosts in a user namespace cannot load modules.
    """
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
    return world != "linux" or congestion in available.read_text(encoding="ascii").split()
