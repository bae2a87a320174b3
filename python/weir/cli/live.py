"""Runs the network while ``weir run`` waits for a line or a key."""

from __future__ import annotations

import codecs
import os
import select
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO

from weir.cli import text
from weir.errors import WeirError

if TYPE_CHECKING:
    from prompt_toolkit.eventloop import InputHookContext

    from weir.network import Network

_READ_BYTES = 65536
"""The maximum number of bytes that one call reads."""


class LivePrompt:
    """A hook for the prompt's event loop that runs the network while the prompt waits for a key.

    After an error, the network is paused until the next command.

    Args:
        network: the network, within :meth:`weir.Network.real_time`.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._stands = False

    def resume(self) -> None:
        """Resumes the network after a command."""
        self._stands = False

    def __call__(self, context: InputHookContext) -> None:
        """Runs the network until the event loop has an event."""
        if not self._stands:
            self._stands = not _passes(self._network, context.input_is_ready)


def lines_in_real_time(network: Network, stream: TextIO) -> Iterator[str]:
    """Yields the lines of a file or a pipe, and runs the network until the next line is available.

    Args:
        network: the network, within :meth:`weir.Network.real_time`.
        stream: the file or pipe, from which nothing has been read yet.
    """
    number, decoder, rest = stream.fileno(), codecs.getincrementaldecoder("utf-8")("replace"), ""

    def is_ready() -> bool:
        return bool(select.select([number], [], [], 0)[0])

    while True:
        _passes(network, is_ready)
        octets = os.read(number, _READ_BYTES)
        *lines, rest = (rest + decoder.decode(octets, final=not octets)).split("\n")
        yield from lines
        if not octets:
            yield rest
            return


def _passes(network: Network, until: Callable[[], bool]) -> bool:
    """Runs the network until a condition is true; if the run fails, reports the error and returns
    ``False``."""
    try:
        network.run_real_time(until=until)
    except WeirError as error:
        text.error(str(error))
        return False
    return True
