"""Faults that occur over months: a killed process, other MTUs, lost links, a full disk."""

import subprocess
import urllib.request
from pathlib import Path

from real_network import Raw, Service, ethernet, eventually, ip, metric, switch, wires

from weir.p4runtime import Client

HERE = Path(__file__).parent
wires(2)
Path("full").mkdir()
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "full"], check=True)
line = [str(HERE / "ports.p4"), "-i", "1@s1-eth1", "-i", "2@s1-eth2"]
line += ["--entries", str(HERE / "entries.json"), "--cpu-port", "64", "--p4runtime", "unix:p4.sock"]
line += ["--metrics", "127.0.0.1:9100", "--pcap", "full"]


def crosses(size: int = 100) -> None:
    """Sends a frame of this length from host 1 to host 2, and waits for it."""
    one.send(frame := ethernet(2, 0x0800, bytes([size % 251]) * (size - 14)))
    assert two.receive() == frame


def dropped(reason: str) -> float:
    """The number of frames that port 2 dropped for a reason instead of sending them."""
    with urllib.request.urlopen("http://127.0.0.1:9100/metrics", timeout=20) as answer:
        text = answer.read().decode()
    return metric(text, "weir_port_dropped_frames_total", port="2", direction="out", reason=reason)


def link_changes(service: Service, up: bool) -> None:
    """Waits until the switch has noticed."""
    assert service.wait_for("the link of a port is")["up"] is up


one, two = Raw("h1"), Raw("h2")

# Killed, it leaves its socket file; the next one takes its place.
with switch(*line) as service:
    crosses()
    service.process.kill()
    service.process.wait()
assert Path("p4.sock").exists()

with switch(*line) as service:
    crosses()
    with Client("unix:p4.sock", 0) as controller:
        assert len(list(controller.table("ports").entries())) == 2

    # The disk is full: the captures end, with a line in the log, and frames go on.
    for _ in range(100):
        crosses(1400)
    said = service.wait_for("the capture ends")
    assert "No space" in said["error"] and "full/s1-eth" in said["file"], said
    crosses()

    # Frames longer than the new MTU are dropped and counted.
    ip("link set s1-eth2 mtu 600")
    crosses(500)
    one.send(ethernet(2, 0x0800, bytes(1000)))
    assert two.is_quiet(0.2)
    eventually(lambda: dropped("longer than the MTU") == 1)
    ip("link set s1-eth2 mtu 1500")
    crosses(1000)

    # A link without carrier, then an interface that is gone; each comes back.
    ip("link set s1-eth2 down")
    link_changes(service, False)
    one.send(ethernet(2, 0x0800, bytes(60)))
    eventually(lambda: dropped("no link") == 1)
    ip("link set s1-eth2 up")
    link_changes(service, True)
    two = Raw("h2")
    crosses()
    ip("link delete h2")
    link_changes(service, False)
    one.send(ethernet(2, 0x0800, bytes(60)))
    ip("link add h2 type veth peer name s1-eth2", "link set h2 up", "link set s1-eth2 up")
    link_changes(service, True)
    two = Raw("h2")
    crosses()

    # Asked to end, it ends soon, and its socket file is gone.
    service.stop()
assert not Path("p4.sock").exists()
print("done")
