"""Settings of an access point with several mistakes."""

from pathlib import Path

import pytest

from weir.ap import folder as files
from weir.ap.settings import parse_settings
from weir.errors import WeirError

BASE = files.template(
    interface="wlan0", uplink="eth0", ssid='a "lab" ü', country="DE", passphrase='o"ne two\\three'
)


def test_all_mistakes_are_told_at_once():
    text = (
        BASE.replace("channel = 6", "chanel = 6")
        .replace('country = "DE"', 'country = "Germany"')
        .replace('ssid = "a \\"lab\\" ü"', 'ssid = ""')
        .replace("127.0.0.1:9100", "x")
        .replace("[stations]", "[station]")
    )
    with pytest.raises(WeirError) as raised:
        parse_settings(text, Path("ap.toml"))
    lines = str(raised.value).splitlines()
    for line, expected in zip(
        lines,
        ["no table [station]", "wifi.ssid", "wifi.country", 'no setting "chanel"', "switch.metrics"],
        strict=True,
    ):
        assert expected in line, raised.value


def test_consequences_of_a_mistake_are_not_reported():
    for before, after in [('"wpa2"', '"wpa"'), ('mode = "route"', 'mode = "roete"')]:
        assert before in BASE
        with pytest.raises(WeirError) as raised:
            parse_settings(BASE.replace(before, after, 1), Path("ap.toml"))
        assert len(str(raised.value).splitlines()) == 1, raised.value
    with pytest.raises(WeirError) as raised:
        parse_settings("", Path("ap.toml"))
    missing = [line.split(": ")[1] for line in str(raised.value).splitlines()]
    assert missing == [
        "wifi.passphrase",
        "wifi.country",
        "wifi.interface",
        "wifi.ssid",
        "network.uplink",
        "network.mac",
    ]
