"""A switch of a topology, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class SwitchSpec:
    """A switch of a topology, as data.

    Attributes:
        name: its name, such as ``s1``.
        entries: its table entries: a file or the same document as Python objects, in the tutorials'
            runtime JSON.
        p4: its own P4 program; ``None`` for the network's.
        profile: its own timing profile; ``None`` for the network's.
        cpu_port: the port of its controller, if it has one.
        commands: a file of runtime commands, run after the entries are set.
        queue_rate: how fast its queues drain: ``"link"`` (as fast as the link at each port),
            ``"auto"`` (the same, if its program can observe how long packets wait), a rate, or
            ``None`` for no limit, so that packets wait at the link.
        queue_depth: maximum packets in each of its queues; ``None`` for as many as the link's queue
            holds, or for the architecture's default if ``queue_rate`` is a rate.
        priorities: number of queues at each port.
    """

    name: str
    entries: Path | Mapping[str, Any] | None = None
    p4: Path | None = None
    profile: str | None = None
    cpu_port: int | None = None
    commands: Path | None = None
    queue_rate: str | None = "auto"
    queue_depth: int | None = None
    priorities: int = 1
