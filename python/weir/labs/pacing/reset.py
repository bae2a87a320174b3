"""The end of a connection by a reset: the frame that a host whose program was killed would send."""

from __future__ import annotations

import struct

_TCP_AT = 14 + 20
_RST_ACK = 0x14


def reset_after(frame: bytes) -> bytes:
    """A frame with RST whose sequence number is the one after a segment.

    Args:
        frame: the last segment that was sent, in IPv4 without options.

    Raises:
        ValueError: that is no such frame.
    """
    if len(frame) < _TCP_AT + 20 or frame[12:15] != b"\x08\x00\x45" or frame[23] != 6:
        raise ValueError("expected a TCP segment in IPv4 without options")
    total = int.from_bytes(frame[16:18])
    payload = total - 20 - 4 * (frame[_TCP_AT + 12] >> 4)
    source, target, sequence, acknowledged = struct.unpack_from("!HHII", frame, _TCP_AT)
    tcp = struct.pack(
        "!HHIIBBHHH",
        source,
        target,
        (sequence + payload) % (1 << 32),
        acknowledged,
        5 << 4,
        _RST_ACK,
        0,
        0,
        0,
    )
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 40, 0, 0x4000, 64, 6, 0) + frame[26:34]
    pseudo = frame[26:34] + struct.pack("!HH", 6, len(tcp))
    return (
        frame[:14]
        + _with_checksum(ip, 10, internet_checksum(ip))
        + _with_checksum(tcp, 16, internet_checksum(pseudo + tcp))
    )


def internet_checksum(words: bytes) -> int:
    """The Internet checksum (RFC 1071) of an even number of bytes; 0 if they hold a right one."""
    total: int = sum(struct.unpack(f"!{len(words) // 2}H", words))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _with_checksum(header: bytes, place: int, checksum: int) -> bytes:
    return header[:place] + checksum.to_bytes(2) + header[place + 2 :]
