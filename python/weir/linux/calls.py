"""System calls for namespaces that are missing in Python 3.11's standard library."""

from __future__ import annotations

import ctypes
import os
from typing import Final

NEW_MOUNT: Final = 0x00020000
"""The flag ``CLONE_NEWNS``: a new namespace of mounts."""

NEW_NET: Final = 0x40000000
"""The flag ``CLONE_NEWNET``: a new namespace of interfaces, addresses, routes and sockets."""

BIND: Final = 0x1000
"""The flag ``MS_BIND``, which mounts a file or folder at another place."""

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(kind: int) -> None:
    """Moves this process into a new namespace of this kind (unshare(2)).

    Raises:
        OSError: this process does not have the right to do so, or the kernel has no such
            namespaces.
    """
    _check(_libc.unshare(ctypes.c_int(kind)), "unshare")


def enter(namespace: int, kind: int) -> None:
    """Moves this process into the namespace of an open file (setns(2)).

    Raises:
        OSError: this process does not have the right to do so.
    """
    _check(_libc.setns(ctypes.c_int(namespace), ctypes.c_int(kind)), "setns")


def mount(source: str, target: str, kind: str = "", flags: int = 0) -> None:
    """Mounts a file system (mount(2)).

    Raises:
        OSError: this process does not have the right to do so.
    """
    status = _libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), None)
    _check(status, f"mount {target}")


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
