"""Runs a program in a user namespace that has all users and groups of this process's namespace.

Root runs this file as a script: ``enter.py PROGRAM ARGUMENT…``. The program keeps root's rights on
files, and has all rights over namespaces that it makes. It has no right over kernel modules, the
clock, devices, and namespaces outside. ``unshare --map-root-user`` would map only root: then root
could not read what other users own, and programs could not change to another user, as tcpdump does.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import sys
from pathlib import Path

_NEW_USER = 0x10000000

_REALTIME_PRIORITY = 10
"""The priority of the thread of ``weir link`` that forwards frames (``SCHED_FIFO``)."""


def main() -> None:
    """Enters a new user namespace and becomes the program."""
    # In a user namespace, only this limit lets a process have a real-time priority.
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_RTPRIO, (_REALTIME_PRIORITY, _REALTIME_PRIORITY))
    inside, entered = os.pipe()
    # Only a process outside the namespace may write its maps of users and groups.
    mapper = os.fork()
    if mapper == 0:
        os.close(entered)
        os._exit(0 if os.read(inside, 1) and _map_ids(os.getppid()) else 1)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(ctypes.c_int(_NEW_USER)) != 0:
        sys.exit(f"unshare: {os.strerror(ctypes.get_errno())}")
    os.write(entered, b".")
    os.close(entered)
    os.close(inside)
    if os.waitpid(mapper, 0)[1] != 0:
        sys.exit(1)
    os.execvp(sys.argv[1], sys.argv[1:])


def _map_ids(pid: int) -> bool:
    """Gives the user namespace of a process the users and groups of this process's namespace."""
    for file in ("uid_map", "gid_map"):
        ranges = [line.split() for line in Path("/proc/self", file).read_text(encoding="ascii").splitlines()]
        lines = "".join(f"{first} {first} {count}\n" for first, _, count in ranges)
        try:
            Path(f"/proc/{pid}", file).write_text(lines, encoding="ascii")
        except OSError as error:
            os.write(2, f"{file}: {error.strerror}\n".encode())
            return False
    return True


if __name__ == "__main__":
    main()
