"""Timing profiles of switches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from weir import _core


@dataclass(frozen=True)
class Profile:
    """The timing profile of a switch.

    Attributes:
        name: the profile's name.
        pass_latency_ns: nanoseconds from the start of a pass until the packet reaches its egress
            queue.
        capacity: the number of passes that can start per second.
        title: a line about the machine that the profile models.
    """

    name: str
    pass_latency_ns: int
    capacity: int
    title: str = ""

    @classmethod
    def named(cls, name: str) -> Profile:
        """Finds a profile by name; see :func:`profiles`.

        Raises:
            NetworkError: there is no profile of that name.
        """
        _core.check_profile(name)
        return profiles()[name]


def profiles() -> Mapping[str, Profile]:
    """Returns the named timing profiles by name, with the default profile first."""
    return {
        name: Profile(name, latency, capacity, title) for name, latency, capacity, title in _core.profiles()
    }
