"""Results of ping: the replies to requests, and a matrix of which hosts reach each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import nan
from typing import TYPE_CHECKING, Any

from weir._core import PingReply
from weir.files.columns import Column
from weir.measure.losses import add_reason
from weir.measure.series import Series
from weir.measure.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class PingResult(Table):
    """The result of a ping.

    Attributes:
        source: the host that sent the requests.
        target: the host or address that it pinged.
        target_ip: the target's IP address.
        size: data bytes in each request.
        replies: one entry for each request, lost ones included, in the order of the requests'
            numbers.
        why: a sentence that says where and why most packets were dropped during that time, if
            requests were lost. ``None`` if nothing was lost, or no packet was dropped.
    """

    source: str
    target: str
    target_ip: str
    size: int
    replies: Sequence[PingReply] = field(repr=False)
    why: str | None = None

    @property
    def sent(self) -> int:
        """Number of requests sent."""
        return len(self.replies)

    @property
    def received(self) -> int:
        """Number of replies that arrived in time."""
        return sum(reply.rtt_ns is not None for reply in self.replies)

    @property
    def lost(self) -> int:
        """Number of requests without a reply in time."""
        return self.sent - self.received

    @property
    def rtts(self) -> Series:
        """The round-trip times in milliseconds, at the times of the requests that were answered."""
        points = [(reply.time_ns, reply.rtt_ns / 1e6) for reply in self.replies if reply.rtt_ns is not None]
        return Series("rtt", "ms", [time for time, _ in points], [rtt for _, rtt in points])

    @property
    def rtt_min_ms(self) -> float | None:
        """The minimum round-trip time in milliseconds; ``None`` if no reply arrived."""
        return self.rtts.min if self.received else None

    @property
    def rtt_avg_ms(self) -> float | None:
        """The mean round-trip time in milliseconds; ``None`` if no reply arrived."""
        return self.rtts.mean if self.received else None

    @property
    def rtt_max_ms(self) -> float | None:
        """The largest round-trip time in milliseconds; ``None`` if no reply arrived."""
        return self.rtts.max if self.received else None

    @property
    def rtt_mdev_ms(self) -> float | None:
        """The (population) standard deviation of the round-trip time in milliseconds, which ping
        calls mdev; ``None`` if no reply arrived."""
        return self.rtts.deviation if self.received else None

    @property
    def jitter_ms(self) -> float | None:
        """The jitter of RFC 3550 over the round-trip times, in milliseconds; ``None`` if no reply
        arrived."""
        return self.rtts.jitter.values[-1] if self.received else None

    @property
    def _sparkline(self) -> Series:
        return Series("rtt", "ms", [reply.time_ns for reply in self.replies], self._rtts_or_gaps)

    @property
    def _rtts_or_gaps(self) -> list[float]:
        """The round-trip time of each request in ms, or NaN, which plots show as a gap."""
        return [nan if reply.rtt_ns is None else reply.rtt_ns / 1e6 for reply in self.replies]

    @property
    def duration_ns(self) -> int:
        """Virtual nanoseconds from the first request to the last."""
        return self.replies[-1].time_ns - self.replies[0].time_ns if self.replies else 0

    def columns(self) -> list[Column]:
        """Returns the requests as columns, with a row for each request.

        The columns are ``seq``, ``time_s``, ``rtt_ms`` (null if lost), ``ttl`` and ``bytes``.
        """
        return [
            Column("seq", "int", [reply.seq for reply in self.replies]),
            Column("time_s", "float", [reply.time_ns / 1e9 for reply in self.replies]),
            Column(
                "rtt_ms",
                "float",
                [None if reply.rtt_ns is None else reply.rtt_ns / 1e6 for reply in self.replies],
            ),
            Column("ttl", "int", [reply.ttl for reply in self.replies]),
            Column("bytes", "int", [reply.bytes for reply in self.replies]),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Converts the result to plain values for JSON, with a row for each request under
        ``replies``."""
        figures = (
            *("source", "target", "target_ip", "size", "sent", "received", "lost", "duration_ns"),
            *("rtt_min_ms", "rtt_avg_ms", "rtt_max_ms", "rtt_mdev_ms", "jitter_ms", "why"),
        )
        members = {name: getattr(self, name) for name in figures}
        return {**members, "replies": [asdict(reply) for reply in self.replies]}

    def __str__(self) -> str:
        address = "" if self.target == self.target_ip else f" ({self.target_ip})"
        share = 100 * self.lost / self.sent if self.sent else 0
        head = f"{self.source} -> {self.target}{address}: {self.received}/{self.sent} received, {share:.4g}% lost"
        rtts, lines = self.rtts, [head]
        errors = [reply.error for reply in self.replies if reply.error is not None]
        if self.received:
            figures = (rtts.min, rtts.mean, rtts.max, rtts.deviation)
            lines.append(f"rtt min/avg/max/mdev {'/'.join(f'{figure:.3f}' for figure in figures)} ms")
        elif errors:
            lines.append(errors[0])
        return add_reason(lines, self.why)

    def draw(self, ax: Axes) -> None:
        """Draws round-trip times over time.

        Requests without reply are gaps in the line, and marks at the bottom.
        """
        from weir.display.palette import COLOURS

        lost = [reply.time_ns / 1e9 for reply in self.replies if reply.rtt_ns is None]
        times = [reply.time_ns / 1e9 for reply in self.replies]
        ax.plot(times, self._rtts_or_gaps, ".-")
        if lost:
            ax.plot(lost, [0] * len(lost), "x", color=COLOURS["red"], label="lost")
            ax.legend()
        ax.set_xlabel("time in s")
        ax.set_ylabel("round-trip time in ms")


@dataclass(frozen=True, repr=False)
class PingMatrix(Table):
    """Which hosts can reach which other hosts by ping.

    Attributes:
        hosts: the hosts' names in order.
        results: the results, by source and target.
        why: a sentence that says where and why most packets were dropped during that time, if
            requests were lost.
    """

    hosts: Sequence[str]
    results: Mapping[tuple[str, str], PingResult]
    why: str | None = None

    @property
    def sent(self) -> int:
        """Number of requests sent, summed over all pairs."""
        return sum(result.sent for result in self.results.values())

    @property
    def received(self) -> int:
        """Number of replies that arrived in time, summed over all pairs."""
        return sum(result.received for result in self.results.values())

    @property
    def lost(self) -> int:
        """Number of requests without a reply in time, summed over all pairs."""
        return self.sent - self.received

    def columns(self) -> list[Column]:
        """Returns the pairs of hosts as columns, with a row for each pair.

        The columns are ``source``, ``target``, ``sent``, ``received`` and ``rtt_avg_ms`` (null
        without a reply).
        """
        results = list(self.results.values())
        return [
            Column("source", "text", [result.source for result in results]),
            Column("target", "text", [result.target for result in results]),
            Column("sent", "int", [result.sent for result in results]),
            Column("received", "int", [result.received for result in results]),
            Column("rtt_avg_ms", "float", [result.rtt_avg_ms for result in results]),
        ]

    def draw(self, ax: Axes) -> None:
        """Draws a square for each pair: blue if the target was reached, red if not."""
        from matplotlib.colors import ListedColormap

        from weir.display.palette import COLOURS

        def colour(source: str, target: str) -> int:
            return 0 if source == target else 1 if self.results[source, target].received else 2

        colours = ListedColormap([COLOURS["grid"], COLOURS["blue"], COLOURS["red"]])
        pairs = [[colour(source, target) for target in self.hosts] for source in self.hosts]
        ax.imshow(pairs, cmap=colours, vmin=0, vmax=2)
        ax.set_xticks(range(len(self.hosts)), self.hosts)
        ax.set_yticks(range(len(self.hosts)), self.hosts)
        ax.set_xlabel("target")
        ax.set_ylabel("source")
        ax.grid(False)

    def __repr__(self) -> str:
        return f"<weir.PingMatrix of {len(self.hosts)} hosts: {self.received}/{self.sent} received>"

    def _repr_html_(self) -> str:
        """Renders the matrix as HTML for notebooks, with a row for each source and a column for
        each target."""
        from weir.display import grid, titled_output

        def cell(source: str, target: str) -> str:
            if source == target:
                return ""
            rtt = self.results[source, target].rtt_avg_ms
            return "✗" if rtt is None else f"{rtt:.3f}"

        rows = [[source, *(cell(source, target) for target in self.hosts)] for source in self.hosts]
        title = f"{self.received}/{self.sent} received; round-trip times in ms, ✗ without reply"
        return titled_output(title, grid(["from \\ to", *self.hosts], rows, words=(0,)))

    def __str__(self) -> str:
        """Formats the matrix as ``pingall`` does, with a line for each source and X for an
        unreached host."""
        lines = []
        for source in self.hosts:
            targets = (target for target in self.hosts if target != source)
            marks = (target if self.results[source, target].received else "X" for target in targets)
            lines.append(f"{source} -> {' '.join(marks)}")
        share = 100 * self.lost / self.sent if self.sent else 0
        lines.append(f"{share:g}% dropped ({self.received}/{self.sent} received)")
        return add_reason(lines, self.why)
