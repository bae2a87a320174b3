"""Many switches in one process, one behind the other: a frame crosses all of them."""

import json
import os
import shutil
import sys
import urllib.request
from pathlib import Path

from real_network import Raw, ethernet, eventually, ip, metric, several, wires

from weir.p4runtime import Client

HERE = Path(__file__).parent
COUNT = int(sys.argv[1])
shutil.copy(HERE / "ports.p4", "ports.p4")

# Host 1, switch 1, switch 2, ..., the last switch, host 2; each switch has ports 1 and 2.
wires(2)
ip(*(f"link add r{number} type veth peer name l{number + 1}" for number in range(1, COUNT)))
ip(*(f"link set {side} up" for number in range(1, COUNT) for side in (f"r{number}", f"l{number + 1}")))
switches = []
for number in range(1, COUNT + 1):
    left = "s1-eth1" if number == 1 else f"l{number}"
    right = "s1-eth2" if number == COUNT else f"r{number}"
    switches.append(
        {"program": "ports.p4", "interfaces": {"1": left, "2": right}, "entries": [f"{number}.json"]}
    )
    entries = json.loads((HERE / "entries.json").read_text())
    del entries["multicast_group_entries"]
    Path(f"{number}.json").write_text(json.dumps(entries))
Path("switches.json").write_text(json.dumps({"switches": switches}))

options = ["--p4runtime", "unix:p4.sock", "--cpu-port", "64", "--metrics", "127.0.0.1:9100"]
with several("switches.json", *options, "--threads", "2") as service:
    one, two = Raw("h1"), Raw("h2")
    for size in (46, 300, 1400):
        one.send(there := ethernet(2, 0x0800, bytes([size % 256]) * size))
        assert two.receive() == there
        two.send(back := ethernet(1, 0x0800, bytes([size % 256]) * size))
        assert one.receive() == back

    # One address, a number from 0 for each; all programs and entries are read again.
    with Client("unix:p4.sock", COUNT - 1) as controller:
        table = controller.table("ports")
        counts = sorted(entry.packets for entry in table.entries())
        assert counts == [3, 3], counts
        Path(f"{COUNT}.json").write_text('{"table_entries": []}')
        service.reload()
        for number in range(1, COUNT + 1):
            said = service.wait_for("the files are reloaded")
            changed = "2 table entries" if number == COUNT else "nothing"
            assert (said["switch"], said["changed"]) == (f"s{number}", changed), said
        eventually(lambda: not list(table.entries()))

    with urllib.request.urlopen("http://127.0.0.1:9100/metrics", timeout=20) as answer:
        text = answer.read().decode()
    for number in (1, COUNT):
        assert metric(text, "weir_port_received_packets_total", switch=f"s{number}", port="1") == 3
    assert metric(text, "weir_worker_cpu_seconds_total", worker="1") > 0

    # Each line that is about a switch names it.
    passing = [line["fields"] for line in service.lines if "GSO frames" in line["fields"]["message"]]
    assert {line["switch"] for line in passing} == {f"s{number}" for number in range(1, COUNT + 1)}

    status = Path(f"/proc/{service.process.pid}/status").read_text()
    threads = int(status.split("Threads:")[1].split()[0])
    assert threads < 12, f"{threads} threads for {COUNT} switches"
    if len(sys.argv) > 2:
        # The processor time of idle switches.
        import time

        def ticks() -> int:
            fields = Path(f"/proc/{service.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return int(fields[11]) + int(fields[12])

        before, start = ticks(), time.monotonic()
        time.sleep(float(sys.argv[2]))
        share = (ticks() - before) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - start)
        print(
            f"{COUNT} switches: {status.split('VmRSS:')[1].split()[0]} KiB, {threads} threads, {share:.2%} CPU"
        )
    service.stop()
print("done")
