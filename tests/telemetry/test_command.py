"""``weir telemetry``: its output, its refusals, and the store after a kill."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from handmade_reports import group, individual, ipv4, path_report

from weir.cli import main
from weir.telemetry import Listener, Store

WEIR = Path(sys.executable).with_name("weir")
INT = Path(__file__).parents[2] / "labs" / "weir_labs" / "int"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with two flows in a queue, a burst, a gap, and a datagram that is not a report."""
    folder = tmp_path_factory.mktemp("telemetry") / "run1"
    payloads = [
        path_report(
            [1, 2],
            sequence=number + (number > 20),
            ports=(4000 + number % 3 // 2, 5000),
            queues=[0, number % 10],
        )
        for number in range(40)
    ]
    Store(folder).add([*payloads, b"no report"], [100_000 * number for number in range(41)])
    return str(folder)


def run(*args: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Calls the command in this process."""
    code = main(["telemetry", *args])
    out, err = capsys.readouterr()
    return code, out, err


ANSWERS = {
    "show": "reports         40 in 40 datagrams and 1 batches\nbad datagrams   1\nnodes           1, 2\nflows           2\n",
    "paths": "flow                               path   start_s     end_s  reports  complete\n"
    "udp 10.0.1.1:4000 > 10.0.2.2:5000  1-2   0.000000  0.003900       27  yes\n",
    "latencies": "node  reports  mean_us  p50_us  p90_us  p99_us  max_us\n   1       40      1.0     1.0     1.0     1.0       1\n",
    "queues": "node  port  queue    time_s  reports  mean_packets  max_packets\n   1     2      0  0.000000       40         0.000            0\n",
    "shared": "  flow                               packets  bytes  share  mean_packets  max_packets  aggressor\n"
    "node 1 port 2:\n  udp 10.0.1.1:4000 > 10.0.2.2:5000       27    756  0.675         0.000            0  yes\n",
    "bursts": "node  port  queue   start_s  duration_us  max_packets  packets  flow\n"
    "   2     2      0  0.000700        300.0            9        3  udp 10.0.1.1:4000 > 10.0.2.2:5000\n",
    "losses": "node  hw_id  datagrams  lost  late  duplicates  restarts\n   2      0         40     1     0           0         0\n",
    "bad": "  time_s  datagrams  bytes  reason                                                        payload\n"
    "0.004000          1      9  a telemetry report has at least 12 bytes, found 9  6e6f207265706f7274\n",
}


@pytest.mark.parametrize("question", ANSWERS)
def test_questions_are_answered(question: str, store: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--threshold", "7"] if question == "bursts" else []
    code, out, err = run(question, store, *options, capsys=capsys)
    assert (code, err) == (0, "") and out.startswith(ANSWERS[question]), out


def test_answers_in_other_forms(store: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    csv, plot = str(tmp_path / "a.csv"), str(tmp_path / "a.png")
    code, out, _ = run(
        "latencies", store, "--node", "2", "--json", "--csv", csv, "--plot", plot, capsys=capsys
    )
    assert code == 0 and [row["node"] for row in json.loads(out)] == [2]
    assert len(Path(csv).read_text().splitlines()) == 2 and Path(plot).stat().st_size > 5000
    assert json.loads(run("bad", store, "--json", capsys=capsys)[1])[0]["payload"] == b"no report".hex()
    assert run("bursts", store, "--threshold", "99", capsys=capsys)[1] == "no microbursts\n"
    out = run("queues", store, "--interval", "100us", "--rows", "1", capsys=capsys)[1]
    assert out.splitlines()[2:] == ["and 79 more: --rows 0 prints all, --csv FILE writes them"]
    out = run("losses", store, "--gaps", capsys=capsys)[1]
    assert out.splitlines()[1].split() == ["2", "0", "0.002100", "21", "1"]
    out = run(
        "latencies", store, "--by-flow", "--flow", "*:4001 > *", "--from", "1ms", "--to", "2ms", capsys=capsys
    )[1]
    assert [line.split()[-6] for line in out.splitlines()[1:]] == ["3", "3"]


def test_sql_and_exports(store: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    query = "SELECT node, max(queue_packets) AS most FROM hops GROUP BY node ORDER BY node"
    assert run("sql", store, query, capsys=capsys)[1] == "node  most\n1     0\n2     9\n"
    out = run("export", store, str(tmp_path / "tables"), capsys=capsys)[1]
    assert [Path(line).name for line in out.splitlines()] == [
        "reports.parquet",
        "hops.parquet",
        "bad.parquet",
    ]
    assert run("compact", store, capsys=capsys)[:2] == (0, "")


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["paths", "nowhere"], 1, "error: nowhere: no telemetry store: there is no file store.json in it; `weir telemetry listen --store DIR` creates one"),
        (["path", "STORE"], 2, 'There is no command "path". Did you mean "paths"?'),
        (["paths", "STORE", "--flow", "a b c"], 1, 'error: "a b c" is not a flow: expected something like "udp'),
        (["paths", "STORE", "--from", "3"], 1, "error: --from '3' has no unit"),
        (["queues", "STORE", "--interval", "fast"], 1, "error: cannot read interval 'fast'"),
        (["bursts", "STORE"], 2, "Missing option '--threshold'"),
        (["latencies", "STORE", "--plot", "a.doc"], 1, "error: a.doc: a plot cannot be written as '.doc'"),
        (["sql", "STORE", "SELECT x FROM hops"], 1, 'Binder Error: Referenced column "x" not found'),
        (["listen", "--udp", "6000", "--store", "NEW"], 1, 'error: "6000": expected HOST:PORT'),
        (["listen", "--udp", "127.0.0.1:0", "--store", "NEW", "--for", "3"], 1, "error: --for '3' has no unit"),
        (["listen", "--udp", "127.0.0.1:0", "--store", "FILE"], 1, "cannot be written"),
        (["live"], 2, "Give either a TOPOLOGY or --udp HOST:PORT."),
        (["live", "--udp", ":0", "-c", "h1 ping h2"], 2, "--collector and -c are only for a TOPOLOGY."),
        (["live", "t.json"], 2, "A TOPOLOGY needs --collector HOST:PORT, and -c COMMAND or --for TIME."),
        (["live", "t.json", "--for", "1s", "--collector", "h3"], 2, '"h3": expected HOST:PORT, such as h3:6000'),
        (["live", str(INT / "topology.json"), "--p4", str(INT / "int.p4"), "--for", "1ms", "--collector", "h8:6000"], 1, 'there is no host "h8"'),
    ],
)  # fmt: skip
def test_mistakes_are_diagnosed(
    args: list[str], code: int, message: str, store: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    names = {"STORE": store, "NEW": str(tmp_path / "new"), "FILE": str(file)}
    found, _, err = run(*(names.get(arg, arg) for arg in args), capsys=capsys)
    assert found == code and message in err, err
    assert not (tmp_path / "new").exists()


def send(address: str, payloads: list[bytes]) -> None:
    """Sends datagrams to an address such as 127.0.0.1:6000, slowly enough for any system."""
    host, _, port = address.rpartition(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for number, payload in enumerate(payloads):
            sender.sendto(payload, (host, int(port)))
            if number % 50 == 49:
                time.sleep(0.002)


def test_printed_batches_survive_a_kill(tmp_path: Path) -> None:
    folder, one = tmp_path / "run1", individual(ipv4(b"", 253))
    listen = subprocess.Popen(
        [
            WEIR,
            "telemetry",
            "listen",
            "--udp",
            "127.0.0.1:0",
            "--store",
            folder,
            "--every",
            "20ms",
            "--verbose",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert listen.stdout is not None and listen.stderr is not None
    first = listen.stderr.readline()
    match = re.fullmatch(
        rf"listening at (\S+) to any sender, storing in {re.escape(str(folder))}, "
        r"at most 4GB, then no more are stored; Ctrl-C stops it\n",
        first,
    )
    assert match, first
    payloads = [group(one, one, sequence=number) for number in range(3000)]
    sending = threading.Thread(target=send, args=(match[1], payloads))
    sending.start()
    acknowledged = 0
    while acknowledged < 1000:
        line = re.fullmatch(r"batch (\d+): (\d+) reports, 0 bad datagrams\n", listen.stdout.readline())
        assert line
        acknowledged += int(line[2])
    listen.kill()
    acknowledged += sum(
        int(line.split()[2]) for line in listen.stdout.read().splitlines() if "reports," in line
    )
    assert listen.wait() == -signal.SIGKILL
    sending.join()
    for stream in (listen.stdout, listen.stderr):
        stream.close()
    sequences = Store(folder).sql("SELECT sequence FROM reports ORDER BY report")
    assert len(sequences) >= acknowledged
    assert [row["sequence"] for row in sequences] == [number // 2 for number in range(len(sequences))]


@pytest.mark.parametrize("command", ["listen", "live"])
def test_reports_of_a_socket(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The port is known in advance, so that a thread can send to it."""
    with Listener("127.0.0.1:0") as free:
        address = free.address
    payloads = [path_report([1, 2, 3], sequence=number) for number in range(30)] + [b"?"]
    stop = threading.Event()

    def keep_sending() -> None:
        while not stop.wait(0.1):
            send(address, payloads)

    sending = threading.Thread(target=keep_sending)
    sending.start()
    folder = str(tmp_path / "run1")
    try:
        code, out, err = run(command, "--udp", address, "--store", folder, "--count", "62", capsys=capsys)
    finally:
        stop.set()
        sending.join()
    assert code == 0 and err.startswith(f"listening at {address}")
    overview = Store(folder).overview()
    assert overview.bad >= 2 and overview.reports >= 60 and overview.nodes == (1, 2, 3)
    assert overview.first_s is not None and 0 <= overview.first_s < 30
    if command == "listen":
        assert re.fullmatch(
            rf"{overview.reports} reports in \d+ batches, {overview.bad} bad datagrams\n", out
        )
    else:
        assert "udp 10.0.1.1:4000 > 10.0.2.2:5000  1-2-3" in out and "bad datagram" in out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_listening_ends_with_a_signal(
    number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    timer = threading.Timer(0.3, os.kill, (os.getpid(), number))
    timer.start()
    folder = str(tmp_path / "run1")
    code, out, _ = run("listen", "--udp", "127.0.0.1:0", "--store", folder, capsys=capsys)
    assert (code, out) == (0, "0 reports in 0 batches, 0 bad datagrams\n")
    assert run("show", folder, capsys=capsys)[1].startswith("reports         0 in 0 datagrams and 0 batches")


def test_a_network_is_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The live view replaces the program that the topology names for that port, which prints each
    report."""
    arguments = [str(INT / "topology.json"), "--p4", str(INT / "int.p4"), "--collector", "h3:6000"]
    arguments += [
        "-c",
        "h1 iperf h2 -u -l 500 -b 1M -t 0.1",
        "--for",
        "10ms",
        "--store",
        str(tmp_path / "run1"),
    ]
    code, out, err = run("live", *arguments, capsys=capsys)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "h1 -> h2" and not any("INT-MD" in line for line in lines)
    assert "reports from h3:6000, 0 bad, 0 lost" in out
    assert re.search(r"udp 10\.0\.1\.1:\d+ > 10\.0\.2\.2:5201  1-2-3-4-5 +\d\d\n", out)
    assert Store(tmp_path / "run1").paths()["path"] == ["1-2-3-4-5"]


def test_an_empty_choice_says_where_to_look(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(tmp_path / "run1").add([b"short"], [1])
    folder = str(tmp_path / "run1")
    assert run("queues", folder, capsys=capsys)[1] == "no intervals of queues\n"
    assert run("queues", folder, "--node", "9", capsys=capsys)[1] == (
        "no intervals of queues with these options; weir telemetry show lists nodes and flows\n"
    )


def test_a_port_without_reports_is_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(INT / "topology.json"), "--p4", str(INT / "int.p4"), "--collector", "h3:6001"]
    code, _, err = run("live", *arguments, "-c", "h1 iperf h2 -u -l 500 -b 1M -t 0.1", capsys=capsys)
    assert (code, err) == (
        0,
        "warning: no datagram arrived at UDP port 6001 of h3: do the switches send their reports there?\n",
    )
