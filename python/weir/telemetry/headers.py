"""Finds the flows and INT headers of the packets that reports describe."""

from __future__ import annotations

from typing import Final, Self

import numpy as np

from weir.telemetry.instruction import WORD
from weir.telemetry.protocol import DSCP_INT, MD, MX, NPT_PORT, NPT_PROTOCOL, PORT_INT, TCP, UDP
from weir.telemetry.words import Numbers, Words, bits, word_counts

_HEADER_BYTES: Final = 14
_TYPE_IPV4: Final = 0x0800
_TYPES_VLAN: Final = (0x8100, 0x88A8)
"""The EtherTypes of VLAN tags (IEEE 802.1Q), each of 4 bytes."""

_MAX_TAGS: Final = 2


def ipv4_packets(
    words: Numbers, start: Numbers, length: Numbers, ethernet: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """Finds the starts of IPv4 packets, some of which are preceded by Ethernet and up to two VLAN
    tags.

    An Ethernet header has 14 bytes, so the packet after it does not begin at a multiple of 4 bytes.
    Therefore, a copy of the words, shifted by 2 bytes, is appended to the others.

    Args:
        words: all words.
        start: the index of each packet's first word.
        length: the length of each packet in bytes.
        ethernet: whether each packet begins with Ethernet.

    Returns:
        The words, the index at which each IPv4 packet begins, and its length in bytes, 0 if there
        is none.
    """
    if not ethernet.any():
        return words, start, length
    later = np.append(words[:-1] << np.uint32(16) | words[1:] >> np.uint32(16), np.uint32(0))
    tags = np.zeros(len(start), np.int64)
    for number in range(_MAX_TAGS):
        tags += np.isin(bits(words[start + 3 + tags], 16, 16), _TYPES_VLAN) & (tags == number)
    header = _HEADER_BYTES + 4 * tags
    is_ipv4 = (bits(words[start + 3 + tags], 16, 16) == _TYPE_IPV4) & (length >= header)
    inner = np.where(is_ipv4, length - header, 0)
    return (
        np.concatenate((words, later)),
        np.where(ethernet, len(words) + start + 3 + tags, start),
        np.where(ethernet, inner, length),
    )


class Packets:
    """IPv4 packets, which may be truncated, and the places of their INT headers.

    Attributes:
        at: the 32-bit words that contain the packets.
        mode: the type of the INT header, 1 for INT-MD, 3 for INT-MX, 0 if there is none.
        flags: the first word of that header.
        instructions: the instruction bitmap of that header.
        npt: the Next Protocol Type in the shim.
        original: the value that the shim keeps for the sink.
        inserted: the number of bytes of the shim and of the headers after it.
        stack: the index of the first word of the metadata stack.
        hop_words: the number of words that each node added to the stack.
        hops: the number of nodes that added words to the stack.
    """

    def __init__(self, at: Numbers, start: Numbers, length: Numbers) -> None:
        """Finds the packets and INT headers in words.

        Args:
            at: the 32-bit words that contain the packets.
            start: the index of each packet's first word in ``at``.
            length: the length of each packet in bytes.
        """
        self.at, self._start, self._length = at, start, length
        self._first, self._third = at[start], at[start + 2]
        self._header = bits(self._first, 24, 4).astype(np.int64)
        self._is_ipv4 = (length >= 20) & (bits(self._first, 28, 4) == 4)
        self._find_int()

    @classmethod
    def single(cls, packet: bytes) -> Self:
        """Creates an object for a single packet."""
        words = Words([packet])
        return cls(words.at, words.starts, words.lengths)

    def contents(self) -> list[bytes]:
        """Returns the bytes of each packet."""
        data = self.at.astype(">u4").tobytes()
        places = zip((self._start * WORD).tolist(), self._length.tolist(), strict=True)
        return [data[start : start + length] for start, length in places]

    def problem(self, index: int) -> str | None:
        """Describes why the INT headers that a packet announces are not valid; returns ``None`` for
        other packets."""
        if self.mode[index] or not self._announced[index]:
            return None
        length, shim = int(self._length[index]), int(self._shim[index])
        room = length - WORD * (shim + 1 - int(self._start[index]))
        if room < 0:
            return f"a packet marked for INT has no shim header: {length} bytes"
        kind, version = int(self.at[shim]) >> 28, int(self.flags[index]) >> 28
        words, hop_bytes = int(self.inserted[index]) // WORD - 1, int(self.hop_words[index]) * WORD
        if kind not in (MD, MX):
            return f"INT type {kind}: expected 1 (INT-MD) or 3 (INT-MX)"
        if words < 3 or room < words * WORD:
            return f"INT headers of {words} words, found {min(words * WORD, room)} bytes"
        if version != 2:
            return f"INT version {version}: expected 2"
        return f"a metadata stack of {(words - 3) * WORD} bytes with {hop_bytes} bytes a hop"

    def columns(self) -> dict[str, Numbers]:
        """Computes the columns of the table ``reports`` that describe the packets."""
        at, start = self.at, self._start
        is_parsed = self._is_ipv4 & (self._header >= 5)
        l4, l4_bytes = start + self._header, self._length - self._header * WORD
        protocol = bits(self._third, 16, 8)
        inner = (self.mode != 0) & (self.npt == NPT_PROTOCOL) & (protocol == UDP)
        if inner.any():
            # The packet's own TCP or UDP header follows the UDP header and the other headers that
            # INT inserted.
            protocol = np.where(inner, self.original & 0xFF, protocol)
            l4 += np.where(inner, 2 + self.inserted // WORD, 0)
            l4_bytes -= np.where(inner, 8 + self.inserted, 0)
        ports = is_parsed & ((protocol == TCP) | (protocol == UDP)) & (bits(at[start + 1], 0, 13) == 0)
        whole = ports & (l4_bytes >= 4)
        port_pairs = np.where(whole, at[np.where(ports, l4, 0)], 0)
        restored = whole & (self.mode != 0) & (self.npt == NPT_PORT)
        inserted = np.where(self.mode != 0, self.inserted + np.where(inner, 8, 0), 0)
        size = bits(self._first, 0, 16).astype(np.int64) - inserted
        sequenced = ports & (protocol == TCP) & (l4_bytes >= 8)
        values = {
            "source": (at[start + 3], np.uint32),
            "target": (at[start + 4], np.uint32),
            "protocol": (protocol, np.uint8),
            "source_port": (port_pairs >> 16, np.uint16),
            "target_port": (np.where(restored, self.original, port_pairs & 0xFFFF), np.uint16),
            "bytes": (np.maximum(size, 0), np.uint16),
            "ttl": (bits(self._third, 24, 8), np.uint8),
            "identification": (bits(at[start + 1], 16, 16), np.uint16),
            "tcp_sequence": (np.where(sequenced, at[np.where(sequenced, l4 + 1, 0)], 0), np.uint32),
        }
        columns: dict[str, Numbers] = {}
        for name, (numbers, kind) in values.items():
            column = numbers.astype(kind)
            columns[name] = column if is_parsed.all() else np.ma.masked_array(column, ~is_parsed)
        flags = np.where(self.mode != 0, self.flags, 0)
        columns["mode"] = self.mode
        columns["hops_exceeded"] = (bits(flags, 26, 1) == 1) & (self.mode == MD)
        columns["mtu_exceeded"] = (bits(flags, 25, 1) == 1) & (self.mode == MD)
        return columns

    def _find_int(self) -> None:
        at, start, length = self.at, self._start, self._length
        udp, tcp = (bits(self._third, 16, 8) == protocol for protocol in (UDP, TCP))
        l4, header_bytes = start + self._header, self._header * WORD
        marked = bits(self._first, 18, 6) == DSCP_INT
        udp &= self._is_ipv4 & (length >= header_bytes + 8)
        tcp &= self._is_ipv4 & (length >= header_bytes + 20) & marked
        udp &= marked | (bits(at[l4], 0, 16) == PORT_INT)
        offset = bits(at[l4 + 3], 28, 4).astype(np.int64)
        self._shim = shim = l4 + np.where(tcp, offset, 2)
        room = length // WORD - (shim - start)
        word = at[shim]
        kind, words = bits(word, 28, 4), bits(word, 16, 8).astype(np.int64)
        self.npt = bits(word, 26, 2)
        self.original = bits(word, 0, 16) >> np.where(self.npt == 0, 2, 0).astype(np.uint32)
        self.flags, self.instructions = at[shim + 1], bits(at[shim + 2], 16, 16)
        self.inserted = (1 + words) * WORD
        stack_words, self.hop_words = words - 3, bits(self.flags, 8, 5).astype(np.int64)
        divisor = np.maximum(self.hop_words, 1)
        fits = (
            (self.hop_words > 0)
            & (stack_words % divisor == 0)
            & (self.hop_words >= word_counts()[self.instructions])
        )
        self._announced = udp | tcp
        right = (
            self._announced
            & (room >= 1 + words)
            & (words >= 3)
            & ((kind == MX) | ((kind == MD) & ((stack_words == 0) | fits)))
            & (bits(self.flags, 28, 4) == 2)
        )
        self.mode = np.where(right, kind, 0).astype(np.uint8)
        self.stack = shim + 4
        self.hops = np.where(self.mode == MD, stack_words // divisor, 0)
