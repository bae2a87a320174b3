"""The kernel's answers about queueing disciplines, with the counts of ``tc -s qdisc``
(rtnetlink(7))."""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator
from typing import Final

ROOT: Final = 0xFFFFFFFF
"""The parent of an interface's root queue."""

_GETQDISC, _DONE, _ERROR = 38, 3, 2
_REQUEST, _DUMP = 0x1, 0x300
_HEADER: Final = struct.Struct("=IHHII")
_TCMSG: Final = struct.Struct("=BxHiIII")
_STATS2, _BASIC, _QUEUE = 7, 1, 3

Counts = tuple[int, int, int, int]
"""The waiting packets, sent packets, sent bytes and dropped packets of a queue."""


def request(index: int) -> bytes:
    """Returns the request for the queues of the interface with this index."""
    body = _TCMSG.pack(0, 0, index, 0, 0, 0)
    return _HEADER.pack(_HEADER.size + len(body), _GETQDISC, _REQUEST | _DUMP, 1, 0) + body


def queue_counts(data: bytes, index: int) -> tuple[Counts | None, bool]:
    """Reads a part of the kernel's answer.

    Args:
        data: the messages of the part.
        index: the index of the interface.

    Returns:
        The counts of the interface's root queue, if they are in this part; and whether the answer
        ends with this part.

    Raises:
        OSError: the kernel refused the request, or the part is malformed.
    """
    counts = None
    while data:
        if len(data) < _HEADER.size:
            raise _malformed()
        length, kind, _, _, _ = _HEADER.unpack_from(data)
        if kind == _DONE:
            return counts, True
        if not _HEADER.size <= length <= len(data):
            raise _malformed()
        message, data = data[_HEADER.size : length], data[(length + 3) & ~3 :]
        if kind == _ERROR:
            if len(message) < 4:
                raise _malformed()
            (code,) = struct.unpack_from("=i", message)
            raise OSError(abs(code), os.strerror(abs(code) & 0xFFFF))
        if len(message) < _TCMSG.size:
            raise _malformed()
        _, _, number, _, parent, _ = _TCMSG.unpack_from(message)
        if number == index and parent == ROOT:
            counts = _statistics(message[_TCMSG.size :])
    return counts, False


def _malformed() -> OSError:
    return OSError(errno.EBADMSG, os.strerror(errno.EBADMSG))


def _statistics(attributes: bytes) -> Counts:
    waiting = packets = size = dropped = 0
    for kind, value in _attributes(attributes):
        if kind == _STATS2:
            for inner, data in _attributes(value):
                if inner == _BASIC and len(data) >= 12:
                    size, packets = struct.unpack_from("=QI", data)
                elif inner == _QUEUE and len(data) >= 12:
                    waiting, _, dropped = struct.unpack_from("=III", data)
    return waiting, packets, size, dropped


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        if not 4 <= length <= len(data):
            return
        yield kind & 0x3FFF, data[4:length]
        data = data[(length + 3) & ~3 :]
