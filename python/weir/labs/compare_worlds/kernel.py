"""What this computer's kernel has."""

from __future__ import annotations

from pathlib import Path


def has_congestion(world: str, congestion: str) -> bool:
    """Whether a world has a congestion control.

    The virtual one has all of the lab. Kernels have modules for those that are not their default,
    and hosts in a user namespace cannot load them.
    """
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
    return world != "linux" or congestion in available.read_text(encoding="ascii").split()
