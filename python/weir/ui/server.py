"""The server of the page: files and a WebSocket, on loopback and for one page address only."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import secrets
import socket
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from weir.errors import CommandError, MissingExtraError, WeirError
from weir.ui.messages import MAX_CHARACTERS, answer
from weir.ui.page_state import PageState
from weir.ui.view import network_view

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
    from starlette.websockets import WebSocket

    from weir.ui.session import Session

PAGE: Final = Path(__file__).parent / "page"
"""The folder of the built page."""

_LOOPBACK: Final = "127.0.0.1"

_TICK_S: Final = 0.05
"""The time in seconds between two states of a network that plays."""

_BACKLOG: Final = 100
"""The number of connections that may wait until the server accepts them."""

_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


def check_installed() -> None:
    """Checks that the libraries and the page are there.

    Raises:
        MissingExtraError: a library of the extra ``ui`` is not installed.
        CommandError: the page has not been built.
    """
    for library in ("starlette", "uvicorn", "websockets"):
        try:
            __import__(library)
        except ModuleNotFoundError:
            raise MissingExtraError("pages in the browser", library, "ui") from None
    if not (PAGE / "index.html").is_file():
        raise CommandError(
            "the page of weir ui is not built: run make build, with Node.js 20.19 or newer on the PATH, "
            "or install a wheel of p4weir, which has the page"
        )


class Service:
    """The service of one session.

    Args:
        session: the session, which the service closes at its end.
        port: the port at 127.0.0.1; 0 for a free one.

    Attributes:
        token: the secret in the page's address.
        url: the page's address.
    """

    def __init__(self, session: Session, port: int = 0) -> None:
        self._session = session
        self._changed: set[asyncio.Event] = set()
        self.token = secrets.token_urlsafe(24)
        self._socket = _listen(port)
        self._port = self._socket.getsockname()[1]
        self.url = f"http://{_LOOPBACK}:{self._port}/?token={self.token}"

    def run(self) -> None:
        """Serves the page until Ctrl-C."""
        import uvicorn

        _silence_libraries()
        config = uvicorn.Config(
            self.app(),
            log_config=None,
            access_log=False,
            server_header=False,
            ws="websockets-sansio",
            ws_max_size=4 * MAX_CHARACTERS,
            timeout_graceful_shutdown=1,
            backlog=_BACKLOG,
        )
        with suppress(KeyboardInterrupt), self._socket:
            uvicorn.Server(config).run([self._socket])

    def app(self) -> Starlette:
        """Creates the application, which runs the network while it is served."""
        from starlette.applications import Starlette
        from starlette.middleware import Middleware
        from starlette.routing import Mount, Route, WebSocketRoute
        from starlette.staticfiles import StaticFiles

        return Starlette(
            routes=[
                Route("/", self._index),
                WebSocketRoute("/socket", self._serve),
                Mount("/assets", StaticFiles(directory=PAGE / "assets")),
            ],
            middleware=[Middleware(_Guard, port=self._port, token=self.token)],
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        running = asyncio.create_task(self._run_network())
        try:
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            self._session.close()

    async def _run_network(self) -> None:
        last = monotonic()
        while True:
            # While the network runs to a chosen time, only messages interrupt it.
            await asyncio.sleep(0 if self._session.is_rerun else _TICK_S)
            now = monotonic()
            before = self._session.now_ns
            error = self._session.error
            try:
                self._session.tick(now - last)
            except Exception as bug:
                self._session.pause()
                self._session.error = _describe(bug)
            last = now
            if self._session.now_ns != before or self._session.error != error:
                self._announce()

    def _announce(self) -> None:
        for changed in self._changed:
            changed.set()

    async def _index(self, _: Request) -> Response:
        from starlette.responses import FileResponse

        return FileResponse(PAGE / "index.html")

    async def _serve(self, page: WebSocket) -> None:
        """Serves one page: sends states, and does what the page asks for."""
        from starlette.websockets import WebSocketDisconnect

        await page.accept()
        changed = asyncio.Event()
        self._changed.add(changed)
        changed.set()
        sending = asyncio.create_task(self._send_states(page, changed))
        try:
            while True:
                text = await page.receive_text()
                reply: dict[str, Any] | None
                try:
                    if len(text) > MAX_CHARACTERS:
                        raise CommandError(f"a message has at most {MAX_CHARACTERS} characters")
                    reply = answer(self._session, text)
                except WeirError as error:
                    reply = {"type": "refused", "message": str(error)}
                except Exception as bug:
                    reply = {"type": "refused", "message": _describe(bug)}
                if reply is not None:
                    await page.send_text(json.dumps(reply))
                self._announce()
        except (WebSocketDisconnect, KeyError):  # A binary message has no text.
            pass
        finally:
            self._changed.discard(changed)
            sending.cancel()
            with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
                await sending

    async def _send_states(self, page: WebSocket, changed: asyncio.Event) -> None:
        """Sends the newest state after each change; a slow page skips states, but no text."""
        state = PageState(self._session)
        await page.send_text(json.dumps({"type": "network", **network_view(self._session.network)}))
        while True:
            await changed.wait()
            changed.clear()
            await page.send_text(json.dumps(state.next()))
            await asyncio.sleep(_TICK_S / 2)


def _silence_libraries() -> None:
    """Keeps the logs of the server's libraries from the terminal, where any process of this
    computer could write tracebacks with broken requests."""
    if not os.environ.get("WEIR_DEBUG"):
        for name in ("asyncio", "uvicorn"):
            logging.getLogger(name).addHandler(logging.NullHandler())


def _describe(bug: Exception) -> str:
    """Describes an exception that only a mistake in Weir can cause."""
    if os.environ.get("WEIR_DEBUG"):
        logging.getLogger(__name__).error("internal error", exc_info=bug)
    return (
        f"internal error: {type(bug).__name__}: {bug} (a bug in Weir, please report it; WEIR_DEBUG=1 "
        "shows where)"
    )


def _listen(port: int) -> socket.socket:
    listening = socket.socket()
    try:
        listening.bind((_LOOPBACK, port))
    except OSError as error:
        listening.close()
        raise CommandError(
            f"port {port} of {_LOOPBACK}: {error.strerror}; leave out --port for a free one"
        ) from None
    listening.listen()
    return listening


class _Guard:
    """Lets only the page itself in: it checks the host, the origin and the token of each request.

    A name that resolves to loopback has another host (DNS rebinding), and another site's page has
    another origin. The files in ``/assets`` are public, so they need no token.

    Args:
        app: the application behind the guard.
        port: the service's port.
        token: the secret in the page's address.
    """

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app, self._token = app, token.encode()
        self._hosts = [f"{name}:{port}".encode() for name in (_LOOPBACK, "localhost")]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuses a request, or passes it on and adds headers to its answer."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        reason = self._refusal(scope)
        if reason:
            await _refuse(scope, receive, send, reason)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> str:
        """Returns why a request is refused; empty if it is not."""
        headers = [(name.lower(), value) for name, value in scope["headers"]]
        hosts = [value for name, value in headers if name == b"host"]
        origins = [value for name, value in headers if name == b"origin"]
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return "the address of the page begins with http://127.0.0.1"
        if any(origin != b"http://" + hosts[0] for origin in origins):
            return "another site must not use this page"
        if scope["type"] == "websocket" and not origins:
            return "only the page itself may connect"
        if scope["path"].startswith("/assets/"):
            return ""
        given = [part[6:] for part in scope["query_string"].split(b"&") if part.startswith(b"token=")]
        if len(given) != 1 or not hmac.compare_digest(given[0], self._token):
            return "use the whole address that weir ui printed, with its token"
        return ""


async def _refuse(scope: Scope, receive: Receive, send: Send, reason: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": reason})
        return
    from starlette.responses import PlainTextResponse

    await PlainTextResponse(f"Refused: {reason}.\n", 403, _HEADERS)(scope, receive, send)
