"""What can be seen of a network that runs: samples, frames, captures, the account of its packets."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from weir import _core, units
from weir.captures import Capture
from weir.errors import NetworkError
from weir.hostprogram import Sniffer
from weir.keywords import keywords_are_told
from weir.measure import Account
from weir.network.nodes import Nodes
from weir.sampler import Sampler
from weir.traffic import check_text


@keywords_are_told
class Looking(Nodes):
    """A network as it is looked at."""

    _own_captures: list[Capture]

    @property
    def hops(self) -> int:
        """Frames that have passed a link since the start, each link they passed counted."""
        return self._core.hops()

    @property
    def events(self) -> int:
        """Events of the simulator since the start."""
        return self._core.events()

    def holds(self) -> dict[str, int]:
        """What the network holds now beside its nodes and links: frames, events, wake-ups, applications and connections.

        Names with ``room`` tell how many there is memory for, which is as many as there ever were at once. Where none of these numbers
        grows any more, memory does not either, but for results that were asked for: rows, intervals, samples, traces.
        """
        return dict(self._core.holds())

    def sample(self, ends: str | Iterable[str], every: str) -> Sampler:
        """Looks at link ends at fixed times from now on: how many packets wait there, and what has been sent and dropped.

        Args:
            ends: such as ``"s1-p2"`` (what leaves switch s1 by port 2) or ``"h1"``; one or several.
            every: the time between two samples, such as ``"10ms"``.

        Raises:
            NetworkError: there is no such end.
            UnitError: the time cannot be read.
        """
        self.check_open()
        names, places = self._ends(ends)
        core = self._core.sample(places, units.time_ns(every, "every"))
        return Sampler(core, names)

    def sniff(self, ends: str | Iterable[str], filter: str = "") -> Sniffer:
        """Keeps the frames that pass link ends from now on, as a sniffer on that node's interface would see them.

        Args:
            ends: such as ``"s1-p2"`` or ``"h1"``; one or several.
            filter: which of them, in tcpdump's language: ``"udp port 5201 and src host 10.0.1.1"``. All of them if empty.

        Raises:
            NetworkError: there is no such end, or the filter cannot be read.
        """
        self.check_open()
        check_text("filter", filter, "udp port 5201")
        names, places = self._ends(ends)
        return Sniffer(self._core.watch(places, filter, True, True, False), names)

    def capture(self, path: str | Path, ends: str | Iterable[str], filter: str = "") -> Capture:
        """Writes the frames that pass link ends from now on into a pcapng file, as tcpdump does.

        The file has its name once the capture is closed, by itself or with the network; until then ``.part`` is added to it.

        Args:
            path: the file.
            ends: such as ``"s1-p2"`` or ``"h1"``; one or several, each an interface in the file.
            filter: which frames, in tcpdump's language. All of them if empty.

        Raises:
            NetworkError: there is no such end, the filter cannot be read, or another capture writes the file.
            FileError: the file cannot be written.
        """
        self.check_open()
        check_text("filter", filter, "udp port 5201")
        if not isinstance(path, (str, Path)) or not Path(path).name:
            raise NetworkError(f"path: expected a file's name, found {path!r}")
        places = self._ends(ends)[1]
        final = Path(path)
        if any(other.is_open and other.path.absolute() == final.absolute() for other in self._own_captures):
            raise NetworkError(f"{final} is being written by another capture: close that first")
        capture = Capture(self._core, final, places, filter)
        self._own_captures.append(capture)
        return capture

    def _ends(self, given: str | Iterable[str]) -> tuple[list[str], list[tuple[str, int]]]:
        """The names of link ends, of which there may be one or several, and where they are."""
        if isinstance(given, str) or not isinstance(given, Iterable):
            return [given], [self.end(given)]
        names = list(given)
        if not names:
            raise NetworkError('there is no end to look at: name some, such as "s1-p2"')
        return names, [self.end(name) for name in names]

    def audit(self) -> Account:
        """Accounts for every packet there ever was: delivered, dropped with a reason at a place, or in flight."""
        return Account.of(self._core.audit())

    def watch_frames(self, end: str, filter: str) -> _core.Watch:
        """Has the network stop for each frame that arrives at a link end and matches a filter."""
        return self._core.watch([self.end(end)], filter, True, False, True)
