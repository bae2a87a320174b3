"""``weir ap``: a bridge in which this computer has a fixed address."""

from dataclasses import replace
from pathlib import Path

import pytest

from test_ap import machine, trouble
from weir.ap import folder as files
from weir.ap.settings import parse_settings
from weir.errors import WeirError

DHCP = files.template(interface="wlan0", uplink="eth0", ssid="x", country="DE", mode="bridge")
FIXED = (
    DHCP.replace('address = "dhcp"', 'address = "192.0.2.2/24"')
    .replace("# gateway", "gateway")
    .replace("# dns =", "dns =")
)
BASE = FIXED.replace("192.168.1.1", "192.0.2.1")


def line_of(text: str, key: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.startswith(f"{key} ="))


def test_a_fixed_address_has_a_gateway_and_servers_for_names():
    contents = files.contents(
        parse_settings(BASE.replace('["192.0.2.1"]', '["192.0.2.1", "2620:fe::fe"]'), Path("ap.toml"))
    )
    lines = [line.strip() for line in contents["network"].splitlines()]
    place = lines.index("ip address replace 192.0.2.2/24 dev ap0")
    assert lines[place + 1] == "ip route replace default via 192.0.2.1 dev ap0"
    assert "resolvectl dns ap0 192.0.2.1 2620:fe::fe && resolvectl domain ap0 '~.'" in lines[place + 2]
    assert "ap.network" not in contents
    plain = files.contents(parse_settings(DHCP, Path("ap.toml")))["network"]
    assert "default" not in plain and "resolvectl" not in plain


def test_stations_of_a_bridge_learn_its_gateway():
    for gateway, expected in (("", "router"), ('gateway = "192.0.2.1"', "router,192.0.2.1")):
        text = BASE.replace('gateway = "192.0.2.1"', gateway).replace("enabled = false", "enabled = true")
        lines = files.contents(parse_settings(text, Path("ap.toml")))["dnsmasq.conf"].splitlines()
        assert f"dhcp-option=option:{expected}" in lines


@pytest.mark.parametrize(
    ("before", "after", "key", "expected"),
    [
        ('"192.0.2.1"', '"192.0.3.1"', "gateway", "192.0.3.1 is not in 192.0.2.0/24, where 192.0.2.2 is"),
        ('"192.0.2.1"', '"192.0.2.2"', "gateway", "this computer's own address"),
        ('"192.0.2.1"', '"192.0.2.255"', "gateway", "is not a host of 192.0.2.0/24"),
        ('"192.0.2.1"', '"2001:db8::1"', "gateway", "expected an IPv4 address such as 192.168.1.1"),
        ('["192.0.2.1"]', '["192.0.2.1#53"]', "dns", "an address without a port"),
        ('["192.0.2.1"]', '["router"]', "dns", "expected the address of a server"),
        ('"192.0.2.2/24"', '"dhcp"', "gateway", "DHCP provides it; it needs a fixed address"),
        ('"192.0.2.2/24"', '"none"', "gateway", "this computer has no address"),
        ('mode = "bridge"', 'mode = "route"', "gateway", 'for mode = "bridge"'),
    ],
)
def test_mistakes_have_a_place(before: str, after: str, key: str, expected: str):
    text = BASE.replace(before, after, 1)
    with pytest.raises(WeirError) as raised:
        parse_settings(text, Path("ap.toml"))
    assert str(raised.value).startswith(f"ap.toml:{line_of(text, key)}: network.{key}: ")
    assert expected in str(raised.value)


def test_somebody_must_ask_the_servers(tmp_path: Path):
    computer = machine(tmp_path)
    assert trouble(computer, BASE) == [("warning", "systemd-resolved")]
    asked = ["systemctl", "is-active", "--quiet", "systemd-resolved"]
    running = replace(computer, run=lambda command: "" if command == asked else computer.run(command))
    assert trouble(running, BASE) == []
