"""The traces of packets in all switches of a network, and the paths of packets in them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from weir import units
from weir.measure.dropped_frame import describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from weir.network import Network
    from weir.trace.journey import Journey
    from weir.ui.frames import Flight, Frames

_MAX_JOURNEYS: Final = 500
"""The number of journeys that are kept."""

_MAX_BYTES: Final = 2048
"""The maximum number of bytes of a packet that a page shows."""


class Traces:
    """The traces of packets, while they are recorded.

    Traced packets run in the interpreter, with the same results, so a network with traces is slow.

    Args:
        network: the network.
        frames: the frames on its links.
    """

    def __init__(self, network: Network, frames: Frames) -> None:
        self._network, self._frames = network, frames
        self._ends = [end for link in network.topology.links for end in (link.a, link.b)]
        self._journeys: deque[Journey] = deque(maxlen=_MAX_JOURNEYS)
        self._records = False

    def record(self, wanted: bool) -> None:
        """Begins or ends to record traces. Traces of packets that are inside switches at the end
        are lost."""
        if wanted == self._records:
            return
        self.collect()
        self._records = wanted
        for switch in self._network.switches:
            switch.trace(None if wanted else 0)

    def collect(self) -> None:
        """Reads the traces of packets that have left their switches."""
        if self._records:
            for switch in self._network.switches:
                self._journeys += switch.journeys()

    def packet_view(self, flight: Flight) -> dict[str, Any]:
        """Describes a frame: its bytes, its headers, and the packet's path through the network."""
        sender, receiver = self._sending(flight), self._receiving(flight)
        known = receiver or sender
        path = [] if known is None else [one for one in self._journeys if one.packet == known.packet]
        path.sort(key=lambda journey: journey.steps[0].time_ns)
        if receiver is not None:
            layers = _layers(_extracted(receiver))
        elif sender is not None:
            output = next(one for one in sender.outputs if one.packet == flight.data)
            layers = _layers((header.name, header.fields) for header in output.headers)
        else:
            layers = []
        return {
            "number": flight.number,
            "from": self._frames.ends[flight.end],
            "to": self._frames.ends[flight.end ^ 1],
            "start_ns": flight.start_ns,
            "arrival_ns": self._frames.arrival_ns(flight),
            "length": len(flight.data),
            "what": describe(flight.data),
            "hex": flight.data[:_MAX_BYTES].hex(),
            "layers": layers,
            "path": [self._visit(journey) for journey in path],
            "fate": self._fate(flight, path),
        }

    def _sending(self, flight: Flight) -> Journey | None:
        """Finds the journey in the switch that sent a frame."""
        end = self._ends[flight.end]
        sent = (
            journey
            for journey in reversed(self._journeys)
            if journey.switch == end.node
            for output in journey.outputs
            if output.port == end.port and output.packet == flight.data and output.time_ns <= flight.start_ns
        )
        return next(sent, None)

    def _receiving(self, flight: Flight) -> Journey | None:
        """Finds the journey in the switch that received a frame."""
        end, arrival_ns = self._ends[flight.end ^ 1], self._frames.arrival_ns(flight)
        received = (
            journey
            for journey in self._journeys
            if journey.switch == end.node
            and journey.steps[0].time_ns == arrival_ns
            and journey.steps[0].what.get("port") == end.port
            and journey.steps[0].what.get("bytes") == flight.data
        )
        return next(received, None)

    def _fate(self, flight: Flight, path: list[Journey]) -> str:
        """Says in one sentence where the packet is, or why it did not arrive."""
        dropped = next((journey for journey in path if not journey.outputs), None)
        if dropped is not None:
            return _drop_sentence(dropped)
        left = [] if not path else self._departures(path[-1])
        last = left[-1] if left and left[-1].start_ns >= flight.start_ns else flight
        sender, receiver = self._frames.ends[last.end], self._frames.ends[last.end ^ 1]
        arrival_ns = self._frames.arrival_ns(last)
        if arrival_ns is not None:
            return f"It arrived at {receiver} at {units.format_time(arrival_ns)}."
        if self._network.now_ns <= last.arrival_ns:
            return f"It is on the link from {sender} to {receiver}."
        return f"It was lost between {sender} and {receiver}."

    def _departures(self, journey: Journey) -> list[Flight]:
        """Finds the frames that left a switch as outputs of a journey, in order of time."""
        found = []
        for output in journey.outputs:
            for flight in self._frames.sent:
                end = self._ends[flight.end]
                if (
                    (end.node, end.port) == (journey.switch, output.port)
                    and flight.start_ns >= output.time_ns
                    and flight.data == output.packet
                ):
                    found.append(flight)
                    break
        return sorted(found, key=lambda flight: flight.start_ns)

    def _visit(self, journey: Journey) -> dict[str, Any]:
        """Describes what happened to a packet in a switch, with the time until its last copy left.

        A packet waits in the switch's queue or, without a queue there, at the link.
        """
        arrival_ns = journey.steps[0].time_ns
        waits = [step.time_ns for step in journey.steps if step.kind in ("queued", "dequeued")]
        waited_ns = waits[-1] - waits[0] if len(waits) > 1 else 0
        left_ns = out_ns = max((output.time_ns for output in journey.outputs), default=arrival_ns)
        departures = self._departures(journey)
        if departures:
            left_ns = departures[-1].start_ns
        return {
            "switch": journey.switch,
            "fate": journey._fate.partition(", ")[2],
            "arrival_ns": arrival_ns,
            "inside_ns": left_ns - arrival_ns,
            "queue_ns": waited_ns + left_ns - out_ns,
            "tree": str(journey),
        }


def _extracted(journey: Journey) -> Iterator[tuple[str, Iterable[Any]]]:
    """Yields the headers that the parser extracts from the packet as it arrived."""
    passes = 0
    for step in journey.steps:
        passes += step.kind == "pass"
        if step.kind == "extracted" and passes <= 1 and step.copy == journey.root.number:
            yield step.what["header"], step.what["fields"]


def _layers(headers: Iterable[tuple[str, Iterable[Any]]]) -> list[dict[str, Any]]:
    """Describes headers that follow each other in a packet, with the places of fields in bits."""
    place, layers = 0, []
    for name, fields in headers:
        described = []
        start = place
        for field in fields:
            described.append({"name": field.name, "at": place, "bits": field.width, "value": field.text})
            place += field.width
        layers.append({"name": name, "at": start, "bits": place - start, "fields": described})
    return layers


def _drop_sentence(journey: Journey) -> str:
    """Says where and why a switch dropped a packet, and which table ran last."""
    drop = next((step for step in journey.steps if step.kind == "dropped"), None)
    if drop is None:
        return f"It is still in {journey.switch}."
    sentence = f"{journey.switch} dropped it in {drop.what['place']}: {drop.what['reason']}"
    applied = [step.what for step in journey.steps if step.kind == "applied"]
    if applied and drop.what["reason"] == "drop port":
        last = applied[-1]
        outcome = "hit" if last["hit"] else "missed"
        sentence += f"; the last table, {last['table']}, {outcome} and ran {last['action']}"
    return f"{sentence}."
