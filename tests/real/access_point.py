"""``weir ap`` with its switch between veth interfaces: stations are frames at one of them."""

import json
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

from real_network import Raw, eventually, ip, running

from weir.ap.services import switch_command
from weir.ap.settings import read_settings
from weir.ap.stations import hash_slot
from weir.p4runtime import Client

ONE, TWO, GATEWAY = "02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:99"
EVERYBODY = "ff:ff:ff:ff:ff:ff"


def weir(*arguments: str, code: int = 0) -> str:
    """Runs ``weir ap``, and returns what it prints."""
    ended = subprocess.run([sys.executable, "-m", "weir", "ap", *arguments], capture_output=True, text=True)
    assert ended.returncode == code, ended.stdout + ended.stderr
    return ended.stdout + ended.stderr


def frame(dst: str, src: str, size: int = 100, kind: str = "0800") -> bytes:
    return bytes.fromhex((dst + src).replace(":", "") + kind) + bytes(size - 14)


# No neighbour discovery: the test counts frames.
Path("/proc/sys/net/ipv6/conf/default/disable_ipv6").write_text("1")
ip("link set lo up", "link add radio type veth peer name wlan0", "link add world type veth peer name eth0")
ip(*(f"link set {name} up" for name in ("radio", "wlan0", "world", "eth0")))
weir(
    "init", "ap", "--wifi", "wlan0", "--uplink", "eth0", "--ssid", "x", "--country", "DE", "--mode", "bridge"
)
folder = Path("ap")
text = (
    (folder / "ap.toml").read_text().replace("unix:/run/weir-ap/p4runtime.sock", f"unix:{Path.cwd()}/p4.sock")
)
text = re.sub(r"mac = \S+", f'mac = "{GATEWAY}"', text).replace('"127.0.0.1:9100"', '""')
text = text.replace('address = "dhcp"', 'address = "192.0.2.2/24"\ngateway = "192.0.2.1"')
(folder / "ap.toml").write_text(text)
assert "would change" in weir("write", "ap", code=1)
weir("write", "ap", "--yes")

# The script that systemd runs, without a wlan0 that hostapd has.
script = (folder / "network").read_text().replace("/run/weir-ap", f"{Path.cwd()}/run")
(folder / "network").write_text(script)
subprocess.run(["sh", "ap/network", "up"], check=True)
routes = subprocess.run(["ip", "route", "show", "default"], capture_output=True, text=True, check=True)
assert routes.stdout.startswith("default via 192.0.2.1 dev ap0"), routes.stdout

settings = read_settings(folder)
words = shlex.split(switch_command(settings, str(folder.absolute())))
with running(*words[1:]) as service:
    air, world, host = Raw("radio"), Raw("world"), Raw("ap0")

    def arrives(sender: Raw, sent: bytes, *receivers: Raw) -> None:
        """Sends a frame, and checks that it arrives at these interfaces and nowhere else."""
        sender.send(sent)
        for one in receivers:
            assert one.receive() == sent
        for one in (air, world, host):
            assert one in receivers or one.is_quiet(0.02), sent.hex()

    # In a network without known stations, frames go everywhere except from stations to stations.
    arrives(air, frame(EVERYBODY, ONE), world, host)
    arrives(air, frame(EVERYBODY, TWO), world, host)
    arrives(host, frame(EVERYBODY, GATEWAY), air, world)
    arrives(air, frame(GATEWAY, ONE), host)
    arrives(world, frame(ONE, "02:00:00:00:00:50"), air)
    arrives(air, frame("02:00:00:00:00:50", ONE), world)
    # Stations are isolated. Frames between a station and hostapd are not forwarded.
    arrives(air, frame(TWO, ONE))
    arrives(air, frame(GATEWAY, ONE, kind="888e"))
    arrives(air, frame("01:80:c2:00:00:00", ONE))
    # No station has the address of this computer.
    arrives(air, frame(EVERYBODY, GATEWAY))
    arrives(world, frame(GATEWAY, "02:00:00:00:00:50"), host)

    # Together, when the settings say so, and the switch reads its files again.
    (folder / "ap.toml").write_text(text.replace("isolate = true", "isolate = false"))
    weir("write", "ap", "--yes")
    service.reload()
    service.wait_for("the files are reloaded")
    arrives(air, frame(TWO, ONE), air)
    arrives(air, frame(EVERYBODY, TWO), air, world, host)
    arrives(air, frame(ONE, TWO), air)

    # A blocked station neither sends nor receives, until it is unblocked.
    weir("block", TWO, "--folder", "ap")
    arrives(air, frame(GATEWAY, TWO))
    arrives(host, frame(TWO, GATEWAY))
    arrives(air, frame(GATEWAY, ONE), host)
    service.reload()
    assert service.wait_for("the files are reloaded")["lost"] == 0
    arrives(air, frame(GATEWAY, TWO))
    assert "already has these settings" in weir("block", TWO, "--folder", "ap")
    weir("unblock", TWO, "--folder", "ap")
    arrives(air, frame(GATEWAY, TWO), host)
    assert json.loads((folder / "stations.json").read_text())["table_entries"] == []

    # Limits of one station: a burst of 15140 bytes passes at once, no more.
    weir("limit", ONE, "--upload", "80kbit", "--folder", "ap")
    for _ in range(40):
        air.send(frame(GATEWAY, ONE, size=1500))
    passed = 0
    while not host.is_quiet(0.05):
        passed += 1
    assert 10 <= passed <= 12, passed
    arrives(air, frame(GATEWAY, TWO, size=1500), host)
    status = json.loads(weir("status", "--folder", "ap", "--json", "--interval", "0.1"))
    rows = {row["mac"]: row for row in status["stations"]}
    assert set(rows) == {ONE, TWO}, status
    assert rows[ONE]["upload_limit"] == 80_000 and rows[ONE]["dropped"] == 40 - passed, rows
    assert rows[TWO]["upload_limit"] is None and rows[TWO]["dropped"] == 0
    assert not status["isolated"] and status["isolated_frames"] == 3, status
    assert ONE in weir("status", "--folder", "ap", "--once", "--interval", "0.1")
    with Client(settings.switch.p4runtime, election_id=None) as client:
        # The program and Python agree about a station's slot.
        count = client.counter("ApIngress.uploads").read(hash_slot(TWO))
        assert count.bytes == rows[TWO]["uploaded"] > 0
        assert client.counter("ApIngress.uploads").read(0).packets == passed
    weir("unlimit", ONE, "--folder", "ap")
    time.sleep(0.1)
    arrives(air, frame(GATEWAY, ONE, size=1500), host)
    assert "own address" in weir("block", GATEWAY, "--folder", "ap", code=2)
    service.stop()

assert "is not running" in weir("block", ONE, "--folder", "ap")
assert len(json.loads((folder / "stations.json").read_text())["table_entries"]) == 2
with running(*words[1:]):
    air, host = Raw("radio"), Raw("ap0")
    air.send(frame(EVERYBODY, ONE))
    assert host.is_quiet(0.1)
subprocess.run(["sh", "ap/network", "down"], check=True)
eventually(lambda: not Path("/sys/class/net/ap0").exists())
print("done")
