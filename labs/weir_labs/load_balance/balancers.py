"""The schemes with which a flow's first switch chooses a path, and their table entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol

from weir import units
from weir.lab import within

Entry = dict[str, Any]
"""The type of a table entry or default action in runtime JSON."""

THRESHOLDS: Final = range(1 << 16)
"""The lengths of queues in packets that may be a threshold."""

PERCENTS: Final = range(1, 101)
"""The probabilities of feedback in per cent."""

LEAST_BYTES: Final = 200
"""The length in bytes from which on a packet counts when a switch decides whether flows share a
queue. Acknowledgements and pings are shorter."""

_IDLE_INTERVALS: Final = 3
"""The number of intervals without a report after which a path counts as idle."""


class Balancer(Protocol):
    """A scheme of load balancing: the table entries with which switches apply it."""

    def entries(self) -> list[Entry]:
        """Builds the entries that all switches get."""

    def edge_entries(self) -> list[Entry]:
        """Builds the additional entries of the switches where flows begin and end."""


@dataclass(frozen=True)
class Feedback:
    """A scheme that moves a flow to a random path when its packets meet long queues, as in the
    slides.

    Attributes:
        queues: which queues count: ``all``, or only ``shared`` ones, with packets of several flows.
        threshold: the queue length in packets above which a packet causes feedback.
        timeout: the minimum time from one feedback about a flow to the next, such as ``500ms``.
        percent: the probability in per cent with which such a packet sends feedback, one of
            :data:`PERCENTS`.
    """

    queues: str
    threshold: int
    timeout: str
    percent: int

    def __post_init__(self) -> None:
        """Checks all values.

        Raises:
            ValueError: there is no such choice of queues.
            WeirError: a number is out of range, or the time-out cannot be read.
        """
        if self.queues not in ("all", "shared"):
            raise ValueError(f"queues={self.queues}: expected all or shared")
        check_threshold(self.threshold)
        within("percent", self.percent, PERCENTS)
        microseconds(self.timeout, "timeout")

    def entries(self) -> list[Entry]:
        """Builds the entry that all switches get: which queues count."""
        return [queues_entry(self.queues)]

    def edge_entries(self) -> list[Entry]:
        """Builds the additional entries that a switch needs if it is the first or last on a
        path."""
        sent = {
            "above": self.threshold,
            "timeout_us": microseconds(self.timeout, "timeout"),
            "probability": self.percent,
        }
        return [
            default("MyEgress.feedback", "MyEgress.send_feedback", sent),
            default("MyIngress.scheme", "MyIngress.by_feedback", {}),
        ]


@dataclass(frozen=True)
class Flowlets:
    """A scheme that moves a flow to a random path after each gap between its packets.

    Attributes:
        gap: the minimum length of the gap, such as ``50ms``.
    """

    gap: str

    def __post_init__(self) -> None:
        """Checks the gap.

        Raises:
            ValueError: the gap is 0.
            UnitError: the gap cannot be read.
        """
        if not microseconds(self.gap, "gap"):
            raise ValueError(f"gap={self.gap}: expected 1us or more")

    def entries(self) -> list[Entry]:
        """Returns no entries, because flowlets need only the entries of the edge switches."""
        return []

    def edge_entries(self) -> list[Entry]:
        """Builds the additional entries that a switch needs if it is the first or last on a
        path."""
        params = {"gap_us": microseconds(self.gap, "gap")}
        return [default("MyIngress.scheme", "MyIngress.by_flowlets", params)]


@dataclass(frozen=True)
class LeastLoaded:
    """A scheme that moves a flow whose packets meet long queues to the path with the least load.

    A flow's last switch reports on the flow at regular intervals. Only shared queues count.

    Attributes:
        threshold: the queue length in packets above which a flow moves.
        interval: the time from one report on a flow to the next, such as ``100ms``.
        settling: the time after a flow's move during which reports about it are ignored.
    """

    threshold: int
    interval: str
    settling: str

    def __post_init__(self) -> None:
        """Checks all values.

        Raises:
            ValueError: the interval is 0.
            WeirError: the threshold is out of range, or a time cannot be read.
        """
        check_threshold(self.threshold)
        if not microseconds(self.interval, "interval"):
            raise ValueError(f"interval={self.interval}: expected 1us or more")
        microseconds(self.settling, "settling")

    def entries(self) -> list[Entry]:
        """Builds the entry that all switches get: only shared queues count."""
        return [queues_entry("shared")]

    def edge_entries(self) -> list[Entry]:
        """Builds the additional entries that a switch needs if it is the first or last on a
        path."""
        interval = microseconds(self.interval, "interval")
        chosen = {
            "above": self.threshold,
            "settling_us": microseconds(self.settling, "settling"),
            "age_us": _IDLE_INTERVALS * interval,
        }
        return [
            default("MyEgress.feedback", "MyEgress.send_reports", {"interval_us": interval}),
            default("MyIngress.scheme", "MyIngress.by_load", chosen),
        ]


def queues_entry(queues: str) -> Entry:
    """Builds the entry that decides which queues count, ``all`` or ``shared``."""
    table = "MyEgress.occupancy.queues"
    if queues == "all":
        return default(table, "MyEgress.occupancy.all_queues", {})
    return default(table, "MyEgress.occupancy.shared_queues", {"bytes": LEAST_BYTES})


def default(table: str, action: str, params: dict[str, Any]) -> Entry:
    """Builds a table's default action in runtime JSON."""
    return {"table": table, "default_action": True, "action_name": action, "action_params": params}


def row(table: str, match: dict[str, Any], action: str, params: dict[str, Any] | None = None) -> Entry:
    """Builds an entry of an ingress table in runtime JSON."""
    return {
        "table": f"MyIngress.{table}",
        "match": match,
        "action_name": f"MyIngress.{action}",
        "action_params": params or {},
    }


def check_threshold(packets: int) -> None:
    """Checks that a threshold is a possible queue length.

    Raises:
        WeirError: the threshold is out of range.
    """
    within("threshold", packets, THRESHOLDS)


def microseconds(time: str, name: str) -> int:
    """Converts a time such as ``500ms`` to microseconds.

    Args:
        time: the time.
        name: its name in messages.

    Raises:
        UnitError: the time cannot be read.
    """
    return units.time_ns(time, name) // 1000
