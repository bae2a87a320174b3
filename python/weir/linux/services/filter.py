"""The filter language of captures, for frames of real interfaces.

The virtual network implements the language, so frames are sent over a virtual link with a watch
that has the filter.
"""

from __future__ import annotations

from weir import _core

Row = tuple[int, bool, bytes]


class Filter:
    """A filter for frames in tcpdump's language.

    Args:
        text: the filter in tcpdump's language; all frames pass if it is empty.

    Raises:
        NetworkError: the filter cannot be read.
    """

    def __init__(self, text: str) -> None:
        self._network: _core.Network | None = None
        if not text:
            return
        core = self._network = _core.Network(0)
        for number, name in enumerate(("a", "b"), 1):
            core.add_host(name, [(f"02:00:00:00:00:0{number}", [], 1500)], [], [], 0, 0)
        core.connect("a", 0, "b", 0, None, 0, 0.0)
        self._watch = core.watch([("a", 0)], text, False, True, False)

    def matching_frames(self, rows: list[Row]) -> list[Row]:
        """Returns the frames that pass the filter."""
        if self._network is None or not rows:
            return rows
        # The frames are sent a nanosecond apart, so that the time of each frame identifies it.
        start = self._network.now() + 1
        traffic = self._network.host("a").start_replay(
            0, [(number + 1, frame) for number, (_, _, frame) in enumerate(rows)]
        )
        self._network.run(start + len(rows) + 1, traffic, 1 << 62, lambda: False)
        return [rows[time - start] for time, _, _, _ in self._watch.take()]
