"""Running pings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from ipaddress import ip_address
from typing import TYPE_CHECKING

from weir._core import NO_ROUTE
from weir.clock import Clock, Progress
from weir.flows.flow import Flow
from weir.measure import PingReply, PingResult
from weir.measure.loss_account import LossMark

if TYPE_CHECKING:
    from weir import _core_contracts as cores


class PingFlow(Flow[PingResult]):
    """A running ping, from :meth:`Host.start_ping`.

    If the ping is stopped, replies that have not arrived count as lost.
    """

    def __init__(
        self,
        clock: Clock,
        core: cores.PingTraffic,
        ends: tuple[str, str, str],
        size: int,
        count: int,
        progress: Progress | None,
        on_reply: Callable[[PingReply], None] | None,
        mark: LossMark,
    ) -> None:
        super().__init__(clock, [core], mark)
        self._core, self._ends, self._size, self._count = core, ends, size, count
        self._progress, self._on_reply = progress, on_reply
        self._replies: list[PingReply] = []

    def wait(self, report: Callable[[], None] | None = None) -> PingResult:
        """Runs the network until each request has its reply or has timed out.

        See :meth:`Flow.wait`.
        """

        def collect_and_report() -> None:
            self._collect()
            if report is not None:
                report()

        return super().wait(collect_and_report)

    def _hosts(self) -> Collection[str]:
        source, _, address = self._ends
        owner = self._clock.losses.owner(address)
        return {source} if owner is None else {source, owner}

    def _collect(self) -> None:
        """Reads from the core which requests have been answered or have timed out, and reports
        them."""
        for reply in self._core.pings(len(self._replies)):
            self._replies.append(reply)
            if self._on_reply is not None:
                self._on_reply(reply)
        if self._progress is not None:
            self._progress(len(self._replies), self._count)

    def result(self) -> PingResult:
        """Returns the requests so far, up to the first request that still waits for its reply."""
        self._collect()
        result = PingResult(*self._ends, self._size, list(self._replies))
        return replace(result, why=self._unanswered_reason(result)) if result.lost else result

    def _unanswered_reason(self, result: PingResult) -> str:
        """Explains why requests have no reply."""
        if all(reply.error == NO_ROUTE for reply in result.replies if reply.rtt_ns is None):
            # Drops during this time concern other packets.
            return f"{result.source} has no route to {result.target_ip}."
        address = ip_address(result.target_ip)
        if address.version == 4 and address.is_multicast:
            return (
                f"{address} is a multicast address: hosts do not answer echo requests to IPv4 groups "
                "(net.ipv4.icmp_echo_ignore_broadcasts is 1)."
            )
        reason = self._loss_reason()
        if reason is not None:
            return reason
        errors = Counter(reply.error for reply in result.replies if reply.error is not None)
        if errors:
            error, count = errors.most_common(1)[0]
            return (
                f"no packet was dropped: {count} of {result.sent} requests came back as an error ({error})."
            )
        return self._unexplained_loss()
