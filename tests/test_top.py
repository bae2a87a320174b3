"""``weir top``: its tables from a switch's metrics."""

import http.server
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from rich.console import Console

from command import weir
from weir.errors import WeirError
from weir.top.metrics import Metrics, parse, read, url_of
from weir.top.view import tables

PAGE = """# HELP weir_port_received_packets Packets received by a port.
# TYPE weir_port_received_packets counter
weir_port_received_packets_total{{switch="s1",port="1"}} {packets}
weir_port_received_packets_total{{switch="s1",port="10"}} 0
weir_port_received_packets_total{{switch="core",port="2"}} 7
weir_port_received_bytes_total{{switch="s1",port="1"}} {packets}00
weir_port_dropped_frames_total{{switch="s1",port="1",direction="in",reason="receive memory full"}} 5
weir_dropped_packets_total{{switch="s1",place="ingress",reason="a \\"quoted\\" reason"}} 3
weir_passes_total{{switch="s1"}} {packets}
weir_passes_total{{switch="core"}} 1
weir_table_entries{{switch="s1",table="MyIngress.routes"}} 12345
weir_worker_cpu_seconds_total{{worker="0"}} {packets}e-3
# EOF
"""


@contextmanager
def serving(*pages: str) -> Iterator[str]:
    """Serves these pages one after the other, the last one repeatedly; returns the address."""
    left = list(pages)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/metrics" else 404)
            self.end_headers()
            self.wfile.write((left.pop(0) if len(left) > 1 else left[0]).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def test_rates_are_those_between_two_looks():
    before, now = (parse(PAGE.format(packets=packets), time) for packets, time in ((100, 1.0), (700, 3.0)))
    rates = now.rates("port_received_packets", before)
    assert rates[(("switch", "s1"), ("port", "1"))] == 300
    assert rates[(("switch", "s1"), ("port", "10"))] == 0
    # A switch that was started again counts from 0.
    earlier = Metrics(0.5, now.values)
    assert before.rates("port_received_packets", earlier)[(("switch", "s1"), ("port", "1"))] == 0
    (drop,) = now.values_of("dropped_packets")
    assert dict(drop)["reason"] == 'a "quoted" reason'


def test_tables_are_printed_once_in_a_pipe():
    with serving(PAGE.format(packets=100), PAGE.format(packets=200)) as address:
        code, out, err = weir("top", address, "--interval", "0.1")
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    ports = [line[:2] for line in lines if len(line) > 1 and line[0] in ("s1", "core")]
    assert ports[:3] == [["core", "2"], ["s1", "1"], ["s1", "10"]]
    for expected in ('a "quoted" reason', "port 1, in", "receive memory full", "MyIngress.routes", "12,345"):
        assert expected in out, out
    with serving(PAGE.format(packets=100)) as address:
        assert (
            "MyIngress.routes"
            not in weir("top", address, "--once", "--interval", "0.1", "--switch", "core")[1]
        )
        code, _, err = weir("top", address, "--once", "--switch", "coer")
        assert (code, 'did you mean "core"?' in err) == (1, True), err


def test_primaries_fit_80_columns():
    def shown(page: str) -> str:
        console = Console(width=80, file=io.StringIO(), force_terminal=False)
        with console.capture() as capture:
            console.print(*tables(parse(page, 1.0), None))
        text = capture.get()
        assert max(map(len, text.splitlines())) <= 80, text
        return text

    primary = 'weir_p4runtime_primaries{{switch="s1",role="{}",address="{}",certificate="{}",election_id="{}"}} {}\n'
    page = 'weir_passes_total{switch="s1"} 1\n'
    page += primary.format("", "127.0.0.1:45678", "routing.example.org", 7, 3)
    usual = shown(page)
    assert "(default)" in usual and "routing.example.org" in usual, usual
    page += primary.format("\x1b[31m" + "x" * 256, "[2001:db8::1]:65535", "", 2**128 - 1, 1)
    assert "xxx…" in shown(page) and "\x1b" not in shown(page)
    # Without P4Runtime, there is no table.
    assert len(tables(parse('weir_passes_total{switch="s1"} 1\n', 1.0), None)) == 4


def test_all_tables_fit_60_columns():
    page = PAGE.format(packets=123_456_789).replace("MyIngress.routes", "MyIngress.routes_of_a_tenant")
    for key in ("received", "sent"):
        page += f'weir_port_{key}_bytes_total{{switch="s1",port="511"}} 999999999999\n'
        page += f'weir_port_{key}_packets_total{{switch="s1",port="511"}} 99999999\n'
    before = Metrics(
        0.0, {name: dict.fromkeys(values, 0.0) for name, values in parse(page, 1.0).values.items()}
    )
    console = Console(width=60, file=io.StringIO(), force_terminal=False)
    with console.capture() as capture:
        console.print(*tables(parse(page, 1.0), before, width=60))
    text = capture.get()
    assert max(map(len, text.splitlines())) <= 60, text
    for whole in ("100M", "123.5M", "98.77Gbit", "8Tbit", "12,345", "hits/s"):
        assert whole in text, text
    assert "…" not in text, text


def test_all_names_fit_40_columns():
    page = parse(PAGE.format(packets=5), 1.0)
    console = Console(width=40, file=io.StringIO(), force_terminal=False)
    with console.capture() as capture:
        console.print(*tables(page, None, switch="s1", width=40))
    lines = capture.get().splitlines()
    assert lines[2].split() == ["port", "in/s", "out/s", "/s"], lines
    # Rates are unknown before the second reading.
    assert [line.split() for line in lines[4:6]] == [["1", "–", "–", "–"], ["10", "–", "–", "–"]]
    assert "…" not in capture.get()


def test_addresses_without_metrics_have_a_diagnosis():
    assert [url_of(text) for text in ("9100", "host:1", "http://host:1", "http://host:1/m")] == [
        "http://127.0.0.1:9100/metrics",
        "http://host:1/metrics",
        "http://host:1/metrics",
        "http://host:1/m",
    ]
    for address, expected in (
        ("127.0.0.1:1", "Connection refused; a switch serves metrics if it runs with --metrics"),
        ("no such host:1", "cannot read"),
        ("ftp://host", "is not an address: expected IP:PORT"),
        ("127.0.0.1:99999", "is not an address: expected a port from 1 to 65535"),
        ("99999", "is not an address: expected a port from 1 to 65535"),
        ("127.0.0.1:x", "is not an address: expected a port from 1 to 65535"),
    ):
        with pytest.raises(WeirError, match=expected):
            read(address)
    with serving("hello 1\n") as address:
        with pytest.raises(WeirError, match="not with the metrics of weir switch"):
            read(address)
        with pytest.raises(WeirError, match="answers 404"):
            read(f"http://{address}/other")
    code, out, err = weir("top", "127.0.0.1:1")
    assert (code, out) == (1, "") and err.startswith("error: cannot read")


def test_hostile_answers_have_a_diagnosis(monkeypatch: pytest.MonkeyPatch):
    # Values that are not finite numbers are left out.
    values = parse(
        'weir_passes_total one\nweir_passes_total{a="b"} nan\nweir_up 1e999\nweir_x 2\n', 1.0
    ).values
    assert values == {"x": {(): 2.0}}
    monkeypatch.setattr("weir.top.metrics._MAX_BYTES", 1 << 16)
    with serving("#" * (1 << 20)) as address, pytest.raises(WeirError, match="more than 0 MiB"):
        read(address)
    monkeypatch.setattr("weir.top.metrics._TIMEOUT_S", 0.0)
    monkeypatch.setattr("urllib.request.urlopen", lambda url, timeout: io.BufferedReader(Endless()))
    with pytest.raises(WeirError, match="takes more than 0 s"):
        read("127.0.0.1:1")


class Endless(io.RawIOBase):
    """A byte whenever one is read."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:
        buffer[0] = 35
        return 1


HOSTILE = """weir_passes_total 1
weir_dropped_packets_total{place="ingress"} 5
weir_port_received_packets_total{port="1"} 1e308
weir_port_received_bytes_total{port="1"} -1e308
weir_port_dropped_frames_total 3
weir_table_entries 1.8e19
weir_table_entries{table="t"} 1e400
weir_worker_cpu_seconds_total 1e300
"""


@pytest.mark.parametrize("width", [40, 59, 79, 120])
def test_metrics_that_no_switch_serves_are_shown_or_left_out(width: int):
    """Labels are missing, and numbers have no finite rate."""
    before, now = parse("weir_passes_total 1\n", 1.0), parse(HOSTILE, 1.1)
    out = io.StringIO()
    for table in tables(now, before, width=width):
        Console(file=out, width=width).print(table)
    assert "ingress" in out.getvalue()
    assert all(rate < float("inf") for name in now.values for rate in now.rates(name, before).values())
    assert set(now.values) == {"passes", "dropped_packets", "port_dropped_frames", "table_entries"}
