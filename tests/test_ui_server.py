"""The server of ``weir ui``: only its own page is answered, and nothing ends the service."""

from __future__ import annotations

import json
import socket
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import needed
import weir
from command import NET, weir as call
from ui_page import dumbbell_session, served
from weir.ui.session import Session


def status(address: str, **headers: str) -> tuple[int, dict[str, str]]:
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return reply.status, dict(reply.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers)


@pytest.fixture
def session() -> Iterator[Session]:
    opened = dumbbell_session()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    need_page()
    with served("--shape", "dumbbell:2") as found:
        yield found


def need_page() -> None:
    for name in ("starlette", "uvicorn", "websockets"):
        needed.module(name, required="WEIR_REQUIRE_UI")
    if not (Path(weir.__file__).parent / "ui" / "page" / "index.html").is_file():
        needed.skip("needs the page of weir ui, which make build makes with npm", "WEIR_REQUIRE_UI")


def test_only_the_page_itself_is_answered(address: str):
    code, headers = status(address)
    assert code == 200 and headers["content-security-policy"].startswith("default-src 'self';")
    assert headers["x-content-type-options"] == "nosniff" and headers["cache-control"] == "no-store"
    root, _, query = address.partition("?")
    assert status(root)[0] == status(f"{root}?token=x")[0] == status(f"{address}x")[0] == 403
    assert status(f"{address}&token=x")[0] == 403
    assert status(address, Host="evil.example")[0] == 403
    assert status(address, Origin="http://evil.example")[0] == status(address, Origin="null")[0] == 403
    assert status(f"{root}assets/index.js")[0] == 200
    assert status(f"{root}assets/../server.py?{query}")[0] == 404
    assert status(f"{root}assets/%2e%2e/%2e%2e/server.py?{query}")[0] == 404


def test_only_the_page_itself_may_connect(address: str):
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    root, _, query = address.partition("/?")
    socket = f"{root.replace('http', 'ws', 1)}/socket"
    for url, origin in (
        (f"{socket}?{query}", None),
        (f"{socket}?{query}", "http://evil.example"),
        (f"{socket}?{query}", "null"),
        (socket, root),
        (f"{socket}?token=", root),
    ):
        with pytest.raises(InvalidStatus) as refused:
            connect(url, origin=origin)  # type: ignore[arg-type]
        assert refused.value.response.status_code == 403
    with connect(f"{socket}?{query}", origin=root) as page:  # type: ignore[arg-type]
        assert json.loads(page.recv(10))["type"] == "network"
        page.send(json.dumps({"type": "nothing"}))
        kinds = [json.loads(page.recv(10))["type"] for _ in range(2)]
        assert "refused" in kinds
        page.send(b"\x00")  # A binary message ends the connection, and nothing else.
    with connect(f"{socket}?{query}", origin=root) as page:  # type: ignore[arg-type]
        page.send("x" * 200_000)
        assert any(json.loads(page.recv(10))["type"] == "refused" for _ in range(3))


def test_broken_requests_write_no_traceback():
    need_page()
    # The block checks at its end that standard error has no traceback.
    with served("--shape", "dumbbell:2") as address:
        host = address.split("/")[2]
        with socket.create_connection(("127.0.0.1", int(host.partition(":")[2])), 10) as connection:
            connection.sendall(
                f"POST / HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".encode()
            )
            while connection.recv(4096):
                pass
        assert status(address)[0] == 200


def test_an_internal_error_ends_neither_the_page_nor_the_network(
    session: Session, monkeypatch: pytest.MonkeyPatch
):
    need_page()
    import uvicorn
    from websockets.sync.client import connect

    from weir.ui.server import Service

    def fail(*_: object) -> None:
        raise KeyError("wrong")

    service = Service(session)
    root, _, query = service.url.partition("/?")
    server = uvicorn.Server(uvicorn.Config(service.app(), log_config=None, ws="websockets-sansio"))
    serving = threading.Thread(target=server.run, args=([service._socket],))
    serving.start()
    try:
        with connect(f"{root.replace('http', 'ws', 1)}/socket?{query}", origin=root) as page:  # type: ignore[arg-type]

            def read(kind: str, member: str) -> str:
                while True:
                    message = json.loads(page.recv(10))
                    if message["type"] == kind and message[member]:
                        return str(message[member])

            bug = "internal error: KeyError: 'wrong' (a bug in Weir"
            monkeypatch.setattr(session, "step", fail)
            page.send(json.dumps({"type": "step", "by": "event"}))
            assert read("refused", "message").startswith(bug)
            monkeypatch.setattr(session, "tick", fail)
            assert read("state", "error").startswith(bug) and not session.playing
            monkeypatch.undo()
            page.send(json.dumps({"type": "go", "time_ns": 1000}))
            assert read("state", "now_ns") == "1000"
    finally:
        server.should_exit = True
        serving.join()


def test_a_port_in_use_is_an_error(address: str):
    port = address.split(":")[2].partition("/")[0]
    code, _, error = call("ui", "--port", port)
    assert code == 1 and error.endswith(
        f"port {port} of 127.0.0.1: Address already in use; leave out --port for a free one\n"
    )


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    from weir.ui import server

    need_page()
    monkeypatch.setattr(server, "PAGE", tmp_path)
    with pytest.raises(weir.WeirError, match="is not built: run make build"):
        server.check_installed()
    monkeypatch.setitem(sys.modules, "starlette", None)
    with pytest.raises(weir.MissingExtraError, match=r"starlette, .* pip install 'p4weir\[ui\]'"):
        server.check_installed()


def test_arguments(tmp_path: Path):
    need_page()
    assert "no such file" in call("ui", "none.json")[2]
    alone = tmp_path / "alone.json"
    alone.write_text('{"hosts": {"h1": {"ip": "10.0.0.1/24"}}, "switches": {}, "links": []}')
    assert "the topology has no links" in call("ui", alone)[2]
    assert call("ui", str(NET / "router.p4"), "--p4", str(NET / "router.p4"))[0] == 2
    with served("nat") as found:
        assert status(found)[0] == 200
    with served(NET / "router.p4") as found:
        assert status(found)[0] == 200
