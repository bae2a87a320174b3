"""The machines that the network can model: profile of the switch, processing time of hosts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from weir.labs.delay import thesis


@dataclass(frozen=True)
class Machine:
    """A machine that the network can model.

    Attributes:
        switch_profile: the name of the switch's timing profile.
        host_ns: processing time of a host for each received packet, in nanoseconds; a round trip
            has two.
        model_of: the thesis' machine that it models, if any.
    """

    switch_profile: str
    host_ns: int
    model_of: thesis.Machine | None


# The thesis' a consists of two passes, which are its b, and the hosts' processing, which is the
# rest.
PROFILES: Final[Mapping[str, Machine]] = MappingProxyType(
    {
        "default": Machine("default", 0, None),
        "bmv2-vm": Machine("bmv2-vm", 150_000, thesis.VIRTUAL_MACHINE),
        "bmv2-server": Machine("bmv2-server", 25_000, thesis.SERVER),
    }
)
