"""Checks the values of settings: names, addresses, channels, rates."""

from __future__ import annotations

import ipaddress
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Final

from weir import units
from weir.errors import WeirError, shown
from weir.text.address import split_port
from weir.text.suggest import nearest

CHANNELS: Final = {
    "2.4": tuple(range(1, 14)),
    # Channels of 20 MHz each. Channels 52 to 144 share the air with radar.
    "5": (*range(36, 65, 4), *range(100, 145, 4), *range(149, 178, 4)),
}
"""The channels of each band, in GHz (IEEE 802.11-2020, annex E)."""


class ChannelError(WeirError):
    """An error about a channel that does not exist in its band."""


def check_word(value: str, known: Sequence[str]) -> str:
    """Checks that a value is one of the known words, and returns it."""
    if value not in known:
        raise WeirError(
            f"expected {', '.join(known[:-1])} or {known[-1]}, found {shown(value)}",
            suggestion=nearest(value, known),
        )
    return value


def interface(name: str) -> str:
    """Checks an interface's name by Linux's rules; characters that are special to shells are not
    allowed."""
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}", name):
        raise WeirError(f"expected the name of an interface (at most 15 characters), found {shown(name)}")
    return name


def ssid(name: str) -> str:
    """Checks the name of a Wi-Fi network."""
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        raise WeirError(f"expected UTF-8, found {shown(name)}") from None
    if not 1 <= size <= 32:
        raise WeirError(f"expected 1 to 32 bytes, found {size}")
    if re.search(r"[\x00-\x1f\x7f]", name):
        raise WeirError("control characters are not allowed in a name")
    return name


def passphrase(words: str) -> str:
    """Checks a WPA passphrase."""
    if not 8 <= len(words) <= 63:
        raise WeirError(f"expected 8 to 63 characters, found {len(words)}")
    if not re.fullmatch(r"[ -~]+", words):
        raise WeirError("expected printable ASCII characters")
    return words


def channel(band: str, number: int) -> int:
    """Checks the number of a channel; 0 lets hostapd choose a channel."""
    if number and number not in CHANNELS[band]:
        channels = ", ".join(map(str, CHANNELS[band]))
        raise ChannelError(f"{band} GHz has no channel {number} (channels: {channels}; 0: hostapd chooses)")
    return number


def mac(text: str) -> str:
    """Checks the Ethernet address of a single interface, and returns it in lower case."""
    address = text.lower().replace("-", ":")
    if not re.fullmatch(r"([0-9a-f]{2}:){5}[0-9a-f]{2}", address):
        raise WeirError(f"expected an Ethernet address such as 02:00:00:00:00:01, found {shown(text)}")
    if int(address[:2], 16) & 1 or address == "00:00:00:00:00:00":
        raise WeirError(f"{address} is not an address of a station")
    return address


def address(text: str) -> ipaddress.IPv4Interface:
    """Reads a host's IPv4 address with a prefix of up to 29 bits."""
    try:
        interface = ipaddress.IPv4Interface(text)
    except ValueError:
        interface = None
    if interface is None or "/" not in text:
        raise WeirError(f"expected an IPv4 address and its prefix, such as 10.42.0.1/24, found {shown(text)}")
    if interface.network.prefixlen > 29:
        raise WeirError(
            f"{text}: the network has no addresses left for stations; expected a prefix of up to 29 bits"
        )
    if interface.ip in (interface.network.network_address, interface.network.broadcast_address):
        raise WeirError(
            f"{interface.ip} is the {'network' if interface.ip == interface.network[0] else 'broadcast'} address"
        )
    return interface


def router(text: str) -> ipaddress.IPv4Address:
    """Reads the IPv4 address of a router."""
    try:
        return ipaddress.IPv4Address(text)
    except ValueError:
        raise WeirError(f"expected an IPv4 address such as 192.168.1.1, found {shown(text)}") from None


def server_address(text: object) -> str:
    """Checks the address of a name server for systemd-resolved, which is an IP address."""
    if "#" in str(text):
        raise WeirError(f"expected an address without a port, such as 9.9.9.9, found {shown(text)}")
    return name_server(text)


def name_server(text: object) -> str:
    """Checks the address of a name server for dnsmasq, ``IP`` or ``IP#PORT``."""
    words = str(text).split("#")
    try:
        parts = [str(ipaddress.ip_address(words[0])), *(_port(word) for word in words[1:])]
    except ValueError:
        parts = []
    if not isinstance(text, str) or "%" in text or not 1 <= len(parts) <= 2:
        raise WeirError(f"expected the address of a server, such as 9.9.9.9, found {shown(text)}")
    return text


def endpoint(text: str) -> str:
    """Checks an IP address and a TCP port, ``IP:PORT``, with IPv6 addresses in brackets."""
    _endpoint(text)
    return text


def _endpoint(text: str) -> IPv4Address | IPv6Address:
    """Reads ``IP:PORT``; returns the IP address."""
    parts = split_port(text)
    try:
        if parts is None or "%" in text or not parts[1]:
            raise ValueError
        return ipaddress.ip_address(parts[0])
    except ValueError:
        raise WeirError(f"expected IP:PORT, such as 127.0.0.1:9559, found {shown(text)}") from None


def _port(text: str) -> str:
    if not re.fullmatch("[0-9]{1,5}", text) or not 1 <= int(text) <= 65535:
        raise ValueError
    return text


def p4runtime(text: str) -> str:
    """Checks the address of a P4Runtime server: ``unix:PATH`` with a folder in the path, or
    ``IP:PORT`` of this computer.

    The path must not have spaces or characters that systemd or shells expand. weir-switchd refuses
    the same addresses: without TLS, a server on another address would give control to everybody,
    and only an earlier socket can be replaced.
    """
    if text.startswith("unix:"):
        if not re.fullmatch(r"unix:(/[A-Za-z0-9_.-]+){2,}", text):
            raise WeirError(
                "expected unix: and a path of letters, digits and _ . - / such as "
                f"unix:/run/weir-ap/p4runtime.sock, found {shown(text)}"
            )
        if len(text) > 5 + 107:
            raise WeirError(f"the path of a socket has at most 107 characters, found {len(text) - 5}")
        path = Path(text.removeprefix("unix:"))
        with suppress(OSError):
            if not stat.S_ISSOCK(path.lstat().st_mode):
                raise WeirError(f"{path} exists and is not a socket: name a new file")
        return text
    if not _endpoint(text).is_loopback:
        raise WeirError(
            f"expected an address of this computer, such as 127.0.0.1:9559, found {shown(text)}: without "
            "TLS, everybody who reaches the port could control the switch"
        )
    return text


def rate(text: str) -> int | None:
    """Reads a limit in bits per second; returns ``None`` for ``unlimited``."""
    bps = units.link_rate(text, "limit")
    if bps is not None and bps < 8000:
        raise WeirError(f"expected at least 8kbit, found {shown(text)}")
    return bps
