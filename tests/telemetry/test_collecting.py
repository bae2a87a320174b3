"""Collectors: on a host of a virtual network, and at a UDP port of this computer."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest
from handmade_reports import path_report

import weir
from weir.telemetry import Collector, Listener, Store
from weir_labs.int.chain import PORT_REPORT, chain, program, watch_entry

FROM_H1 = {"hdr.packet.ipv4.srcAddr": ["10.0.1.1", "255.255.255.255"]}


@pytest.mark.parametrize("mode", ["embed_data", "export_data"])
def test_a_store_has_what_a_collector_saw(mode: str, tmp_path: Path) -> None:
    """The results of two equal runs, one with each kind of collector."""
    parameters = {"max_hops": 8, "discard": 0, "by_port": 1} if mode == "embed_data" else {}
    watch = [watch_entry(mode, 0xF000, FROM_H1, **parameters)]

    def run(collector: Collector) -> Collector:
        with weir.Network(chain(3, watch=watch), program()) as net:
            net.host("h3").run(collector, udp=PORT_REPORT)
            net.host("h1").iperf("h2", udp=True, rate="5Mbit", length="900B", duration="50ms")
            net.host("h1").run(weir.HostProgram(), udp=9).send_udp("h3", PORT_REPORT, b"no report")
            net.run_for("20ms")
            collector.stop()
        return collector

    seen, store = run(Collector()), Store(tmp_path / "run")
    kept = run(Collector(store, batch=7))
    assert not kept.reports and not kept.bad and store.batches > 5
    rows = store.sql("SELECT time_ns, node, sequence, bytes FROM reports ORDER BY report")
    assert [tuple(row.values())[:3] for row in rows] == [
        (time_ns, report.node, report.sequence) for time_ns, report in seen.reports
    ]
    # Switches in mode XD do not report what is addressed to the collector.
    both = mode == "embed_data"
    assert {row["bytes"] for row in rows} == {928, *([37] if both else [])} and len(rows) > 30
    assert [(row["time_ns"], row["reason"]) for row in store.sql("SELECT * FROM bad")] == seen.bad
    assert store.paths()["path"] == ["1-2-3"] * (2 if both else 1)
    assert store.losses()["lost"] == [0] * (1 if both else 3)


def received(listener: Listener, count: int) -> tuple[list[bytes], list[int]]:
    """Takes this many datagrams, which must arrive soon."""
    deadline = time.monotonic() + 10
    while listener.waiting < count:
        assert time.monotonic() < deadline, f"{listener.waiting} of {count} datagrams have arrived"
        time.sleep(0.005)
    return listener.take()


@pytest.mark.parametrize(
    ("address", "shown"), [("127.0.0.1:0", "127.0.0.1:"), ("[::1]:0", "[::1]:"), ("localhost:0", "")]
)
def test_a_listener_receives(address: str, shown: str) -> None:
    if address.startswith("[") and not socket.has_ipv6:
        pytest.skip("this system has no IPv6")
    payloads = [path_report([1, 2], sequence=number) for number in range(200)] + [b"", b"x" * 9000]
    before = time.time_ns()
    with Listener(address) as listener:
        assert listener.address.startswith(shown)
        host, _, port = listener.address.rpartition(":")
        family = socket.AF_INET6 if "[" in host else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as sender:
            for payload in payloads:
                sender.sendto(payload, (host.strip("[]"), int(port)))
        payloads_received, times = received(listener, len(payloads))
        assert listener.dropped == 0
    assert payloads_received == payloads and times == sorted(times)
    assert before <= times[0] and times[-1] <= time.time_ns()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("6000", '"6000": expected HOST:PORT such as 127.0.0.1:6000'),
        ("127.0.0.1:", "expected HOST:PORT"),
        ("127.0.0.1:70000", "expected HOST:PORT"),
        ("127.0.0.1:+80", "expected HOST:PORT"),
        ("192.0.2.1:6000", "cannot listen at 192.0.2.1:6000: Cannot assign requested address"),
    ],
)
def test_wrong_addresses_are_reported(address: str, message: str) -> None:
    with pytest.raises(weir.NetworkError, match=message):
        Listener(address)


def test_a_port_in_use_is_reported() -> None:
    with (
        Listener("127.0.0.1:0") as listener,
        pytest.raises(weir.NetworkError, match="Address already in use"),
    ):
        Listener(listener.address)
