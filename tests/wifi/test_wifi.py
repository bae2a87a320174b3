"""``weir ap`` with real Wi-Fi in software: hostapd, WPA2, DHCP, NAT and our switch in a guest.

mac80211_hwsim simulates radios, in Debian's kernel, which qemu runs without KVM. One boot answers
all questions. Needs qemu-system-x86_64, apt-get and dpkg-deb; without them it is skipped, unless
``WEIR_REQUIRE_WIFI`` is set. ``make wifi`` runs it alone; ``WEIR_WIFI_MACHINE=arm64`` with a
``weir-switchd`` in ``WEIR_SWITCHD`` boots 64-bit Arm instead.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from guest import ARCHITECTURES, Architecture, build

from needed import need
from weir.ap import folder as files
from weir.ap.settings import parse_settings
from weir.ap.stations import Rule, document, entries

MACS = ("02:00:00:00:01:00", "02:00:00:00:02:00")
"""The addresses of the stations' radios."""

LIMIT = 300_000
"""The limit of a download, in bits per second. An emulated computer forwards several times as
much."""

OCTETS = 150_000
"""The size of a download, in bytes."""

PATIENCE = 900
"""Seconds after which the guest is given up: on a busy computer, 64-bit Arm took 320."""


def access_point(folder: Path) -> None:
    """Writes an access point with the files that the guest puts in place of others later."""
    text = files.template(
        interface="wlan0", uplink="eth0", ssid="weir test", country="00", passphrase="a long passphrase"
    )
    settings = parse_settings(text, Path("ap.toml"))
    files.write(folder, {"ap.toml": text, **files.contents(settings)})
    later = folder / "test"
    later.mkdir()
    relayed = parse_settings(text.replace("isolate = true", "isolate = false"), Path("ap.toml"))
    (later / "entries.json").write_text(json.dumps(entries(relayed)))
    limit, block = Rule(MACS[0], slot=0, download=LIMIT), Rule(MACS[0], blocked=True)
    (later / "stations-limit.json").write_text(json.dumps(document([limit])))
    (later / "stations-block.json").write_text(json.dumps(document([block])))
    for number in (1, 2):
        (later / f"station{number}.conf").write_text(
            f'ctrl_interface=/run/sta{number}\nnetwork={{\n  ssid="weir test"\n  psk="a long passphrase"\n'
            "  scan_freq=2437\n}\n"
        )
    (later / "udhcpc").write_text(
        '#!/bin/sh\n[ "$1" = bound ] || exit 0\nip address add "$ip/$mask" dev "$interface"\n'
        'ip route add default via "$router"\n'
    )
    (later / "udhcpc").chmod(0o755)


def boot(architecture: Architecture, folder: Path) -> dict[str, str]:
    """Boots the guest, and returns its outputs, by name."""
    access_point(folder / "access-point")
    kernel, initramfs = build(architecture, folder / "access-point", folder)
    command = [*architecture.qemu, "-accel", "tcg", "-m", "512", "-nodefaults", "-nographic", "-no-reboot"]
    command += ["-serial", "stdio", "-kernel", str(kernel), "-initrd", str(initramfs)]
    command += ["-append", f"console={architecture.console} quiet panic=-1"]
    try:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        console, errors = ended.stdout, ended.stderr
    except subprocess.TimeoutExpired as late:
        console, errors = late.stdout or b"", f"more than {PATIENCE} s".encode()
    text = console.decode(errors="replace")
    said = {}
    for line in text.splitlines():
        if "WIFI " in line:
            name, _, value = line.partition("WIFI ")[2].strip().partition(" ")
            said[name] = said[name] + "\n" + value if name in ("failed", "log") and name in said else value
    end = f"{text[-4000:]}\n{errors.decode(errors='replace')[-2000:]}"
    assert "end" in said, f"the guest did not come to its end:\n{end}"
    return said


def nothing_failed(said: dict[str, str]) -> None:
    assert said.get("failed") is None
    assert said.get("log") is None, "the switch warned"


def stations_associate_with_wpa2(said: dict[str, str]) -> None:
    for number in (1, 2):
        assert said[f"associated-{number}"] == "key_mgmt=WPA2-PSK wpa_state=COMPLETED"


def stations_get_addresses_and_names(said: dict[str, str]) -> None:
    addresses = {said[f"address-{number}"] for number in (1, 2)}
    assert len(addresses) == 2
    for address in addresses:
        ip, prefix = address.split("/")
        assert prefix == "24" and ip.startswith("10.42.0.") and 100 <= int(ip.split(".")[3]) <= 254
    answer, expected = said["dns"].split()
    assert answer == expected == said["address-2"].split("/")[0]


def stations_reach_the_gateway_and_the_world(said: dict[str, str]) -> None:
    assert (said["gateway"], said["world"]) == ("yes", "yes")


def stations_reach_each_other_only_if_they_may(said: dict[str, str]) -> None:
    assert (said["isolated"], said["together"]) == ("no", "yes")


def a_limit_holds(said: dict[str, str]) -> None:
    limited, unlimited = (OCTETS * 8 / float(said[name]) for name in ("limited", "unlimited"))
    # The burst passes at once. A busy machine may be slower, but never faster.
    assert limited < 1.15 * LIMIT and limited < unlimited


def a_blocked_station_is_cut_off_and_no_other(said: dict[str, str]) -> None:
    assert (said["blocked"], said["not-blocked"]) == ("no", "yes")


def the_switch_starts_again_under_traffic(said: dict[str, str]) -> None:
    assert said["still-associated"] == "2"
    assert float(said["back-after"]) > 0
    # Two bursts passed at once, because the new switch began with a new burst.
    assert float(said["survived"]) > OCTETS * 8 / LIMIT * 0.7


CHECKS = (
    nothing_failed,
    stations_associate_with_wpa2,
    stations_get_addresses_and_names,
    stations_reach_the_gateway_and_the_world,
    stations_reach_each_other_only_if_they_may,
    a_limit_holds,
    a_blocked_station_is_cut_off_and_no_other,
    the_switch_starts_again_under_traffic,
)


@pytest.mark.slow
def test_an_access_point_with_simulated_wifi(tmp_path: Path):
    # One test: workers of pytest would boot a guest each, and unpack packages at the same time.
    architecture = ARCHITECTURES[os.environ.get("WEIR_WIFI_MACHINE", "amd64")]
    need(architecture.qemu[0], "apt-get", "dpkg-deb", "readelf", required="WEIR_REQUIRE_WIFI")
    said = boot(architecture, tmp_path)
    failed = []
    for check in CHECKS:
        try:
            check(said)
        except (AssertionError, KeyError, ValueError) as error:
            failed.append(f"{check.__name__}: {type(error).__name__}: {error}")
    assert not failed, "\n".join([*failed, f"the guest said: {said}"])
