"""Switches, links and their ends as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weir.impairments import UNCORRELATED, Correlation, Jitter, Loss

# As type checkers know it: disciplines need the compiled core, which `weir check` must not wait for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from weir.qdisc import Qdisc


@dataclass(frozen=True)
class Endpoint:
    """One end of a link: a host (``port`` is None) and its interface, or a switch and its port."""

    node: str
    port: int | None = None
    interface: int = 0

    @property
    def number(self) -> int:
        """The port's number, or the interface's."""
        return self.interface if self.port is None else self.port

    @property
    def interface_name(self) -> str:
        """Such as ``h1-eth0`` or ``s1-p2``."""
        return f"{self.node}-eth{self.interface}" if self.port is None else f"{self.node}-p{self.port}"

    def __str__(self) -> str:
        if self.port is not None:
            return f"{self.node}-p{self.port}"
        return f"{self.node}-eth{self.interface}" if self.interface else self.node


@dataclass
class SwitchSpec:
    """A switch.

    Attributes:
        name: such as ``s1``.
        entries: its table entries: a file or the same document as Python objects, in the tutorials' runtime JSON.
        p4: its own P4 program, where it does not run the network's.
        profile: its own timing profile, where it does not have the network's.
        cpu_port: the port that stands for its controller, if it has one.
        commands: a file of runtime commands, run after the entries are set.
        queue_rate: how fast its queues drain: ``"link"`` (as fast as the link at each port), a rate, or None for no limit, which
            leaves packets to wait at the link instead.
        queue_depth: packets that each of its queues holds, where it is not as the program's architecture has it.
        priorities: queues that each port has.
    """

    name: str
    entries: Path | Mapping[str, Any] | None = None
    p4: Path | None = None
    profile: str | None = None
    cpu_port: int | None = None
    commands: Path | None = None
    queue_rate: str | None = None
    queue_depth: int | None = None
    priorities: int = 1


@dataclass
class LinkSpec:
    """A link: a cable with the same properties in both directions.

    Attributes:
        a: one end.
        b: the other end.
        rate_bps: bits per second; None for unlimited.
        delay_ns: propagation delay in nanoseconds.
        loss: the share of packets lost, 0 to 1.
        loss_model: another kind of loss, instead.
        jitter: what is added to the delay of each packet.
        overtake: whether jitter makes packets overtake one another.
        duplicate: the share of packets that arrive twice, 0 to 1.
        corrupt: the share of packets of which a bit arrives flipped, 0 to 1.
        correlation: how much each packet's lot depends on that of the one before.
        reorder: the share of packets that are held while others pass, and for how long.
        queue: the queueing discipline at both ends, or its limit; 1000 packets if None.
        mtu: bytes of the longest packet behind Ethernet's header; None takes all.
        up: whether it is up at first.
    """

    a: Endpoint
    b: Endpoint
    rate_bps: int | None = None
    delay_ns: int = 0
    loss: float = 0.0
    loss_model: Loss | None = None
    jitter: str | Jitter | None = None
    overtake: bool = False
    duplicate: float = 0.0
    corrupt: float = 0.0
    correlation: Correlation = UNCORRELATED
    reorder: tuple[str, str] | None = None
    queue: Qdisc | str | None = None
    mtu: int | None = None
    up: bool = True

    def __str__(self) -> str:
        return f"{self.a} <-> {self.b}"
