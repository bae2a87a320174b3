"""Runs with a change in the middle: a host leaves, or the last host joins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import weir
from weir.lab import one_of, within

from .agent import PACERS
from .sending import HOSTS, SECONDS, Senders
from .star import program, set_capacity

BIN_NS: Final = 100_000_000
"""The length of the intervals in which rates are measured, in nanoseconds."""

SEVERAL_HOSTS: Final = range(2, HOSTS.stop)
"""The numbers of hosts of which one leaves or joins while others send."""


@dataclass(frozen=True)
class PreparedRun:
    """A network whose hosts have not begun to send yet.

    Attributes:
        net: the network.
        senders: the hosts that send.
        names: the names of these hosts.
        middle_ns: the time of the change.
        end_ns: the time at which the run ends.
    """

    net: weir.Network
    senders: Senders
    names: list[str]
    middle_ns: int
    end_ns: int

    @property
    def bins(self) -> int:
        """The number of intervals of :data:`BIN_NS` in the run."""
        return self.end_ns // BIN_NS


@contextmanager
def prepare_run(
    topology: weir.Topology, mode: str, hosts: int, rate: str, seconds: int, reserve_percent: float, seed: int
) -> Iterator[PreparedRun]:
    """Prepares a run of a star whose hosts pace.

    Args:
        topology: the star.
        mode: ``htb`` or ``fq``.
        hosts: the number of hosts that send, one of :data:`SEVERAL_HOSTS`.
        rate: the rate of the bottleneck.
        seconds: the length of the run, one of :data:`SECONDS`.
        reserve_percent: the part of the rate that agents leave unused.
        seed: the seed of the network.

    Raises:
        WeirError: a value is out of range.
    """
    one_of("mode", mode, *PACERS)
    within("hosts", hosts, SEVERAL_HOSTS)
    within("seconds", seconds, SECONDS)
    names = [f"h{number}" for number in range(1, hosts + 1)]
    with weir.Network(topology, program(), seed=seed, noise="realistic") as net:
        set_capacity(net, "s1", hosts + 1, rate)
        senders = Senders(net, names, mode, reserve_percent=reserve_percent, interval=f"{BIN_NS}ns")
        yield PreparedRun(net, senders, names, seconds * 10**9 // 2, seconds * 10**9)
