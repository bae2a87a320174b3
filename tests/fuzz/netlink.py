"""Any bytes as the kernel's answer about queues: they are read to their end, or refused."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from weir.linux.services.queue_messages import ROOT, queue_counts

_INDEX = 7


def run(data: bytes) -> None:
    """Reads an answer."""
    try:
        counts, _ = queue_counts(data, _INDEX)
    except OSError as error:
        assert error.strerror
        return
    if counts is not None:
        assert len(counts) == 4 and all(0 <= count < 1 << 64 for count in counts)


def seeds() -> Iterator[bytes]:
    """Yields answers as kernels send them, and errors."""
    basic = _attribute(1, struct.pack("=QI", 15000, 10) + bytes(4))
    queue = _attribute(3, struct.pack("=IIIII", 3, 4500, 2, 0, 0))
    queues = [
        _message(36, struct.pack("=BxHiIII", 0, 0, index, 0, parent, 0) + _attribute(7, basic + queue))
        for index, parent in ((1, ROOT), (_INDEX, ROOT), (_INDEX, 1))
    ]
    done = _message(3, bytes(4))
    yield done
    yield b"".join(queues) + done
    yield from queues
    yield _message(2, struct.pack("=i", -1) + bytes(16))


def _attribute(kind: int, value: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(value), kind) + value.ljust(-(-len(value) // 4) * 4, b"\0")


def _message(kind: int, body: bytes) -> bytes:
    return struct.pack("=IHHII", 16 + len(body), kind, 2, 1, 0) + body
