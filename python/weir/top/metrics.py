"""Reads the metrics that a switch serves at ``/metrics``, and computes rates from two readings."""

from __future__ import annotations

import re
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any

from weir.errors import WeirError, quote
from weir.text.digits import whole_number

_TIMEOUT_S = 5.0
"""The maximum time in seconds that a switch may be silent, or take for its whole answer."""

_MAX_BYTES = 16 << 20
"""The maximum size of an answer in bytes. A switch with 256 ports sends 0.1 MB."""

_MAX_COUNT = float(1 << 64)
"""The largest absolute value that is read. Switches count with 64 bits; rates and sums of larger
values might be infinite or NaN."""

_LINE = re.compile(r"(?P<name>[a-zA-Z_:][\w:]*)(?:\{(?P<labels>.*)\})? (?P<value>\S+)(?: \S+)?")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(.)")

Labels = tuple[tuple[str, str], ...]
"""The labels of a value, as pairs of name and value in the order in which the switch serves
them."""


@dataclass(frozen=True)
class Metrics:
    """The metrics of a switch at one time.

    Attributes:
        time_s: the time at which they were read, in seconds of the monotonic clock.
        values: the values of each metric, by name without ``weir_`` and ``_total``, and by labels.
    """

    time_s: float
    values: dict[str, dict[Labels, float]] = field(default_factory=dict)

    def values_of(self, name: str) -> dict[Labels, float]:
        """Returns the values of a metric, by labels; empty if the switch does not serve the
        metric."""
        return self.values.get(name, {})

    def rates(self, name: str, before: Metrics | None) -> dict[Labels, float]:
        """Computes the increase of a counter per second since an earlier reading.

        The rate is 0 without an earlier reading, and for counters that restarted in between.
        """
        now = self.values_of(name)
        if before is None or self.time_s <= before.time_s:
            return dict.fromkeys(now, 0.0)
        then, seconds = before.values_of(name), self.time_s - before.time_s
        return {labels: max(value - then.get(labels, 0.0), 0.0) / seconds for labels, value in now.items()}


def url_of(address: str) -> str:
    """Returns the URL of the metrics at an address: ``IP:PORT``, ``PORT``, or a complete URL."""
    if "://" not in address:
        address = address if whole_number(address) is None else f"127.0.0.1:{address}"
        address = f"http://{address}"
    return address if address.count("/") > 2 else f"{address}/metrics"


def read(address: str) -> Metrics:
    """Reads the metrics that a switch serves now.

    Args:
        address: the address, as in ``weir switch --metrics``: ``IP:PORT``, ``PORT`` of this
            computer, or a URL.

    Raises:
        WeirError: nothing answers at the address, or the answer is not a switch's metrics.
    """
    url = url_of(address)
    if not url.startswith(("http://", "https://")) or not _has_host(url):
        raise WeirError(f"{quote(address)} is not an address: expected IP:PORT or http://IP:PORT")
    if not _has_port(url):
        raise WeirError(f"{quote(address)} is not an address: expected a port from 1 to 65535")
    deadline = _Deadline()
    try:
        with deadline, _opener(deadline).open(url, timeout=_TIMEOUT_S) as answer:
            text = read_answer(answer).decode("utf-8", "replace")
            if deadline.has_passed:
                raise ValueError("the deadline ended the connection")
    except urllib.error.HTTPError as e:
        raise WeirError(f"{url} answers {e.code} {e.reason}: no switch serves metrics there") from None
    except (OSError, HTTPException, ValueError, OverflowError) as e:
        reason = getattr(e, "reason", e)
        if deadline.has_passed:
            reason = f"the answer takes more than {_TIMEOUT_S:g} s"
        message = getattr(reason, "strerror", None) or reason
        raise WeirError(
            f"cannot read {url}: {message}; a switch serves metrics if it runs with --metrics 127.0.0.1:9100"
        ) from None
    metrics = parse(text, time.monotonic())
    if "passes" not in metrics.values:
        raise WeirError(f"{url} answers, but not with the metrics of weir switch")
    return metrics


def _has_host(url: str) -> bool:
    try:
        return bool(urllib.parse.urlsplit(url).hostname)
    except ValueError:
        return False


def _has_port(url: str) -> bool:
    """Returns whether the port of a URL, or the usual port if the URL has none, can exist."""
    try:
        return urllib.parse.urlsplit(url).port != 0
    except ValueError:
        return False


class _Deadline:
    """Ends all connections of a block when its time is over, whatever the other side does.

    A timeout of a socket starts again with each byte.
    """

    def __init__(self) -> None:
        self.has_passed = False
        self._timer = threading.Timer(_TIMEOUT_S, self._end)
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []

    def connect(self, *arguments: Any, **options: Any) -> socket.socket:
        """Connects as :func:`socket.create_connection` does."""
        connected = socket.create_connection(*arguments, **options)
        with self._lock:
            # TLS takes the socket over, so that only a copy of it stays usable.
            self._sockets.append(connected.dup())
        if self.has_passed:
            self._end()
        return connected

    def _end(self) -> None:
        self.has_passed = True
        with self._lock:
            for sock in self._sockets:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> None:
        self._timer.daemon = True
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            for sock in self._sockets:
                sock.close()
            self._sockets.clear()


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Makes a redirect an error, because the user named this server only."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _opener(deadline: _Deadline) -> urllib.request.OpenerDirector:
    """Creates an opener whose connections end at the deadline, and which follows no redirects."""

    def bounded(kind: type[HTTPConnection]) -> Callable[..., HTTPConnection]:
        def create(host: str, **options: Any) -> HTTPConnection:
            connection = kind(host, **options)
            connection._create_connection = deadline.connect  # type: ignore[attr-defined]
            return connection

        return create

    class Http(urllib.request.HTTPHandler):
        def http_open(self, request: urllib.request.Request) -> HTTPResponse:
            return self.do_open(bounded(HTTPConnection), request)

    class Https(urllib.request.HTTPSHandler):
        def https_open(self, request: urllib.request.Request) -> HTTPResponse:
            return self.do_open(bounded(HTTPSConnection), request)

    return urllib.request.build_opener(Http, Https, _NoRedirects)


def read_answer(answer: HTTPResponse) -> bytes:
    """Reads an answer.

    Raises:
        ValueError: the answer is too large.
    """
    body = bytearray()
    while part := answer.read1(1 << 16):
        body += part
        if len(body) > _MAX_BYTES:
            raise ValueError(f"the answer has more than {_MAX_BYTES >> 20} MiB")
    return bytes(body)


def parse(text: str, time_s: float) -> Metrics:
    """Reads metrics in Prometheus's text format (OpenMetrics 1.0).

    Lines that are not metrics with a number of at most 64 bits are left out.
    """
    metrics = Metrics(time_s)
    for line in text.splitlines():
        if line.startswith("#") or not (match := _LINE.fullmatch(line)):
            continue
        name = match["name"].removeprefix("weir_").removesuffix("_total")
        labels = tuple(
            (label, _ESCAPE.sub(lambda escape: {"n": "\n"}.get(escape[1], escape[1]), value))
            for label, value in _LABEL.findall(match["labels"] or "")
        )
        try:
            value = float(match["value"])
        except ValueError:
            continue
        if abs(value) <= _MAX_COUNT:
            metrics.values.setdefault(name, {})[labels] = value
    return metrics
