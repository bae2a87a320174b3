"""Random delays of hosts, which make runs with different seeds differ like real runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from weir import units
from weir.errors import NetworkError, shown
from weir.text.suggest import nearest


@dataclass(frozen=True)
class Noise:
    """Random delays of all hosts, each uniformly distributed from 0 to the given time.

    Attributes:
        start: the delay before traffic starts (each ping, flow and series of requests), because a
            host does not start programs at an exact time.
        processing: the delay from a packet's arrival until the host's stack receives it
            (interrupts, scheduling), in addition to the host's own processing time. Packets are not
            reordered. Hosts with their own ``processing_jitter`` use that instead.
    """

    start: str = "0ms"
    processing: str = "0us"


NOISES: Final[Mapping[str, Noise]] = {"none": Noise(), "realistic": Noise("1ms", "60us")}
"""The kinds of noise that have a name.

``realistic``: traffic starts up to 1 ms late, and a host needs up to 60 us for a packet. The 60 us
were measured on Linux hosts without load (docs/explanation/linux-tcp.md); 1 ms is the order of the
time in which a shell starts a program.
"""


def read_noise(given: str | Noise) -> tuple[int, int]:
    """Converts noise to nanoseconds of start jitter and of processing jitter.

    Raises:
        NetworkError: there is no noise of that name.
        UnitError: a time cannot be read.
    """
    if isinstance(given, str):
        if given not in NOISES:
            noises = ", ".join(NOISES)
            raise NetworkError(
                f'there is no noise "{given}" (there are: {noises}; weir.network.Noise has other times)',
                suggestion=nearest(given, NOISES),
            )
        given = NOISES[given]
    if not isinstance(given, Noise):
        raise NetworkError(f'noise: expected a name such as "realistic" or a Noise, found {shown(given)}')
    return units.time_ns(given.start, "start"), units.time_ns(given.processing, "processing", "us")
