"""What a sender can make a collector store is bounded."""

from __future__ import annotations

import random
import socket
import time
from pathlib import Path

import pytest
from handmade_reports import path_report

import weir
from weir.cli import main
from weir.hostprogram import HostProgram
from weir.telemetry import Collector, Listener, Store, StoreFullError
from weir.telemetry.inbox import Inbox
from weir.telemetry.senders import Senders


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def junk(count: int, length: int = 60_000) -> list[bytes]:
    chance = random.Random(5)
    return [chance.randbytes(length) for _ in range(count)]


def test_junk_is_counted_and_sampled(tmp_path: Path) -> None:
    store = Store(tmp_path / "run")
    payloads = [*junk(300), *[b"short"] * 50, path_report([1, 2])]
    stored = store.add(payloads, list(range(len(payloads))))
    assert (stored.reports, stored.bad) == (1, 350)
    assert store.overview().bad == 350
    bad = store.bad()
    assert len(bad) == 21 and sum(bad["datagrams"]) == 350 and sum(bad["bytes"]) == 300 * 60_000 + 250
    *samples, others = bad.rows()
    assert all(len(row["payload"]) == 256 and row["bytes"] == 60_000 for row in samples)
    assert others["payload"] == b"" and others["datagrams"] == 330 and others["time_s"] == 349e-9
    assert others["reason"] == "others, of which only the number is stored"
    assert size(store.folder) < 40_000
    store.add([b"short"] * 7, list(range(7)))
    store.compact()
    assert store.overview().bad == 357
    rows = store.bad().rows()[21:]
    # At most five with the same reason.
    assert [row["datagrams"] for row in rows] == [1, 1, 1, 1, 1, 2]
    assert rows[0]["payload"] == b"short" and rows[0]["bytes"] == 5


def batch(number: int) -> tuple[list[bytes], list[int]]:
    chance = random.Random(number)
    payloads = [path_report([1, 2, 3], sequence=chance.randrange(1 << 22)) for _ in range(200)]
    return payloads, [chance.randrange(1 << 40) for _ in payloads]


def test_a_full_store_refuses_a_batch(tmp_path: Path) -> None:
    store = Store(tmp_path / "run", limit="100kB")
    with pytest.raises(StoreFullError, match=r"run: is full: the store has its limit of 100kB; allow more"):
        for number in range(200):
            store.add(*batch(number))
    count = store.batches
    assert 3 < count < 199 and size(store.folder) <= 101_000
    assert store.overview().reports == 200 * count
    assert not list(store.folder.glob(".*.partial"))
    # Later batches may add more; and the size of the batches counts.
    assert Store(tmp_path / "run", limit="200kB").add(*batch(1)).number == count


def test_a_full_store_can_forget_the_oldest(tmp_path: Path) -> None:
    store = Store(tmp_path / "run", limit="330kB", when_full="oldest")
    largest = 0
    for number in range(100):
        assert store.add(*batch(number)).number == number
        if number % 10 == 9:
            store.compact()
        largest = max(largest, size(store.folder))
    assert largest < 380_000 and store.batches == 100
    assert 0 < store.removed < 100 and store.check() == []
    rows = store.sql("SELECT DISTINCT report >> 32 AS batch FROM reports ORDER BY batch")
    assert [row["batch"] for row in rows] == list(range(store.removed, 100))
    # Merged folders are small enough that the oldest can go.
    merged = [path for path in store.folder.iterdir() if "-" in path.name]
    assert len(merged) > 1 and max(map(size, merged)) <= 330_000 // 8 + 1000
    with pytest.raises(StoreFullError):
        Store(tmp_path / "run", limit="1kB", when_full="oldest").add(*batch(1))
    assert store.batches == 100


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"limit": "4"}, "limit '4' has no unit"),
        ({"limit": "1kB", "when_full": "newest"}, 'when_full: expected "stop" or "oldest", found \'newest\''),
    ],
)
def test_limits_are_checked(given: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(weir.WeirError, match=message):
        Store(tmp_path / "run", **given)  # type: ignore[arg-type]
    assert Store(tmp_path / "run", limit="unlimited").limit is None


def test_an_inbox_counts_bytes() -> None:
    inbox = Inbox()
    for number in range(10):
        inbox.add(number, bytes(872))
    assert inbox.size == 10_000
    assert inbox.take(most_bytes=3500)[1] == [0, 1, 2] and inbox.size == 7000
    # One at least.
    assert inbox.take(most_bytes=1)[1] == [3]
    assert inbox.take(2)[1] == [4, 5]
    assert inbox.take()[1] == [6, 7, 8, 9] and inbox.size == len(inbox) == 0


def test_a_listener_keeps_a_bounded_number_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weir.telemetry.listener._MAX_BYTES", 1_000_000)
    with Listener("127.0.0.1:0") as listener, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        host, _, port = listener.address.rpartition(":")
        for payload in junk(100, 50_000):
            sender.sendto(payload, (host, int(port)))
        deadline = time.monotonic() + 20
        while listener.waiting_bytes < 1_000_000 and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)
        assert 1_000_000 <= listener.waiting_bytes < 1_060_000
        taken, _ = listener.take()
        assert len(taken) == listener.waiting_bytes // 50_000 + 20 or len(taken) == 20
        while listener.waiting == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert listener.waiting


def test_a_collector_keeps_a_bounded_number_of_bytes(tmp_path: Path) -> None:
    collector = Collector(Store(tmp_path / "run"))
    assert isinstance(collector, HostProgram)
    for number, payload in enumerate(junk(700)):
        collector.on_datagram(_Datagram(number, payload))  # type: ignore[arg-type]
        assert collector._inbox.size <= (32 << 20) + 61_000
    assert Store(tmp_path / "run").batches == 1


class _Datagram:
    def __init__(self, time_ns: int, payload: bytes) -> None:
        self.time_ns, self.payload = time_ns, payload


@pytest.mark.parametrize(
    ("allowed", "host", "accepted"),
    [
        (["10.0.0.0/8"], "10.1.2.3", True),
        (["10.0.0.0/8"], "11.1.2.3", False),
        (["10.0.1.1", "192.0.2.0/24"], "192.0.2.9", True),
        (["10.0.1.1"], "::ffff:10.0.1.1", True),
        (["10.0.1.1"], "::10.0.1.1", False),
        (["fe80::/10"], "fe80::1%eth0", True),
        (["2001:db8::/32"], "10.0.1.1", False),
    ],
)
def test_only_allowed_senders_are_accepted(allowed: list[str], host: str, accepted: bool) -> None:
    senders = Senders(allowed)
    assert bool(senders) and senders.accepts(host) is accepted
    assert str(senders) == ", ".join(one if "/" in one else f"{one}/32" for one in allowed)


@pytest.mark.parametrize("text", ["10.0.0.1/8", "h1", "", "10.0.0.0/33"])
def test_wrong_senders_are_refused(text: str) -> None:
    with pytest.raises(weir.NetworkError, match=r"expected an address or a network such as 10\.0\.0\.0/8"):
        Listener("127.0.0.1:0", senders=[text])
    assert not Senders([]) and str(Senders([])) == "any sender"


def test_other_senders_are_counted_and_not_kept() -> None:
    with Listener("127.0.0.1:0", senders=["127.0.0.2"]) as listener:
        host, _, port = listener.address.rpartition(":")
        for source, payloads in (("127.0.0.3", [b"a", b"b"]), ("127.0.0.2", [b"c"]), ("127.0.0.1", [b"d"])):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
                sender.bind((source, 0))
                for payload in payloads:
                    sender.sendto(payload, (host, int(port)))
        deadline = time.monotonic() + 20
        while (listener.waiting, listener.refused) != (1, 3) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert listener.refused == 3 and listener.take()[0] == [b"c"]


def free_address() -> str:
    with Listener("127.0.0.1:0") as free:
        return free.address


def test_listen_says_its_limit_and_ends_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address, folder = free_address(), tmp_path / "run"
    stop = _Flood(address)
    try:
        arguments = ["--udp", address, "--store", str(folder), "--limit", "20kB", "--every", "10ms"]
        code = main(["telemetry", "listen", *arguments, "--for", "60s", "--sender", "127.0.0.0/8"])
    finally:
        stop.end()
    out, err = capsys.readouterr()
    assert code == 1, out + err
    assert f"listening at {address} to 127.0.0.0/8, storing in {folder}, at most 20kB, " in err
    assert "then no more are stored; Ctrl-C stops it" in err
    assert f"error: {folder}: is full: the store has its limit of 20kB" in err
    assert " reports in " in out and size(folder) < 21_000
    assert Store(folder).check() == []


class _Flood:
    """Sends reports and junk until it is ended, at most 5000 datagrams."""

    def __init__(self, address: str) -> None:
        import threading

        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._send, args=(address,))
        self._thread.start()

    def _send(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        payloads = [*batch(1)[0][:20], *junk(2)]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for number in range(5000):
                sender.sendto(payloads[number % len(payloads)], (host, int(port)))
                if self._stop.wait(0.002):
                    return

    def end(self) -> None:
        self._stop.set()
        self._thread.join()


def test_listen_checks_an_earlier_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = Store(tmp_path / "run")
    store.add(*batch(1))
    path = store.folder / "000000000" / "hops.parquet"
    path.write_bytes(b"PAR1")
    arguments = ["--udp", "127.0.0.1:0", "--store", str(store.folder), "--for", "1s"]
    assert main(["telemetry", "listen", *arguments]) == 1
    assert f"{path}: is damaged: it has 4 bytes" in capsys.readouterr().err
