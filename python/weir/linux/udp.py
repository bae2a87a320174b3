"""UDP flows between real hosts, and their reports."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final

from weir.linux.agent import Agent
from weir.linux.traffic import LinuxTraffic
from weir.measure.series import numbers

if TYPE_CHECKING:
    from weir._core import FlowSettings, UdpReport, UdpSettings
    from weir.linux.network_base import NetworkBase
    from weir.linux.services.udp import Progress

_POLL_INTERVAL_NS: Final = 5_000_000


class UdpTraffic(LinuxTraffic):
    """A running UDP flow.

    Args:
        network: the network of the hosts.
        host: the host that begins the flow.
        servers: the hosts at the other end.
        flow: the settings of the flow, as in ``weir._core.Host.start_udp``.
        udp: the settings of UDP, as in the same call.
    """

    def __init__(
        self, network: NetworkBase, host: str, servers: list[str], flow: FlowSettings, udp: UdpSettings
    ) -> None:
        self._network = network
        self._settings, self._udp = flow, udp
        self._number = network.servers.flow()
        address, port = flow["to"]
        plan = (flow["pattern"], flow["length"], flow["duration_ns"], udp["datagrams"], flow["tos"])
        self._servers = [network.servers.take("udp.UdpServer", name, port, address, port) for name in servers]
        for server in self._servers:
            server.ask("add", self._number, plan if flow["reverse"] else None)
        self._client = Agent(
            network.namespaces,
            host,
            "udp.UdpClient",
            network.origin,
            self._number,
            (address, port),
            udp["source_port"] or 0,
            None if flow["reverse"] else plan,
        )
        super().__init__(self._client)
        self._port = self._client.ask("port")
        self._report: UdpReport | None = None
        self._looked = self._stopped_at = 0

    @property
    def finished(self) -> bool:
        """Whether all datagrams were sent, and each has arrived or counts as lost."""
        now = self._network.now()
        if not self._done and now - self._looked >= _POLL_INTERVAL_NS:
            self._looked = now
            if self._is_over(now):
                self._done = True
                self.settle()
        return self._done

    def _is_over(self, now: int) -> bool:
        started, sent, last, has_stopped = self._progress()
        if not has_stopped or (started is None and not self._stopped_at):
            return False
        counts = [server.ask("count", self._number) for server in self._servers]
        if self._settings["reverse"]:
            counts = [self._client.ask("count")]
        arrived: int = sum(count for count, _ in counts)
        signs = [started or self._stopped_at, last, *(latest for count, latest in counts if count)]
        return arrived >= sent or now - max(signs) > self._udp["linger_ns"]

    def _progress(self) -> Progress:
        """Returns the sender's progress; see :meth:`weir.linux.services.udp.UdpClient.progress`."""
        if not self._settings["reverse"]:
            return self._client.ask("progress")  # type: ignore[no-any-return]
        answers = [server.ask("progress", self._number) for server in self._servers]
        return next(
            (answer for answer in answers if answer[0] is not None), (None, 0, 0, self._stopped_at > 0)
        )

    def _sent(self) -> tuple[int | None, bytes, int, bool]:
        """Returns the report of the sending end, as in
        :meth:`weir.linux.services.udp.UdpClient.sent`."""
        if not self._settings["reverse"]:
            return self._client.ask("sent")  # type: ignore[no-any-return]
        answers = [server.ask("sent", self._number) for server in self._servers]
        return next(
            (answer for answer in answers if answer[0] is not None), (None, b"", 0, self._stopped_at > 0)
        )

    @property
    def connections(self) -> list[Any]:
        """An empty list, because the services are polled."""
        return []

    def stop(self) -> None:
        """Stops sending."""
        if not self._done:
            self._stopped_at = self._network.now()
            self._client.ask("stop")
            for server in self._servers:
                server.ask("stop", self._number)

    def settle(self) -> None:
        """Stores the report, and ends the services."""
        self._report = self._make()
        for server in self._servers:
            self._network.servers.release(server)
        self.close()

    def udp(self) -> UdpReport:
        """Returns the report of the datagrams sent and received so far."""
        return self._report or self._make()

    def _make(self) -> UdpReport:
        started, sent, refused, _ = self._sent()
        reverse = self._settings["reverse"]
        ends = [self._client.ask("received")] if reverse else [
            server.ask("received", self._number) for server in self._servers
        ]  # fmt: skip
        firsts = [numbers(columns[2])[0] if columns[2] else None for columns, _ in ends]
        reached = [(first, place) for place, first in enumerate(firsts) if first is not None]
        server = min(reached)[1] if reached and not reverse else None
        if reverse:
            senders = [one.ask("sent", self._number)[0] is not None for one in self._servers]
            server = senders.index(True) if any(senders) else None
        several = len(self._servers) > 1 and not reverse
        counts = [len(columns[0]) // 8 for columns, _ in ends]
        rows = sorted(
            (arrival, number, departure)
            for columns, _ in ends
            for number, departure, arrival in zip(*map(numbers, columns), strict=True)
        )
        begun = started if started is not None else self._network.now()
        return report(
            rows,
            numbers(sent),
            begun=begun,
            refused=refused,
            length=self._settings["length"],
            interval=self._settings["interval_ns"],
            keep=self._udp["keep_rows"],
            source_port=self._port,
            server=server,
            by_server=counts if several else [],
        )


def report(
    rows: list[tuple[int, int, int]],
    sent: array[int],
    *,
    begun: int,
    refused: int,
    length: int,
    interval: int | None,
    keep: bool,
    source_port: int,
    server: int | None,
    by_server: list[int],
) -> UdpReport:
    """Computes the report of a UDP flow.

    Args:
        rows: for each arrival, in order: its time, the datagram's number, and when the datagram was
            sent.
        sent: when each datagram was sent.
        begun: the start of the flow.
        refused: the number of datagrams that could not be sent.
        length: the bytes of payload of each datagram.
        interval: nanoseconds of an interval; ``None`` for no figures by interval.
        keep: whether the report contains the rows.
        source_port: the client's port.
        server: the index of the server that received the first datagram, or that sent the flow.
        by_server: the number of datagrams that each server received.
    """
    seen: set[int] = set()
    columns = array("Q"), array("Q"), array("Q")
    duplicates = reordered = 0
    highest = -1
    jitter, previous_delay = 0.0, None
    delays: list[int] = []
    # For each interval: the number of datagrams that were sent, the number of these that arrived,
    # and the number that were received; bytes, reordered datagrams, sum of delays, jitter.
    parts: dict[int, list[float]] = {}

    def part_at(time: int) -> list[float]:
        number = 0 if interval is None else max(0, time - begun) // interval
        return parts.setdefault(number, [0, 0, 0, 0, 0, 0, 0.0])

    for time in sent:
        part_at(time)[0] += 1
    for arrival, number, departure in rows:
        if number in seen:
            duplicates += 1
            continue
        seen.add(number)
        delay = max(0, arrival - departure)
        delays.append(delay)
        if previous_delay is not None:
            jitter += (abs(delay - previous_delay) - jitter) / 16
        previous_delay = delay
        late = number < highest
        reordered += late
        highest = max(highest, number)
        part_at(departure)[1] += 1
        part = part_at(arrival)
        part[2:6] = part[2] + 1, part[3] + length, part[4] + late, part[5] + delay
        part[6] = jitter
        if keep:
            for column, value in zip(columns, (number, departure, arrival), strict=True):
                column.append(value)
    mean = sum(delays) / len(delays) if delays else 0.0
    deviation = (sum((delay - mean) ** 2 for delay in delays) / len(delays)) ** 0.5 if delays else 0.0
    last = max(parts, default=-1)
    intervals: list[Any] = []
    if interval is not None:
        intervals = [tuple(parts.get(number, [0, 0, 0, 0, 0, 0, jitter])) for number in range(last + 1)]
    return {
        "source_port": source_port,
        "started": begun,
        "last_sent": sent[-1] if sent else None,
        "sent": len(sent),
        "sent_bytes": len(sent) * length,
        "refused": refused,
        "errors": 0,
        "received": len(delays),
        "server": server,
        "by_server": by_server,
        "received_bytes": len(delays) * length,
        "duplicates": duplicates,
        "reordered": reordered,
        "arrivals": (rows[0][0], rows[-1][0]) if rows else None,
        "jitter": jitter,
        "failure": None,
        "delays": (min(delays), mean, max(delays), deviation) if delays else None,
        "intervals": intervals,
        "rows": [column.tobytes() for column in columns],
    }
