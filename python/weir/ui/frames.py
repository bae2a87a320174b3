"""Follows the frames on all links of a network."""

from __future__ import annotations

import hashlib
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weir.network import Network

_RECENT: Final = 1000
"""The number of departures and of arrivals that are kept for pages."""

_MAX_DELAY_NS: Final = 1_000_000_000
"""The virtual time in nanoseconds for which a frame is kept after it should have arrived, because
jitter may delay it."""

_MAX_FLYING: Final = 4 * _RECENT
"""The maximum number of frames on their way that are kept for each link end, the newest."""


@dataclass(frozen=True, slots=True)
class Flight:
    """A frame on its way over a link.

    Attributes:
        number: the number of the frame, from 0 for the first one that any node sent.
        end: the link end that sent it: twice the link's number, plus 1 for the link's end ``b``.
        start_ns: when its first bit left, in virtual nanoseconds.
        end_ns: when its last bit left.
        arrival_ns: when its last bit arrives, unless it is lost or the link has jitter.
        data: its bytes.
    """

    number: int
    end: int
    start_ns: int
    end_ns: int
    arrival_ns: int
    data: bytes


class _Flying:
    """The frames that one end has sent, and that have not arrived as far as is known."""

    def __init__(self) -> None:
        self._flights: OrderedDict[int, Flight] = OrderedDict()
        # Frames with the same bytes are rare: the key is their bytes, so that none is compared.
        self._same: dict[bytes, OrderedDict[int, Flight]] = {}

    def __len__(self) -> int:
        return len(self._flights)

    def __iter__(self) -> Iterator[Flight]:
        return iter(self._flights.values())

    def add(self, flight: Flight) -> None:
        """Adds a frame, and forgets frames that must have been lost and, if there are too many,
        the oldest one."""
        while self._flights:
            oldest = next(iter(self))
            if oldest.arrival_ns + _MAX_DELAY_NS >= flight.start_ns and len(self) < _MAX_FLYING:
                break
            self.remove(oldest)
        self._flights[flight.number] = flight
        self._same.setdefault(flight.data, OrderedDict())[flight.number] = flight

    def remove(self, flight: Flight) -> None:
        """Removes a frame."""
        del self._flights[flight.number]
        same = self._same[flight.data]
        del same[flight.number]
        if not same:
            del self._same[flight.data]

    def find(self, data: bytes) -> Flight | None:
        """Returns the oldest frame with these bytes, or else with this length."""
        same = self._same.get(data)
        if same:
            return next(iter(same.values()))
        return next((flight for flight in self if len(flight.data) == len(data)), None)


class Frames:
    """The frames that pass all links of a network, from now on.

    Attributes:
        ends: the names of the link ends: both ends of the first link, then those of the next one.
        sent: the frames that left most recently, oldest first.
        arrived: for the frames that arrived most recently, the number and the time in nanoseconds.
        departures: the number of frames that have left an end so far.
        arrivals: the number of those that have arrived.
        seen: the number of departures and arrivals so far, with duplicates.
    """

    def __init__(self, network: Network) -> None:
        self._links = network.links
        self.ends = [end for link in self._links for end in (link.a, link.b)]
        self._watch = network._core.watch(network._nodes.places(self.ends)[1], "", True, True, False)
        self._flying = [_Flying() for _ in self.ends]
        self._hash = hashlib.blake2b(digest_size=8)
        self._bytes = [0] * len(self.ends)
        self._last: list[Flight | None] = [None] * len(self.ends)
        self._arrival_ns: dict[int, int] = {}
        self.sent: deque[Flight] = deque(maxlen=_RECENT)
        self.arrived: deque[tuple[int, int]] = deque(maxlen=_RECENT)
        self.seen = self.departures = self.arrivals = 0

    @property
    def digest(self) -> str:
        """A hash of the times, places and bytes of all frames so far."""
        return self._hash.hexdigest()

    def find(self, number: int) -> Flight | None:
        """Returns the frame with this number, if it is one of the most recent ones."""
        return next((flight for flight in self.sent if flight.number == number), None)

    def arrival_ns(self, flight: Flight) -> int | None:
        """Returns when a frame arrived, in virtual nanoseconds; ``None`` if it has not."""
        return self._arrival_ns.get(flight.number)

    def bytes_sent(self, now_ns: int) -> list[int]:
        """Computes the number of bytes that each end has sent until this time, which is not before
        the last frame: a frame counts bit by bit, so rates never exceed those of links."""

        def unsent(last: Flight | None) -> int:
            if last is None or last.end_ns <= now_ns:
                return 0
            return len(last.data) * (last.end_ns - now_ns) // (last.end_ns - last.start_ns)

        return [total - unsent(last) for total, last in zip(self._bytes, self._last, strict=True)]

    def flying(self, now_ns: int) -> list[Flight]:
        """Returns the frames that are on their way at this time, oldest first."""
        flights = [flight for flying in self._flying for flight in flying if flight.arrival_ns >= now_ns]
        return sorted(flights, key=lambda flight: flight.number)

    def collect(self) -> int:
        """Reads the frames that have passed since the last call, and returns their number."""
        records = self._watch.take()
        for time_ns, end, outbound, data in records:
            self._hash.update(f"{time_ns} {end} {outbound} {len(data)} ".encode())
            self._hash.update(data)
            if outbound:
                self._depart(time_ns, end, data)
            else:
                self._arrive(time_ns, end ^ 1, data)
        self.seen += len(records)
        return len(records)

    def _depart(self, time_ns: int, end: int, data: bytes) -> None:
        link = self._links[end // 2]
        rate = link.rate_bps
        sending_ns = 0 if rate is None else len(data) * 8 * 1_000_000_000 // rate
        end_ns = time_ns + sending_ns
        flight = Flight(self.departures, end, time_ns, end_ns, end_ns + link.delay_ns, data)
        self.departures += 1
        self._bytes[end] += len(data)
        self.sent.append(flight)
        self._last[end] = flight
        self._flying[end].add(flight)

    def _arrive(self, time_ns: int, end: int, data: bytes) -> None:
        """Notes the arrival of a frame that an end sent.

        A duplicate has no flight of its own, and a frame with a flipped bit is found by its length.
        """
        found = self._flying[end].find(data)
        if found is not None:
            self._flying[end].remove(found)
            self.arrivals += 1
            self.arrived.append((found.number, time_ns))
            self._arrival_ns[found.number] = time_ns
            if len(self._arrival_ns) > 4 * _RECENT:
                oldest = self.sent[0].number
                self._arrival_ns = {one: time for one, time in self._arrival_ns.items() if one >= oldest}
