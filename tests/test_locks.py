"""Locks are only for the owner of a file, and waiting for one ends."""

from __future__ import annotations

import fcntl
import os
import re
import socket
import stat
import threading
from pathlib import Path

import pytest

from weir.errors import FileError, WeirError, WeirWarning
from weir.files.lock import locked
from weir.telemetry.listener import Listener
from weir.text.address import split_port
from weir.top import metrics


def test_a_lock_is_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / ".adding"
    path.touch(0o644)
    with locked(path) as alone:
        assert alone and stat.S_IMODE(path.stat().st_mode) == 0o600
        with locked(path, wait=False) as second:
            assert not second
    with locked(tmp_path / "new"):
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


def test_waiting_for_a_lock_ends_and_names_the_holder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weir.files.lock._SAY_AFTER_S", 0.05)
    path = tmp_path / ".adding"
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with (
            pytest.warns(WeirWarning, match=rf"waiting for (another )?process( {os.getpid()})?"),
            pytest.raises(FileError, match=r"is locked by .*: waited 0.2 s"),
            locked(path, wait_s=0.2),
        ):
            pass


def test_a_lock_is_no_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("victim")
    (tmp_path / ".adding").symlink_to(victim)
    with pytest.raises(OSError, match=re.escape(".adding")), locked(tmp_path / ".adding"):
        pass
    assert victim.read_text() == "victim"


@pytest.mark.parametrize(
    ("head", "message"),
    [
        (b"", "takes more than 0.2 s"),
        (b"HTTP/1.1 200 OK\r\n", "takes more than 0.2 s"),
        (b"HTTP/1.1 200 OK\r\n\r\n", "takes more than 0.2 s"),
        (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", "answers 302"),
    ],
)
def test_an_exchange_has_one_deadline(head: bytes, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server sends a byte now and then, which a timeout of the socket alone would allow."""
    monkeypatch.setattr(metrics, "_TIMEOUT_S", 0.2)
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                try:
                    connection.sendall(head)
                    for _ in range(1000):
                        if ended.wait(0.02):
                            return
                        connection.sendall(b"x")
                except OSError:
                    return

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            with pytest.raises(WeirError, match=message):
                metrics.read(str(server.getsockname()[1]))
        finally:
            ended.set()
            thread.join()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:9559", ("127.0.0.1", 9559)),
        ("[::1]:9559", ("::1", 9559)),
        (":6000", ("", 6000)),
        ("host:0", ("host", 0)),
        ("::1:9559", None),
        ("[127.0.0.1]:1", None),
        ("[::1:1", None),
        ("host", None),
        ("host:65536", None),
        ("host:-1", None),
    ],
)
def test_addresses_have_one_grammar(text: str, expected: tuple[str, int] | None) -> None:
    assert split_port(text) == expected
    if expected is None:
        with pytest.raises(WeirError, match="expected HOST:PORT"):
            Listener(text)
