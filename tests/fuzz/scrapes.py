"""Any bytes as a server's answer with metrics: an error, or tables without control characters."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse

from weir.top.metrics import parse, read_answer
from weir.top.summary import summary
from weir.top.view import tables

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class _Connection:
    """A connection on which the answer has already arrived."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, *_: object) -> io.BytesIO:
        return io.BytesIO(self._data)


def run(data: bytes) -> None:
    """Reads an answer with its HTTP header, or text without one, and shows the metrics."""
    content = data[1:]
    if content.startswith(b"HTTP/"):
        answer = HTTPResponse(_Connection(content))  # type: ignore[arg-type]
        try:
            answer.begin()
            content = read_answer(answer)
        except (OSError, HTTPException, ValueError, OverflowError):
            return  # `weir top` expects these errors.
    text = content.decode("utf-8", "replace")
    before, now = parse(text[: len(text) // 2], 1.0), parse(text, 1.1)
    json.dumps(summary(now, before), allow_nan=False)
    for table in tables(now, before, width=data[0] if data else 0):
        for cell in (cell for column in table.columns for cell in column.cells):
            assert not _CONTROL.search(str(cell)), cell


def seeds() -> Iterator[bytes]:
    """Yields what switches serve; the first byte is the width of the terminal."""
    page = "".join(
        f"weir_{name}{{{labels}}} {value}\n"
        for name, labels, value in (
            ("passes_total", 'switch="s1"', 7),
            ("port_received_packets_total", 'switch="s1",port="1"', "1e6"),
            ("port_received_bytes_total", 'switch="s1",port="1"', 64),
            ("port_sent_packets_total", 'port="1"', 0.5),
            ("port_dropped_frames_total", 'port="1",direction="in",reason="full"', 5),
            ("dropped_packets_total", 'place="ingress",reason="a \\"quoted\\" reason"', 3),
            ("table_entries", 'table="MyIngress.routes"', 12345),
            ("table_hits_total", 'table="MyIngress.routes"', 9),
            ("p4runtime_primaries", 'role="r",certificate="c",address="a",election_id="5"', 1),
            ("worker_cpu_seconds_total", 'worker="0"', "1e-3"),
        )
    ).encode()
    yield b"P" + page
    yield b"PHTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(page) + page
    chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (len(page), page)
    yield b"PHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked
    yield b"PHTTP/1.1 404 Not Found\r\n\r\n"
