"""The machines that the network can behave like: the switch's profile, and what the hosts take beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from weir.labs.delay import thesis


@dataclass(frozen=True)
class Machine:
    """One machine.

    Attributes:
        switch_profile: the name of the switch's timing profile.
        host_ns: what a host takes for each packet that it receives, in nanoseconds; a round trip has two.
        model_of: the thesis' machine that it is a model of, if it is one.
    """

    switch_profile: str
    host_ns: int
    model_of: thesis.Machine | None


# The thesis' a is two passes, which are its b, and the hosts' two receptions, which are the rest.
PROFILES: Final[Mapping[str, Machine]] = MappingProxyType(
    {
        "default": Machine("default", 0, None),
        "bmv2-vm": Machine("bmv2-vm", 150_000, thesis.VIRTUAL_MACHINE),
        "bmv2-server": Machine("bmv2-server", 25_000, thesis.SERVER),
    }
)
