"""Memory of a switch under load while a controller changes its tables: soak.py SECONDS.

Frames of several sizes cross the switch both ways, while a P4Runtime client writes 10 000 updates a
second: entries of an exact, a longest-prefix and a ternary table come, change and go. Twenty lines
show the switch's resident memory. It ends with exit code 1 if memory grows by more than a megabyte
from the first quarter to the last (medians; a warm-up does not count: a tenth of the time, a minute
at most), if frames stop, or if the updates fall short by a tenth. ``WEIR_SWITCHD`` names the binary
to test in place of ``weir switch``. A quieter run leaves the machine to others: ``--updates 2000
--frames 4000``.
"""

import argparse
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from real_network import switch, wires

from weir.p4runtime import Client

HERE = Path(__file__).parent
METRICS = "127.0.0.1:9100"
SOURCE = "hdr.ethernet.src"
ENTRIES = 200
"""Entries of each changing table at a time."""
TABLES = ("hosts", "routes", "rules")
SHORTEST = 1
"""Seconds in which a fast computer takes enough samples of memory."""
PATIENCE = 10
"""Seconds in which frames cross the switch, however busy the computer is."""
ROUND = len(TABLES) * (2 * ENTRIES + 1)
"""Updates of a round: each entry comes and goes, one of each table changes in between."""

SEND = """
import errno, socket, sys, time
mine, theirs = (bytes.fromhex("0800000000" + number) for number in sys.argv[2:4])
port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
port.bind((sys.argv[1], 0))
frames = [theirs + b"\\x08\\0\\0\\0" + bytes([host, 0]) + b"\\x08\\0" + bytes(size)
          for host, size in enumerate(range(46, 1500, 13))]
while True:
    for frame in frames:
        try:
            port.send(frame)
        except OSError as error:
            if error.errno != errno.ENOBUFS:  # The queue of the interface is full for a moment.
                raise
    time.sleep(len(frames) / float(sys.argv[4]))
"""


def resident(pid: int, what: str = "VmRSS") -> int:
    """The memory of a process in KiB."""
    return int(Path(f"/proc/{pid}/status").read_text().split(f"{what}:")[1].split()[0])


def crossed() -> int:
    """Frames that left the switch so far."""
    with urllib.request.urlopen(f"http://{METRICS}/metrics", timeout=20) as answer:
        text = answer.read().decode()
    # A port without frames has no line yet.
    return sum(map(int, re.findall(r"^weir_port_sent_packets_total\S* (\d+)", text, re.MULTILINE)))


def documents() -> Iterator[dict[str, object]]:
    """Yields entries of the changing tables without end: four sets of keys in turn."""
    for number in cycle(range(4)):
        entries: list[dict[str, object]] = []
        for host in range(ENTRIES):
            mac = f"08:00:00:{number:02x}:{host:02x}:00"
            note = {"action_name": "note", "action_params": {"value": host}}
            whole = [mac, "ff:ff:ff:ff:ff:ff"]
            for table, key in (("hosts", mac), ("routes", [mac, 40 + host % 9]), ("rules", whole)):
                entries.append({"table": table, "match": {SOURCE: key}, **note})
            entries[-1]["priority"] = 1 + host
        yield {"table_entries": entries}


def write_round(controller: Client, document: dict[str, object]) -> None:
    """Inserts entries, changes one of each table, and deletes all."""
    controller.load_entries(document)
    for table, entry in zip(TABLES, document["table_entries"], strict=False):
        controller.table(table).modify(entry["match"], "note", {"value": 7}, entry.get("priority"))
    for table in TABLES:
        controller.table(table).clear()


def have_begun() -> bool:
    """Waits until frames cross the switch; returns whether they do."""
    end = time.monotonic() + PATIENCE
    while crossed() == 0:
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def have_ended(senders: list[subprocess.Popen[bytes]]) -> bool:
    """Whether one of the senders has stopped sending."""
    return any(sender.poll() is not None for sender in senders)


def soak(
    controller: Client, pid: int, senders: list[subprocess.Popen[bytes]], options: argparse.Namespace
) -> list[str]:
    """Writes entries for this time, and prints the use of memory; returns what is wrong."""
    if not have_begun():
        return [f"no frame crossed the switch within {PATIENCE} s"]
    start = last = moved = time.monotonic()
    warm_up = min(60.0, options.seconds / 10)
    updates, frames, levels, failures, rounds = 0, crossed(), [], [], documents()
    print(f"{'seconds':>8} {'resident KiB':>13} {'own KiB':>8} {'frames/s':>9} {'updates/s':>10}", flush=True)
    while (now := time.monotonic()) < start + options.seconds:
        if now >= last + options.seconds / 20:
            crossed_now = crossed()
            print(
                f"{now - start:8.0f} {resident(pid):13} {resident(pid, 'RssAnon'):8}"
                f" {(crossed_now - frames) / (now - last):9.0f} {updates / (now - start):10.0f}",
                flush=True,
            )
            if have_ended(senders):
                return [*failures, f"a sender ended before second {now - start:.0f}"]
            if crossed_now != frames:
                moved = now
            elif now - moved > PATIENCE:
                failures.append(f"no frame crossed the switch before second {now - start:.0f}")
            frames, last = crossed_now, now
        if now >= start + warm_up:
            levels.append(resident(pid))
        write_round(controller, next(rounds))
        updates += ROUND
        time.sleep(max(0.0, start + updates / options.updates - time.monotonic()))
    if have_ended(senders):
        failures.append("a sender ended")
    reached = updates / (time.monotonic() - start)
    quarter = len(levels) // 4
    if quarter == 0:
        return [*failures, f"too few samples of memory: {len(levels)}, and 4 are needed"]
    grown = statistics.median(levels[-quarter:]) - statistics.median(levels[:quarter])
    print(
        f"memory grew by {grown:.0f} KiB (allowed: {options.allow}), between {min(levels)} and {max(levels)} KiB"
    )
    print(f"{updates} updates, {reached:.0f} a second (asked for: {options.updates:.0f})")
    if grown > options.allow:
        failures.append(f"memory grew by {grown:.0f} KiB")
    if reached < 0.9 * options.updates and not options.any_rate:
        failures.append(f"only {reached:.0f} updates a second")
    return failures


def main() -> int:
    """Runs the switch between two interfaces; returns the exit code."""
    parser = argparse.ArgumentParser(description="A switch's memory under load and table updates")
    parser.add_argument("seconds", type=float)
    parser.add_argument("--updates", type=float, default=10_000, help="a second")
    parser.add_argument("--frames", type=float, default=45_000, help="a second at most, both ways together")
    parser.add_argument("--allow", type=int, default=1024, help="how many KiB memory may grow by")
    parser.add_argument("--any-rate", action="store_true", help="pass with fewer updates, too")
    options = parser.parse_args()
    if not options.seconds >= SHORTEST:
        parser.error(f"SECONDS is at least {SHORTEST}, not {options.seconds:g}")
    wires(2)
    ports = ["-i", "1@s1-eth1", "-i", "2@s1-eth2", "--p4runtime", "unix:p4.sock", "--metrics", METRICS]
    with switch(str(HERE / "soak.p4"), *ports) as service, Client("unix:p4.sock", 0) as controller:
        for port in (1, 2):
            key = {"hdr.ethernet.dst": f"08:00:00:00:00:0{port}"}
            controller.table("ports").insert(key, "to", {"port": port})
        ends = [("h1", "01", "02"), ("h2", "02", "01")]
        rate = str(options.frames / len(ends))
        senders = [subprocess.Popen([sys.executable, "-c", SEND, *end, rate]) for end in ends]
        try:
            failures = soak(controller, service.process.pid, senders, options)
        finally:
            for sender in senders:
                sender.kill()
                sender.wait()
        service.stop()
    print("\n".join(f"FAILED: {failure}" for failure in failures) or "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
