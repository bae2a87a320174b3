"""Settings of access points, and lists of stations."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from torture.case import Case, Failed
from torture.control.words import spoilt, spoilt_text
from torture.switch import check_message
from weir.ap import folder as files
from weir.ap.settings import NAME, read_settings
from weir.ap.stations import Rule, document, entries, read_rules, write_rules
from weir.errors import WeirError

_VALUES = [
    "true", "false", "0", "-1", "6", "36", "99999999999999999999", "1.5", "nan", "inf", "[]", "[1]", '["9.9.9.9"]', '["x\\ny"]', "{}", '""', '"x"',
    '"wlan0"', '"eth0"', '"ap0"', '"ap0-port"', '"a\\nssid2=x"', '"a\\u0000b"', '"\\u202e"', '"' + "x" * 300 + '"', '"../../etc"', '"a b"', '"-x"', '"a;reboot"',
    '"$(reboot)"', '"`reboot`"', '"\'"', '"%n"', '"dhcp"', '"none"', '"10.42.0.1/24"', '"10.42.0.1/31"', '"10.42.0.1/32"', '"0.0.0.0/0"', '"255.255.255.255/8"',
    '"224.0.0.1/4"', '"127.0.0.1/8"', '"::1/64"', '"10.42.0.200"', '"12h"', '"infinite"', '"0h"', '"12h\\n"', '"2.4"', '"5"', '"wpa3"', '"open"', '"bridge"',
    '"20Mbit"', '"1bit"', '"1e30bit"', '"unlimited"', '"02:00:00:00:00:01"', '"ff:ff:ff:ff:ff:ff"', '"01:00:5e:00:00:01"', '"unix:/x\\ny"', '"unix:"', '"0.0.0.0:0"',
    '"127.0.0.1:99999"', "1979-05-27", '"""a\nb"""', "'a\\b'", '"DE"', '"de"', '"00"', '"٣٣"', '"12345678"', '"' + "ü" * 16 + '"', '"pass\\tword"',
]  # fmt: skip


_NAMES = [
    '"wlan1"',
    '"ap0"',
    '"ap0-port"',
    '"eth0"',
    '"a.b-c_d"',
    '"x;y"',
    '"%n"',
    '"$x"',
    '"-x"',
    '"' + "x" * 15 + '"',
    '"é"',
]
_FITTING = {
    "interface": _NAMES, "uplink": _NAMES, "host": _NAMES, "dns": ["[]", '["9.9.9.9"]', '["::1"]', '["9.9.9.9#53"]', '["9.9.9.9@lo"]', "[1]"],
    "ssid": ['"x"', '"' + "x" * 33 + '"', '"a\\nssid=x"', '"\\u0000"', '"#"', '" "', '"$(x)"', '"ü"'], "country": ['"DE"', '"00"', '"ZZ"', '"D\\n"'],
    "passphrase": ['"eight888"', '"a # b = c"', '"' + "x" * 64 + '"', '"' + "0" * 64 + '"', '"        "', '"%%%%%%%%%"', '"twelve\\nwords"'],
    "security": ['"wpa3"', '"wpa2+wpa3"', '"open"'], "band": ['"5"', '"2.4"'], "channel": ["0", "1", "13", "14", "36", "165", "-1"],
    "max_stations": ["1", "2007", "2008", "0"], "lease": ['"1s"', '"infinite"', '"12h\\nx"', '"2w"'], "upload": ['"8kbit"', '"1Mbit"', '"1e18bit"', '"unlimited"'],
    "download": ['"20Mbit"', '"7kbit"'], "address": ['"10.0.0.1/24"', '"10.0.0.1/31"', '"10.0.0.0/24"', '"192.168.0.5/30"', '"0.0.0.1/0"', '"dhcp"', '"none"'],
    "mac": ['"02:00:00:00:00:02"', '"02-00-00-00-00-02"', '"03:00:00:00:00:02"', '"00:00:00:00:00:00"'], "command": ['"weir switch"', '"weir-switchd"', '"sh"'],
    "p4runtime": ['"127.0.0.1:9559"', '"unix:/run/x.sock"', '"unix:x"', '"[::1]:9559"', '"unix:/a b"', '"unix:/%h"'], "metrics": ['""', '"127.0.0.1:9100"', '"[::1]:1"'],
    "isolate": ["true", "false"], "nat": ["true", "false"], "enabled": ["true", "false"], "mode": ['"route"', '"bridge"'],
}  # fmt: skip
"""Values that a setting may have, or that look like them, by the setting's name."""


def settings(chance: random.Random) -> Case:
    """An ``ap.toml`` with other values or damaged text. Values add no lines to the written file."""
    mode = chance.choice(["route", "bridge"])
    text = files.template(
        interface="wlan0", uplink="eth0", ssid="Lab", country="DE", mode=mode, passphrase="twelve words"
    )
    # The template makes one at random.
    lines = ['mac = "02:00:00:00:00:01"' if line.startswith("mac = ") else line for line in text.splitlines()]
    names = [number for number, line in enumerate(lines) if " = " in line]
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        place = chance.choice(names)
        key = lines[place].split(" = ")[0]
        fitting = _FITTING.get(key, _VALUES) if chance.random() < 0.6 else _VALUES
        lines[place] = f"{key} = {chance.choice(fitting)}"
    text = "\n".join(lines) + "\n"
    if chance.random() < 0.2:
        text += chance.choice(
            ["[wifi]\n", "[x]\n", "x = 1\n", "[[wifi]]\n", "a." * 5000 + "b = 1\n", "x = " + "[" * 5000]
        )
    if chance.random() < 0.3:
        text = spoilt_text(text, chance)
    content = text.encode("utf-8", "surrogatepass")

    def run(folder: Path) -> str:
        (folder / NAME).write_bytes(content)
        (folder / NAME).chmod(0o600)
        try:
            settings = read_settings(folder)
        except WeirError as error:
            check_message(error)
            return "refused"
        written = files.contents(settings)
        _check_files(written)
        json.loads(written["entries.json"])
        entries(settings)
        return "written"

    return Case("settings", run, {NAME: content})


_KEYS = {
    "interface", "driver", "ctrl_interface", "ssid2", "utf8_ssid", "hw_mode", "channel", "ieee80211n", "wmm_enabled", "max_num_sta", "auth_algs",
    "ap_isolate", "country_code", "ieee80211d", "ieee80211ac", "ieee80211h", "wpa", "wpa_key_mgmt", "rsn_pairwise", "ieee80211w", "wpa_passphrase",
}  # fmt: skip
"""What hostapd.conf can have."""


def _check_files(written: dict[str, str]) -> None:
    """Each line of hostapd's file is a setting that we write, once."""
    keys = [line.partition("=")[0] for line in written["hostapd.conf"].split("\n") if line and line[0] != "#"]
    if len(keys) != len(set(keys)) or not _KEYS.issuperset(keys):
        raise Failed(f"hostapd.conf has {sorted(keys)}")
    for name, text in written.items():
        if "\0" in text or "\r" in text:
            raise Failed(f"{name} has control characters")
        if name.startswith("systemd/") and text.count("\nExecStart=") > 1:
            raise Failed(f"{name} starts more than one program:\n{text}")


def stations(chance: random.Random) -> Case:
    """A ``stations.json`` with values of other types, or damaged text."""
    rules = [
        Rule(
            f"02:00:00:00:00:{n:02x}",
            blocked=n % 3 == 0,
            slot=None if n % 3 == 0 else n,
            upload=n * 10**6 or None,
        )
        for n in range(chance.randrange(6))
    ]
    good: Any = document(rules)
    text = json.dumps(spoilt(good, chance, 0.03))
    if chance.random() < 0.4:
        text = spoilt_text(json.dumps(good, indent=1), chance)
    if chance.random() < 0.1:
        text = chance.choice(
            ["", "null", "[]", "{}", "[" * 100_000, '{"a":' * 100_000, "1e999", '{"table_entries": 1e999}']
        )
    content = text.encode("utf-8", "surrogatepass")

    def run(folder: Path) -> str:
        (folder / "stations.json").write_bytes(content)
        try:
            rules = read_rules(folder)
        except WeirError as error:
            check_message(error)
            return "refused"
        write_rules(folder, rules)
        if read_rules(folder) != rules:
            raise Failed(f"{rules} became {read_rules(folder)}")
        return "read"

    return Case("stations", run, {"stations.json": content})
