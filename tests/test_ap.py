"""``weir ap``: settings, written files, missing requirements of a machine."""

import json
import os
import stat
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from access_points import init, weir
from weir.ap import folder as files
from weir.ap.machine import Machine, check, find_program, run_command
from weir.ap.settings import NAME, parse_settings, read_settings
from weir.ap.stations import Rule, document, entries, free_slot, hash_slot, read_rules, write_rules
from weir.ap.status import leases, parse_station_dump
from weir.cli.app import app
from weir.errors import WeirError

BASE = files.template(
    interface="wlan0", uplink="eth0", ssid='a "lab" ü', country="DE", passphrase='o"ne two\\three'
)


def test_a_folder_has_all_that_is_installed(tmp_path: Path):
    place = tmp_path / "ap"
    printed = init(place, "--download", "20Mbit")
    names = {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}
    assert {
        "ap.toml",
        "hostapd.conf",
        "dnsmasq.conf",
        "weir-ap.nft",
        "entries.json",
        "stations.json",
    } <= names
    assert {"access_point.p4", "network", "install", "uninstall", "README"} <= names
    assert {f"systemd/weir-ap{unit}" for unit in (".target", "-switch.service", "-hostapd.service")} <= names
    for name in ("ap.toml", "hostapd.conf"):
        assert stat.S_IMODE((place / name).stat().st_mode) == 0o600, "it has the passphrase"
    for name in ("network", "install", "uninstall"):
        assert os.access(place / name, os.X_OK)
        subprocess.run(["sh", "-n", place / name], check=True)
    # The files that `install` copies exist.
    for line in (place / "install").read_text().splitlines():
        if line.startswith("put "):
            assert (place / line.split()[1]).exists(), line
    words = tomllib.loads((place / NAME).read_text())["wifi"]["passphrase"]
    assert len(words) == 23 and words not in printed
    assert f"wpa_passphrase={words}\n" in (place / "hostapd.conf").read_text()
    assert "ap_isolate=1\n" in (place / "hostapd.conf").read_text()
    assert "dhcp-range=10.42.0.100,10.42.0.254,255.255.255.0,12h\n" in (place / "dnsmasq.conf").read_text()
    switch = (place / "systemd/weir-ap-switch.service").read_text()
    assert "weir-switchd /etc/weir-ap/access_point.p4 --interface 1@wlan0 --interface 3@ap0-port" in switch


def test_a_wrong_option_is_reported_without_a_place(tmp_path: Path):
    place = tmp_path / "ap"
    assert init(place, "--upload", "5") == "stations.upload: limit '5' has no unit; did you mean \"5Mbit\"?"
    assert init(place, "--address", "10.0.0.1").startswith("network.address: expected an IPv4 address")
    assert not place.exists()


def test_the_network_waits_for_its_radio():
    settings = parse_settings(BASE.replace("wlan0", "wlx-1"), Path("ap.toml"))
    unit = files.contents(settings)["systemd/weir-ap-network.service"]
    assert "After=sys-subsystem-net-devices-wlx\\x2d1.device\n" in unit


def test_nothing_is_overwritten_without_asking(tmp_path: Path):
    place = tmp_path / "ap"
    init(place)
    assert "exists" in init(place, code=2)
    (place / "hostapd.conf").write_text("mine")
    assert "hostapd.conf: would change; --yes" in weir("write", str(place), code=1)
    assert (place / "hostapd.conf").read_text() == "mine"
    weir("write", str(place), "--yes")
    assert (place / "hostapd.conf").read_text() != "mine"
    other = tmp_path / "other"
    other.mkdir()
    (other / "README").write_text("mine")
    assert "would change" in init(other, code=1)
    assert [path.name for path in other.iterdir()] == ["README"]


def test_a_bridge_has_the_uplink_as_a_port(tmp_path: Path):
    init(tmp_path / "ap", "--mode", "bridge", "--no-isolate")
    names = {path.name for path in (tmp_path / "ap").rglob("*")}
    assert not {"dnsmasq.conf", "weir-ap.nft", "weir-ap-dnsmasq.service"} & names and "ap.network" in names
    switch = (tmp_path / "ap/systemd/weir-ap-switch.service").read_text()
    assert "--interface 2@eth0" in switch
    settings = read_settings(tmp_path / "ap")
    groups = {
        group["multicast_group_id"]: [replica["egress_port"] for replica in group["replicas"]]
        for group in entries(settings)["multicast_group_entries"]
    }
    assert groups == {1: [1, 2, 3], 2: [1, 3], 3: [1, 2]}
    assert entries(settings)["table_entries"][0]["action_name"] == "ApEgress.relay"


def test_no_interface_has_two_tasks(tmp_path: Path):
    # A radio's second interface is often named ap0; then this computer's has another name.
    for wifi, uplink, host in (("ap0", "eth0", "ap1"), ("wlan0", "ap0", "ap1"), ("ap1", "ap0", "ap2")):
        text = files.template(interface=wifi, uplink=uplink, ssid="x", country="DE")
        assert parse_settings(text, Path("ap.toml")).network.host == host
    for wifi, uplink, expected in (
        ("ap0", "eth0", "ap.toml:16: network.host: ap0 is already used as the Wi-Fi interface"),
        ("ap0-port", "eth0", "ap.toml:16: network.host: ap0-port is already used as the Wi-Fi interface"),
        ("wlan0", "ap0", "ap.toml:16: network.host: ap0 is already used as the uplink"),
        ("wlan0", "ap0-port", "ap.toml:16: network.host: ap0-port is already used as the uplink"),
        ("eth0", "eth0", "ap.toml:15: network.uplink: eth0 is already used as the Wi-Fi interface"),
    ):
        text = BASE.replace('"wlan0"', f'"{wifi}"').replace('"eth0"', f'"{uplink}"')
        with pytest.raises(WeirError) as raised:
            parse_settings(text, Path("ap.toml"))
        assert str(raised.value) == expected


def test_an_empty_passphrase_is_refused(tmp_path: Path):
    (tmp_path / "words").write_text("\nthe passphrase\n")
    printed = init(tmp_path / "ap", "--passphrase-file", str(tmp_path / "words"))
    assert "wifi.passphrase: expected 8 to 63 characters, found 0" in printed
    assert not (tmp_path / "ap").exists()


def test_any_name_and_passphrase_reach_hostapd():
    settings = parse_settings(BASE, Path("ap.toml"))
    text = files.contents(settings)["hostapd.conf"]
    name = 'a "lab" ü'.encode().hex()
    assert f"ssid2={name}\n" in text
    assert 'wpa_passphrase=o"ne two\\three\n' in text


@pytest.mark.parametrize(
    ("before", "after", "line", "expected"),
    [
        ('ssid = "a \\"lab\\" ü"', 'ssid = ""', 5, "wifi.ssid: expected 1 to 32 bytes"),
        ('country = "DE"', 'country = "Germany"', 8, "two letters of ISO 3166"),
        ("channel = 6", "channel = 15", 10, "2.4 GHz has no channel 15"),
        ("channel = 6", 'channel = "6"', 10, "expected a whole number"),
        ("channel = 6", "chanel = 6", 10, 'no setting "chanel"'),
        ('"wpa2"', '"wpa"', 7, "expected wpa2, wpa2+wpa3, wpa3 or open"),
        ('"wpa2"', '"open"', 6, "an open network has none"),
        ('interface = "wlan0"', 'interface = "eth0"', 15, "eth0 is already used as the Wi-Fi interface"),
        ('interface = "wlan0"', 'interface = "a b"', 4, "expected the name of an interface"),
        ('"10.42.0.1/24"', '"10.42.0.0/24"', 18, "10.42.0.0 is the network address"),
        ('"10.42.0.1/24"', '"10.42.0.1"', 18, "an IPv4 address and its prefix"),
        ('"10.42.0.1/24"', '"10.42.0.1/30"', 18, "up to 29 bits"),
        ('"10.42.0.1/24"', '"dhcp"', 18, "needs an address"),
        ('lease = "12h"', 'first = "10.43.0.1"', 23, "10.43.0.1 is not in 10.42.0.0/24"),
        ('upload = "unlimited"', 'upload = "5"', 28, "unit"),
        ('upload = "unlimited"', 'upload = "5bit"', 28, "at least 8kbit"),
        ('lease = "12h"', 'first = "10.42.0.0"', 23, "10.42.0.0 is the network address of 10.42.0.0/24"),
        ('lease = "12h"', 'last = "10.42.0.255"', 23, "10.42.0.255 is the broadcast address"),
        ('lease = "12h"', 'first = "10.42.0.1/24"', 23, "expected an IPv4 address"),
        ("dns = []", 'dns = ["9.9.9.9", "cafe"]', 24, "expected the address of a server"),
        ("dns = []", 'dns = ["9.9.9.9#66000"]', 24, "expected the address of a server"),
        ("dns = []", "dns = [1]", 24, "expected the address of a server"),
        ('"unix:/run/weir-ap/p4runtime.sock"', '"unix:/run/%n;x$HOME.sock"', 33, "digits and _ . - /"),
        ('"unix:/run/weir-ap/p4runtime.sock"', '"unix:/top.sock"', 33, "such as unix:/run/weir-ap"),
        ('"unix:/run/weir-ap/p4runtime.sock"', f'"unix:/{"a/" * 60}a"', 33, "at most 107 characters"),
        ('"unix:/run/weir-ap/p4runtime.sock"', '"x$y:1"', 33, "expected IP:PORT"),
        ('"127.0.0.1:9100"', '"127.0.0.1:0"', 34, "expected IP:PORT"),
        ('"127.0.0.1:9100"', '"::1:9100"', 34, "expected IP:PORT"),
        ("[switch]", "[swich]", None, 'did you mean "switch"'),
        ('"weir-switchd"', '"bmv2"', 32, "weir-switchd"),
        ('uplink = "eth0"', 'uplink = "eth0', "15:15", "Illegal character"),
        ('uplink = "eth0"', "", 13, "network.uplink: is missing"),
        ("\nnat = true", "\nmode = 5", None, "overwrite"),
    ],
)
def test_mistakes_have_a_place(before: str, after: str, line: int | str | None, expected: str):
    assert before in BASE
    with pytest.raises(WeirError) as raised:
        parse_settings(BASE.replace(before, after, 1), Path("ap.toml"))
    assert expected in str(raised.value)
    if line is not None:
        assert str(raised.value).startswith(f"ap.toml:{line}: "), str(raised.value)


def test_addresses_of_all_kinds_are_taken():
    servers = '["9.9.9.9#5353", "2620:fe::fe", "2620:fe::9#53"]'
    text = BASE.replace("dns = []", f"dns = {servers}").replace("127.0.0.1:9100", "[::1]:9100")
    settings = parse_settings(text, Path("ap.toml"))
    assert list(settings.dhcp.dns) == json.loads(servers) and settings.switch.metrics == "[::1]:9100"


def test_bytes_that_are_no_text_have_a_diagnosis(tmp_path: Path):
    needed = ["init", str(tmp_path / "ap"), "--wifi", "wlan0", "--uplink", "eth0", "--country", "DE"]
    assert "wifi.ssid: expected UTF-8" in weir(*needed, "--ssid", "a\udcff", code=1)
    (tmp_path / "words").write_bytes(b"caf\xe9 caf\xe9")
    assert "printable ASCII" in init(tmp_path / "ap", "--passphrase-file", str(tmp_path / "words"))
    assert not (tmp_path / "ap").exists()


def written(*changes: tuple[str, str], **options: str) -> dict[str, str]:
    """The files of an access point."""
    text = files.template(**{"interface": "wlan0", "uplink": "eth-0", "ssid": "x", "country": "DE"} | options)
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return files.contents(parse_settings(text, Path("ap.toml")))


def test_the_switch_may_write_where_its_socket_is():
    line = "ReadWritePaths=/run/weir-ap"
    for address, paths in (
        ("unix:/run/weir-ap/p4runtime.sock", ""),
        ("unix:/run/weir-ap/a/b.sock", ""),
        ("unix:/run/weir-ap2/b.sock", " -/run/weir-ap2"),
        ("127.0.0.1:9559", ""),
    ):
        files = written(("unix:/run/weir-ap/p4runtime.sock", address))
        assert f"\n{line}{paths}\n" in files["systemd/weir-ap-switch.service"], address


def test_services_follow_the_interfaces():
    radio = "sys-subsystem-net-devices-wlan0.device"
    uplink = r"sys-subsystem-net-devices-eth\x2d0.device"
    for mode, devices in (("route", [radio]), ("bridge", [radio, uplink])):
        files = written(mode=mode)
        unit = files["systemd/weir-ap-network.service"].splitlines()
        for order in ("After", "BindsTo"):
            assert [line for line in unit if line.startswith(order)] == [f"{order}={one}" for one in devices]
        # Interfaces of a start that failed half-way are removed, too.
        assert "ExecStopPost=/etc/weir-ap/network down" in unit
        target = files["systemd/weir-ap.target"]
        assert f"WantedBy={' '.join(['multi-user.target', *devices])}\n" in target


def test_network_managers_ignore_the_interfaces():
    for mode, names in (("route", "wlan0 ap0-port"), ("bridge", "wlan0 ap0-port eth-0")):
        files = written(mode=mode)
        assert files["ports.network"].endswith(f"[Match]\nName={names}\n\n[Link]\nUnmanaged=yes\n")
        # `=` would replace what other files say.
        listed = ";".join(f"interface-name:{name}" for name in names.split())
        assert f"'unmanaged-devices+={listed}'" in files["install"]
        for name in ("install", "uninstall"):
            subprocess.run(["sh", "-n"], input=files[name], text=True, check=True)
            lines = files[name].splitlines()
            copied = [number for number, line in enumerate(lines) if "05-weir-ap-ports.network" in line]
            reloaded = [number for number, line in enumerate(lines) if "networkctl reload" in line]
            assert len(copied) == len(reloaded) == 1 and copied < reloaded
            assert "nmcli general reload" in files[name]
        assert ("networkctl reconfigure eth-0" in files["uninstall"]) == (mode == "bridge")


def test_a_bridge_needs_somebody_who_asks_for_an_address(tmp_path: Path):
    text = files.template(interface="wlan0", uplink="eth0", ssid="x", country="DE", mode="bridge")
    computer = machine(tmp_path)
    assert trouble(computer, text) == [("missing", "systemd-networkd")]
    asked = ["systemctl", "is-active", "--quiet", "systemd-networkd"]
    running = replace(computer, run=lambda command: "" if command == asked else computer.run(command))
    assert trouble(running, text) == []
    assert trouble(computer, text.replace('"dhcp"', '"192.0.2.2/24"')) == []
    (tmp_path / "etc/network").mkdir(parents=True)
    (tmp_path / "etc/network/interfaces").write_text("auto eth0\niface eth0 inet dhcp\n")
    assert trouble(running, text) == [("warning", "ifupdown")]
    assert trouble(computer) == []


def test_words_that_are_wrong_have_a_diagnosis(tmp_path: Path):
    init(tmp_path / "ap")
    folder = ["--folder", str(tmp_path / "ap")]
    assert "such as 02:00:00:00:00:01" in weir("block", "laptop", *folder, code=2)
    assert "not an address of a station" in weir("block", "ff:ff:ff:ff:ff:ff", *folder, code=2)
    assert "Expected --upload" in weir("limit", "02:00:00:00:00:01", *folder, code=2)
    assert "weir ap init" in weir("write", str(tmp_path), code=1)
    (tmp_path / "ap/stations.json").write_text('{"table_entries": [{}]}')
    assert "stations.json: expected stations in" in weir("block", "02:00:00:00:00:01", *folder)


def test_rules_come_back_from_their_file(tmp_path: Path):
    one, two, three = (f"02:00:00:00:00:0{number}" for number in (1, 2, 3))
    found = [Rule(one, blocked=True), Rule(two, slot=0, upload=80_000), Rule(three, slot=3, download=8000)]
    rules = {rule.mac: rule for rule in found}
    write_rules(tmp_path, rules)
    assert read_rules(tmp_path) == rules
    assert free_slot(rules) == 1
    assert len(document(rules.values())["table_entries"]) == 6
    assert hash_slot("02:00:00:00:00:01") >= 256


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", "null", '{"table_entries": 1e999}'])
def test_other_json_is_no_list_of_stations(tmp_path: Path, text: str):
    (tmp_path / "stations.json").write_text(text)
    with pytest.raises(WeirError, match="expected stations in the form that `weir ap` writes"):
        read_rules(tmp_path)


def test_settings_that_are_nested_too_deeply(tmp_path: Path):
    with pytest.raises(WeirError, match="nested too deeply"):
        parse_settings(BASE + "x = " + "[" * 5000, tmp_path / NAME)


def test_output_of_other_programs_is_read(tmp_path: Path):
    text = "Station 02:00:00:00:00:01 (on wlan0)\n\tinactive time:\t4 ms\n\tsignal:  \t-30 dBm\nStation 02:00:00:00:00:02 (on wlan0)\n"
    assert parse_station_dump(text) == {"02:00:00:00:00:01": -30, "02:00:00:00:00:02": None}
    (tmp_path / "leases").write_text(
        "1700000000 02:00:00:00:00:01 10.42.0.120 phone 01:02\n1 x\nduid 00:01\n"
    )
    assert leases(tmp_path / "leases") == {"02:00:00:00:00:01": ("10.42.0.120", "phone")}
    assert leases(tmp_path / "none") == {}


PHY = """\
Wiphy phy0
    Supported interface modes:
         * managed
         * AP
         * monitor
    Band 1:
        Frequencies:
            * 2412 MHz [1] (20.0 dBm)
            * 2437 MHz [6] (20.0 dBm)
            * 2472 MHz [13] (disabled)
"""


def machine(
    root: Path, phy: str = PHY, programs: str = "hostapd dnsmasq iw ip nft systemctl weir-switchd"
) -> Machine:
    """A fake computer with a radio and a cable, for the checks."""
    for name, text in {
        "sys/class/net/wlan0/phy80211/name": "phy0",
        "sys/class/net/eth0/carrier": "1",
        "lib/modules/6/modules.dep": "kernel/drivers/net/veth.ko.xz:\nkernel/net/netfilter/nft_masq.ko:\nkernel/net/netfilter/nft_ct.ko:\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return Machine(
        root,
        run=lambda command: phy if command[:2] == ["iw", "phy"] else None,
        find=lambda program: program if Path(program).name in programs.split() else None,
        opens_packet_sockets=lambda: None,
        release="6",
        is_root=True,
    )


def trouble(machine: Machine, text: str = BASE) -> list[tuple[str, str]]:
    problems = check(machine, parse_settings(text, Path("ap.toml")))
    assert all(finding.remedy for finding in problems if finding.state != "ok")
    return [(finding.state, finding.subject) for finding in problems if finding.state != "ok"]


def test_a_machine_that_lacks_nothing(tmp_path: Path):
    assert trouble(machine(tmp_path)) == []


def test_check_lists_what_the_machine_lacks(tmp_path: Path):
    computer = machine(
        tmp_path / "a", programs="iw ip systemctl nft dnsmasq", phy=PHY.replace("         * AP\n", "")
    )
    assert trouble(computer) == [("missing", "wlan0"), ("missing", "hostapd"), ("missing", "weir-switchd")]
    assert trouble(machine(tmp_path / "b"), BASE.replace("channel = 6", "channel = 13")) == [
        ("warning", "wlan0")
    ]
    assert trouble(machine(tmp_path / "b"), BASE.replace("channel = 6", "channel = 11")) == [
        ("missing", "wlan0")
    ]
    assert trouble(machine(tmp_path / "b"), BASE.replace("wlan0", "wlan1")) == [("missing", "wlan1")]
    assert trouble(machine(tmp_path / "b"), BASE.replace("eth0", "eth1")) == [("missing", "eth1")]
    computer = machine(tmp_path / "c")
    (tmp_path / "c/sys/class/net/eth0/carrier").write_text("0")
    (tmp_path / "c/lib/modules/6/modules.dep").write_text("")
    (tmp_path / "c/run/wpa_supplicant/wlan0").mkdir(parents=True)
    (tmp_path / "c/run/NetworkManager").mkdir()
    (tmp_path / "c/sys/class/rfkill/rfkill0").mkdir(parents=True)
    (tmp_path / "c/sys/class/rfkill/rfkill0/type").write_text("wlan")
    (tmp_path / "c/sys/class/rfkill/rfkill0/soft").write_text("1")
    assert trouble(computer) == [
        ("warning", "rfkill"),
        ("missing", "veth"),
        ("missing", "nft_masq"),
        ("missing", "nft_ct"),
        ("warning", "eth0"),
        ("missing", "wpa_supplicant"),
        ("warning", "NetworkManager"),
    ]


def test_programs_are_found_where_services_find_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    own = tmp_path / "weir-of-a-user"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_program(own.name) is None and find_program("sh") is not None
    assert run_command(["sh", "-c", "echo found"]) == "found\n"
    assert run_command(["sh", "-c", "exit 1"]) is None and run_command([own.name]) is None
    # Units start these by their path.
    assert find_program(str(own)) == str(own)
    computer = machine(tmp_path / "a")
    elsewhere = replace(computer, find=lambda program: None if program.startswith("/usr/sbin/") else program)
    assert trouble(elsewhere) == [("missing", "hostapd"), ("missing", "dnsmasq")]


def test_check_prints_json(tmp_path: Path):
    ended = CliRunner().invoke(app, ["ap", "check", "--json"])
    assert ended.exit_code in (0, 1)
    assert {"rights", "hostapd"} <= {finding["subject"] for finding in json.loads(ended.output)}
