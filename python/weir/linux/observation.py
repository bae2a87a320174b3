"""Watches, captures and samples at the ends of links."""

from __future__ import annotations

import heapq
import select
import socket
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from weir.linux import wiring
from weir.linux.agent import Agent
from weir.linux.services.recorder import RECORD
from weir.linux.services.tap import ALL_FRAMES, Tap
from weir.linux.source import BATCH, Source

if TYPE_CHECKING:
    from weir.linux.network_base import NetworkBase

Place = tuple[str, int]


def recorders(
    network: NetworkBase,
    ends: Sequence[Place],
    filter: str,
    directions: tuple[bool, bool],
    files: Sequence[Path | None],
) -> list[Agent]:
    """Starts a recorder of frames at each of the given ends of links."""
    agents = []
    for (node, number), file in zip(ends, files, strict=True):
        device = wiring.device(network.end(node, number))
        name = None if file is None else str(file)
        agent = Agent(
            network.namespaces, node, "recorder.Recorder", network.origin, device, filter, directions, name
        )
        agents.append(agent)
    for agent in agents:
        # A recorder that answers is recording.
        agent.ask("now")
    return agents


class LinuxWatch:
    """A watch of frames at the ends of links, with the methods of ``weir._core.Watch``."""

    def __init__(
        self, network: NetworkBase, ends: Sequence[Place], filter: str, directions: tuple[bool, bool]
    ) -> None:
        self._agents = recorders(network, ends, filter, directions, [None] * len(ends))

    def take(self) -> list[tuple[int, int, bool, bytes]]:
        rows = [
            (time, end, sent, frame)
            for end, agent in enumerate(self._agents)
            for time, sent, frame in agent.ask("take")
        ]
        return sorted(rows, key=lambda row: row[0])

    def close(self) -> None:
        for agent in self._agents:
            agent.close()


class ProgramWatch(Source):
    """A watch of frames that a host's program receives, with the methods of
    ``weir._core.Watch``.

    Args:
        network: the network that contains the host.
        place: the host's name and the number of its interface.
        filter: the frames that the program receives, in tcpdump's language.
    """

    def __init__(self, network: NetworkBase, place: Place, filter: str) -> None:
        node, number = place
        address = wiring.device(network.end(node, number)), ALL_FRAMES
        sock = network.namespaces.open(node, socket.AF_PACKET, socket.SOCK_RAW, address)
        try:
            self._tap = Tap(sock, network.origin, filter, (True, False))
        except BaseException:
            sock.close()
            raise
        super().__init__(network, node)
        self.ready.register(sock, select.EPOLLIN)

    def take(self) -> list[tuple[int, int, bool, bytes]]:
        return [(time, 0, sent, frame) for time, sent, frame in self._tap.take(BATCH)]

    def close(self) -> None:
        self.close_sockets()

    def sockets(self) -> Iterable[socket.socket]:
        """Returns the packet socket of the watch; see :meth:`Source.sockets`."""
        return [self._tap.socket]


class LinuxCapture:
    """A capture at the ends of links, which is written to a pcapng file when it finishes.

    Args:
        network: the network that contains the links.
        ends: the ends.
        filter: the frames to capture, in tcpdump's language.
        path: the file.
    """

    def __init__(self, network: NetworkBase, ends: Sequence[Place], filter: str, path: str) -> None:
        self._path = Path(path)
        self._names = [network.end(node, number).interface_name for node, number in ends]
        count = network.next_capture_number()
        self._files = [network.folder / f"capture-{count}-{number}" for number in range(len(ends))]
        self._started_ns = network.started_ns
        self._agents = recorders(network, ends, filter, (True, True), self._files)

    def finish(self) -> None:
        """Writes the captured frames to the file."""
        for agent in self._agents:
            agent.ask("flush")
            agent.close()
        frames = heapq.merge(*(_records(file, end) for end, file in enumerate(self._files)))
        with self._path.open("wb") as file:
            write_pcapng(file, self._names, self._started_ns, frames)
        for spool in self._files:
            spool.unlink()


def _records(file: Path, end: int) -> Iterator[tuple[int, int, bool, bytes]]:
    with file.open("rb") as records:
        while header := records.read(RECORD.size):
            time, sent, length = RECORD.unpack(header)
            yield time, end, bool(sent), records.read(length)


_BYTE_ORDER: Final = 0x1A2B3C4D
_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6
_ETHERNET: Final = 1


def write_pcapng(
    file: BinaryIO, names: Sequence[str], started_ns: int, frames: Iterator[tuple[int, int, bool, bytes]]
) -> None:
    """Writes a pcapng file (draft-ietf-opsawg-pcapng) with times in nanoseconds and directions.

    Args:
        file: the file to write to.
        names: the names of the interfaces.
        started_ns: the time 0, in nanoseconds since 1970.
        frames: for each frame its time, the number of its interface, whether it was sent, and its
            bytes.
    """
    _write_block(file, _SECTION, struct.pack("<IHHq", _BYTE_ORDER, 1, 0, -1))
    for name in names:
        resolution = _option(9, bytes([9]))
        _write_block(
            file, _INTERFACE, struct.pack("<HHI", _ETHERNET, 0, 0) + _option(2, name.encode()) + resolution
        )
    for time, end, sent, frame in frames:
        stamp = started_ns + time
        head = struct.pack("<IIIII", end, stamp >> 32, stamp & 0xFFFFFFFF, len(frame), len(frame))
        direction = _option(2, struct.pack("<I", 2 if sent else 1))
        _write_block(file, _PACKET, head + _padded_bytes(frame) + direction)


def _write_block(file: BinaryIO, kind: int, body: bytes) -> None:
    end = bytes(4) if kind != _SECTION else b""
    length = len(body) + len(end) + 12
    file.write(struct.pack("<II", kind, length) + body + end + struct.pack("<I", length))


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + _padded_bytes(value)


def _padded_bytes(data: Any) -> bytes:
    return bytes(data) + bytes(-len(data) % 4)
