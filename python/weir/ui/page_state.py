"""The state of a session as a page sees it, with what is new since the page's last state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from weir.measure.dropped_frame import describe
from weir.ui.view import drop_views, link_views, queue_lengths

if TYPE_CHECKING:
    from weir.ui.session import Session

_MAX_FRAMES: Final = 300
"""The maximum number of frames in one state, the newest."""


class PageState:
    """The states of a session for one page.

    Args:
        session: the session.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._generation = -1
        self._sent = self._arrived = self._lines = 0

    def next(self) -> dict[str, Any]:
        """Returns the state, with the frames and texts since the last call.

        After the session went back in time, frames and texts begin again.
        """
        session = self._session
        frames, network = session.frames, session.network
        if self._generation != session.generation:
            self._generation = session.generation
            self._arrived = self._lines = 0
            self._sent = 0
        sent = [flight for flight in frames.sent if flight.number >= self._sent][-_MAX_FRAMES:]
        arrived = [
            one
            for number, one in enumerate(frames.arrived, frames.arrivals - len(frames.arrived))
            if number >= self._arrived
        ]
        new = session.printed - self._lines
        lines = session.lines[-new:] if new else []
        self._sent, self._arrived, self._lines = frames.departures, frames.arrivals, session.printed
        losses = network._clock.losses.since(session.mark)
        return {
            "type": "state",
            "generation": session.generation,
            "jumps": session.jumps,
            "now_ns": session.now_ns,
            "reach_ns": session.reach_ns,
            "playing": session.playing,
            "rerun": session.is_rerun,
            "idle": session.is_idle,
            "speed": session.speed,
            "skips": session.skips,
            "error": session.error,
            "digest": frames.digest,
            "links": link_views(network),
            "queues": queue_lengths(network),
            "bytes": frames.bytes_sent(session.now_ns),
            "sent": [
                [
                    flight.number,
                    flight.end,
                    flight.start_ns,
                    flight.arrival_ns,
                    len(flight.data),
                    describe(flight.data),
                ]
                for flight in sent
            ],
            "arrived": arrived,
            "lines": [[line.host, line.kind, line.text, line.time_ns] for line in lines],
            "drops": drop_views(network, losses),
            "why": losses.sentence() or "",
        }
