"""Turns off the offloads of interfaces, like ``ethtool -K``. Usage: ``no_offloads.py INTERFACE…``.

The kernel then computes checksums and segments data before a frame leaves, so each frame is valid
on a wire (linux/ethtool.h).
"""

from __future__ import annotations

import ctypes
import fcntl
import socket
import struct
import sys

_SIOCETHTOOL = 0x8946
# ETHTOOL_STSO, _SGSO, _SGRO, _SRXCSUM, _STXCSUM, _SSG. Segmentation is turned off before the
# offloads that it needs.
_ETHTOOL_COMMANDS = (0x1F, 0x24, 0x2C, 0x15, 0x17, 0x19)


def main(interfaces: list[str]) -> None:
    """Turns off the offloads of interfaces.

    Raises:
        OSError: an interface does not exist, or the user has no permission to change it.
    """
    value = (ctypes.c_uint32 * 2)()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for interface in interfaces:
            request = struct.pack("16sP16x", interface.encode(), ctypes.addressof(value))
            for command in _ETHTOOL_COMMANDS:
                value[:] = [command, 0]
                fcntl.ioctl(control, _SIOCETHTOOL, request)


if __name__ == "__main__":
    main(sys.argv[1:])
