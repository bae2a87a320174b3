"""The Unix socket of P4Runtime is for its user only, at all times."""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
from pathlib import Path

import pytest

import weir
from weir.p4runtime import Client, ServerOptions
from weir.topology import shapes

ATTRIBUTES, CREATED = 0x4, 0x100
"""Events of inotify(7)."""


def events(descriptor: int) -> list[tuple[int, str]]:
    """The events so far, each with the name of its file."""
    data, descriptors = os.read(descriptor, 1 << 16), []
    while data:
        _, kind, _, length = struct.unpack_from("iIII", data)
        descriptors.append((kind, data[16 : 16 + length].rstrip(b"\0").decode()))
        data = data[16 + length :]
    return descriptors


@pytest.mark.skipif(sys.platform != "linux", reason="uses inotify")
def test_the_socket_has_its_mode_from_the_start(tmp_path: Path):
    """If its mode were changed later, others could open it before."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_CLOEXEC)
    assert libc.inotify_add_watch(descriptor, bytes(tmp_path), ATTRIBUTES | CREATED) > 0
    address, before = f"unix:{tmp_path / 's'}", os.umask(0)
    try:
        with (
            weir.Network(shapes.star(2), "router", p4runtime=ServerOptions(address)),
            Client(address) as client,
        ):
            assert client.program.tables
            assert stat.S_IMODE((tmp_path / "s").lstat().st_mode) == 0o600
            assert events(descriptor) == [(CREATED, "s")]
    finally:
        os.umask(before)
        os.close(descriptor)
