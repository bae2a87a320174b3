"""Shows the live view on a terminal, or only the final state in a pipe."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from rich.live import Live
from rich.text import Text

from weir.display.terminal import VisibleConsole
from weir.telemetry.batch import decode
from weir.telemetry.live.state import LiveState
from weir.telemetry.live.view import LiveView
from weir.text.visible import visible_output

if TYPE_CHECKING:
    from weir.telemetry.store import Store


class Screen:
    """A screen that shows reports while its block runs.

    Args:
        source: the source of the reports, for the first line.
        store: a store to which reports are also added.
        threshold: the number of packets in a queue from which an event is shown.
        real: whether times are real instead of virtual.
    """

    def __init__(
        self, source: str, store: Store | None, *, threshold: int | None = None, real: bool = False
    ) -> None:
        origin_ns = time.time_ns() if real else 0
        if store is not None:
            store.begin(origin_ns)
            origin_ns = store.origin_ns
        self._store = store
        self._state = LiveState(origin_ns=origin_ns, threshold=threshold)
        self._view = LiveView(self._state, source)
        self._console = VisibleConsole()
        self._live = Live(self._view, console=self._console, auto_refresh=False)

    @property
    def is_empty(self) -> bool:
        """Whether no datagram has arrived yet."""
        return not (self._state.datagrams or self._state.bad)

    def show(self, payloads: Sequence[bytes], times_ns: Sequence[int]) -> None:
        """Adds datagrams to the state, and draws the view."""
        if payloads:
            batch = decode(payloads, times_ns)
            if self._store is not None:
                self._store.add_batch(batch)
            self._state.feed(batch)
        self._live.refresh()

    @contextmanager
    def printing(self) -> Iterator[None]:
        """Collects the output of the block, and prints it above the view at the end of the
        block."""
        if not self._console.is_screen:
            yield
            return
        printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        try:
            with visible_output(printed, printed):
                yield
        finally:
            printed.seek(0)
            if text := printed.read().rstrip("\n"):
                self._console.print(Text(text), soft_wrap=True)

    def __enter__(self) -> Self:
        if self._console.is_screen:
            self._live.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._console.is_screen:
            self._live.stop()
        elif kind is None:
            self._console.print(self._view)
