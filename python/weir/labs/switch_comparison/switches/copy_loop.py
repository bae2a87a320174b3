"""Copies frames between two interfaces, with as little as possible around the system calls.

``python copy_loop.py LEFT RIGHT``: ``recvmmsg`` and ``sendmmsg`` on packet sockets with virtio-net
headers, so that large frames pass whole. It says what the system calls alone cost: Python runs once
for a batch of frames.
"""

from __future__ import annotations

import ctypes
import os
import select
import socket
import sys

import numpy as np

BATCH = 64
"""Frames at a time."""

LONGEST = 65_536 + 128
"""The longest frame, after its virtio-net header."""

_SOL_PACKET, _IGNORE_OUTGOING, _VNET_HDR = 263, 23, 15
_DONTWAIT = 0x40
_BUFFER = 8 << 20

# struct mmsghdr of 64-bit Linux: a msghdr of 56 bytes, the length, padding; and struct iovec.
_MESSAGE = np.dtype(
    {
        "names": ["name", "namelen", "iov", "iovlen", "control", "controllen", "flags", "length"],
        "formats": ["u8", "u4", "u8", "u8", "u8", "u8", "i4", "u4"],
        "offsets": [0, 8, 16, 24, 32, 40, 48, 56],
        "itemsize": 64,
    }
)
_PART = np.dtype([("base", "u8"), ("length", "u8")])


def opened(interface: str) -> socket.socket:
    """A packet socket on an interface, with virtio-net headers."""
    one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    one.setsockopt(_SOL_PACKET, _IGNORE_OUTGOING, 1)
    one.setsockopt(_SOL_PACKET, _VNET_HDR, 1)
    for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
        one.setsockopt(socket.SOL_SOCKET, option, _BUFFER)
    one.bind((interface, 3))
    return one


def main(left: str, right: str) -> None:
    """Copies until somebody ends the process."""
    library = ctypes.CDLL(None, use_errno=True)
    sockets = [opened(left), opened(right)]
    files = [one.fileno() for one in sockets]
    memory = np.zeros((BATCH, LONGEST), dtype=np.uint8)
    parts = np.zeros(BATCH, dtype=_PART)
    messages = np.zeros(BATCH, dtype=_MESSAGE)
    parts["base"] = memory.ctypes.data + LONGEST * np.arange(BATCH, dtype=np.uint64)
    messages["iov"] = parts.ctypes.data + _PART.itemsize * np.arange(BATCH, dtype=np.uint64)
    messages["iovlen"] = 1
    lengths, sizes = parts["length"], messages["length"]
    first, receive, send = messages.ctypes.data, library.recvmmsg, library.sendmmsg
    ways = [(files[0], files[1]), (files[1], files[0])]
    waiting = select.poll()
    for file in files:
        waiting.register(file, select.POLLIN)
    while True:
        copied = False
        for source, target in ways:
            lengths[:] = LONGEST
            count = receive(source, ctypes.c_void_p(first), BATCH, _DONTWAIT, None)
            if count <= 0:
                continue
            copied = True
            lengths[:count] = sizes[:count]
            sent = 0
            while sent < count:
                more = send(target, ctypes.c_void_p(first + sent * _MESSAGE.itemsize), count - sent, 0)
                # A frame that the kernel refuses is lost.
                sent += more if more > 0 else 1
        if not copied:
            waiting.poll()


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"
    main(sys.argv[1], sys.argv[2])
