"""The settings of an access point, from its file ``ap.toml``."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path
from typing import Final

from weir.ap.section import Section, SettingsError, T, join_mistakes
from weir.ap.values import (
    ChannelError,
    address,
    channel,
    check_word,
    endpoint,
    interface,
    mac,
    name_server,
    p4runtime,
    passphrase,
    rate,
    router,
    server_address,
    ssid,
)
from weir.errors import FileError, WeirError, shown
from weir.files.secret import check_secret
from weir.files.textfile import read_text
from weir.files.toml import load_toml
from weir.text.suggest import nearest

NAME: Final = "ap.toml"
"""The name of the settings file in an access point's folder."""

SECURITIES: Final = ("wpa2", "wpa2+wpa3", "wpa3", "open")
MODES: Final = ("route", "bridge")
COMMANDS: Final = ("weir-switchd", "weir switch")


@dataclass(frozen=True)
class Wifi:
    """The settings of the radio.

    Attributes:
        interface: the name of the Wi-Fi interface.
        ssid: the network's name, at most 32 bytes of UTF-8.
        passphrase: 8 to 63 printable ASCII characters; empty for an open network.
        security: one of :data:`SECURITIES`.
        country: the country's two letters of ISO 3166, which decide which channels and power are
        allowed.
        band: the frequency band in GHz, ``2.4`` or ``5``.
        channel: the channel's number in the band; 0 lets hostapd choose.
        max_stations: how many stations may be associated, 1 to 2007.
    """

    interface: str
    ssid: str
    passphrase: str = field(repr=False)
    security: str = "wpa2"
    country: str = "00"
    band: str = "2.4"
    channel: int = 6
    max_stations: int = 128


@dataclass(frozen=True)
class Network:
    """The settings of the stations' network.

    Attributes:
        mode: ``route``: stations are in a network of their own, and Linux routes to the uplink;
            ``bridge``: stations are in the uplink's network.
        uplink: the interface to other networks.
        host: the interface of this computer at the switch; the switch's end is ``HOST-port``.
        mac: the Ethernet address of that interface.
        address: the IPv4 address and prefix length of that interface; ``None`` for no address.
        dhcp: whether that interface gets its address over DHCP (``address = "dhcp"``).
        nat: whether Linux translates stations' addresses to this computer's address at the uplink.
        gateway: this computer's default router, in a bridge with a fixed address; ``None`` for no
        router.
        dns: the name servers that this computer queries, in a bridge with a fixed address.
    """

    mode: str
    uplink: str
    mac: str
    host: str = "ap0"
    address: IPv4Interface | None = None
    dhcp: bool = False
    nat: bool = True
    gateway: IPv4Address | None = None
    dns: tuple[str, ...] = ()

    @property
    def port(self) -> str:
        """The name of the interface at the switch's end, ``HOST-port``."""
        return f"{self.host}-port"


@dataclass(frozen=True)
class Dhcp:
    """The settings of DHCP and DNS for stations.

    Attributes:
        enabled: whether dnsmasq runs.
        first: the first address for stations.
        last: the last address for stations.
        lease: how long a station keeps its address, in dnsmasq's notation, such as ``12h``.
        dns: the name servers that dnsmasq queries; if empty, those of this computer.
    """

    enabled: bool = True
    first: str = ""
    last: str = ""
    lease: str = "12h"
    dns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Stations:
    """The settings that apply to each station.

    Attributes:
        isolate: whether stations cannot reach each other.
        upload: the limit of each station's upload, in bits per second; ``None`` for no limit.
        download: the limit of each station's download, in the same form.
    """

    isolate: bool = True
    upload: int | None = None
    download: int | None = None


@dataclass(frozen=True)
class Switch:
    """The settings of the switch's process.

    Attributes:
        command: the switch's program, ``weir-switchd`` (Rust) or ``weir switch`` (the same in the
            Python package).
        p4runtime: the address of its P4Runtime server.
        metrics: the address of its metrics; empty for none.
    """

    command: str = "weir-switchd"
    p4runtime: str = "unix:/run/weir-ap/p4runtime.sock"
    metrics: str = "127.0.0.1:9100"


@dataclass(frozen=True)
class Settings:
    """All settings of an access point."""

    wifi: Wifi
    network: Network
    dhcp: Dhcp = Dhcp()
    stations: Stations = Stations()
    switch: Switch = Switch()

    @property
    def has_rules(self) -> bool:
        """Whether nftables has rules of the access point."""
        return self.network.mode == "route"


def read_settings(folder: Path) -> Settings:
    """Reads the settings in a folder.

    Warns:
        WeirWarning: all users may read the file, which has the passphrase.

    Raises:
        FileError: there is no such file, or all users may write it.
        SettingsError: the file has mistakes; the message has their places and the expected values.
    """
    file = folder / NAME
    if not file.exists():
        raise FileError("there are no settings; `weir ap init` writes some", file=file)
    check_secret(file, "passphrase")
    return parse_settings(read_text(file, 1 << 20), file)


def parse_settings(text: str, file: Path) -> Settings:
    """Reads the settings from a file's text. The file's name is used in messages."""
    document = load_toml(text, file, SettingsError)
    kinds = {"wifi": Wifi, "network": Network, "dhcp": Dhcp, "stations": Stations, "switch": Switch}
    mistakes, misspelt = [], set()
    for name in document:
        if name not in kinds:
            suggestion = nearest(name, [kind for kind in kinds if kind not in document]) or nearest(
                name, kinds
            )
            misspelt.add(suggestion)
            mistakes.append(
                SettingsError(
                    f"there is no table [{name}] (tables: {', '.join(kinds)})",
                    file=file,
                    suggestion=suggestion,
                )
            )
    part = {name: Section(file, text, document, name, kind) for name, kind in kinds.items()}

    def read(name: str, parse: Callable[[Section], T]) -> T | None:
        if name in misspelt and name not in document:
            return None
        section = part[name].read(parse)
        mistakes.extend(part[name].mistakes)
        return section

    wifi, network = read("wifi", _wifi), read("network", _network)
    if wifi is not None and network is not None:
        try:
            _check_names(part["network"], wifi, network)
        except SettingsError as error:
            mistakes.append(error)
    dhcp = None
    if network is None:
        # The addresses for stations must be in the network.
        mistakes.extend(part["dhcp"].mistakes)
    else:
        dhcp = read("dhcp", partial(_dhcp, network=network))
    stations, switch = read("stations", _stations), read("switch", _switch)
    if mistakes or wifi is None or network is None or dhcp is None or stations is None or switch is None:
        raise join_mistakes(mistakes)
    return Settings(wifi, network, dhcp, stations, switch)


def _check_names(part: Section, wifi: Wifi, network: Network) -> None:
    """Checks that no interface has two tasks.

    ``network down`` deletes the interface ``host``, which must not be the radio.
    """
    taken = {wifi.interface: "the Wi-Fi interface"}
    for key, name, task in (
        ("uplink", network.uplink, "the uplink"),
        ("host", network.host, "this computer's interface"),
        ("host", network.port, f"the switch's end of {network.host}"),
    ):
        if name in taken:
            raise part.fail(key, f"{name} is already used as {taken[name]}")
        taken[name] = task


def _wifi(part: Section) -> Wifi:
    security = part.get("security", "wpa2", str, lambda value: check_word(value, SECURITIES))
    words = part.get("passphrase", "" if security == "open" else ..., str)
    if security == "open" and words:
        raise part.fail("passphrase", 'an open network has none; remove it, or choose security = "wpa2"')
    if security != "open":
        try:
            passphrase(words)
        except WeirError as error:
            raise part.fail("passphrase", error.message) from None
    band = part.get("band", "2.4", str, lambda value: check_word(value, ("2.4", "5")))
    number = part.get("channel", 6 if band == "2.4" else 36, int)
    try:
        channel(band, number)
    except ChannelError as error:
        raise part.fail("channel", error.message) from None
    country = part.get("country", ..., str)
    if not re.fullmatch("[A-Z]{2}|00", country):
        raise part.fail("country", f'expected two letters of ISO 3166, such as "DE", found {shown(country)}')
    stations = part.get("max_stations", 128, int)
    if not 1 <= stations <= 2007:
        raise part.fail("max_stations", f"expected 1 to 2007, found {stations}")
    name = part.get("interface", ..., str, interface)
    return Wifi(name, part.get("ssid", ..., str, ssid), words, security, country, band, number, stations)


def _network(part: Section) -> Network:
    mode = part.get("mode", "route", str, lambda value: check_word(value, MODES))
    text = part.get("address", "10.42.0.1/24" if mode == "route" else "dhcp", str)
    own_address = None
    if text == "dhcp" and mode == "route":
        raise part.fail("address", 'a network of its own needs an address, such as "10.42.0.1/24"')
    if text not in ("dhcp", "none") or mode == "route":
        try:
            own_address = address(text)
        except WeirError as error:
            raise part.fail("address", error.message) from None
    host = part.get("host", "ap0", str, interface)
    if len(host) > 10:
        raise part.fail("host", f"expected at most 10 characters, so that {host}-port is also a valid name")
    uplink = part.get("uplink", ..., str, interface)
    nat = part.get("nat", mode == "route", bool)
    if nat and mode == "bridge":
        raise part.fail("nat", 'stations of a bridge are in the uplink\'s network; NAT needs mode = "route"')
    gateway, dns = _fixed_addresses(part, mode, text, own_address)
    return Network(
        mode, uplink, part.get("mac", ..., str, mac), host, own_address, text == "dhcp", nat, gateway, dns
    )


def _fixed_addresses(
    part: Section, mode: str, text: str, own: IPv4Interface | None
) -> tuple[IPv4Address | None, tuple[str, ...]]:
    """Reads the gateway and the name servers, which are allowed only in a bridge with a fixed
    address."""
    for key in ("gateway", "dns"):
        if key in part and mode == "route":
            raise part.fail(key, 'the configuration of the uplink has this; it is only for mode = "bridge"')
        if key in part and own is None:
            reason = "DHCP provides it" if text == "dhcp" else "this computer has no address"
            raise part.fail(key, f'{reason}; it needs a fixed address, such as address = "192.168.1.2/24"')
    gateway = part.get("gateway", None, str, router)
    if gateway is not None and own is not None:
        if gateway not in own.network:
            raise part.fail("gateway", f"{gateway} is not in {own.network}, where {own.ip} is")
        if gateway == own.ip:
            raise part.fail("gateway", f"{gateway} is this computer's own address")
        if gateway in (own.network[0], own.network[-1]):
            raise part.fail("gateway", f"{gateway} is not a host of {own.network}")
    return gateway, _servers(part, server_address)


def _servers(part: Section, read: Callable[[object], str]) -> tuple[str, ...]:
    """Reads a list of name servers, each with the function ``read``."""
    servers = part.get("dns", [], list)
    for server in servers:
        try:
            read(server)
        except WeirError as error:
            raise part.fail("dns", error.message) from None
    return tuple(servers)


def _dhcp(part: Section, network: Network) -> Dhcp:
    enabled = part.get("enabled", network.mode == "route", bool)
    if not enabled:
        return Dhcp(enabled=False)
    if network.address is None:
        raise part.fail(
            "enabled",
            "a DHCP server needs network.address; without an address, the stations ask the DHCP server "
            "of the uplink's network",
        )
    hosts = network.address.network
    ends = []
    for key, default in (("first", hosts[min(100, hosts.num_addresses // 2)]), ("last", hosts[-2])):
        text = part.get(key, str(default), str)
        try:
            address = IPv4Address(text)
        except ValueError:
            raise part.fail(key, f"expected an IPv4 address, found {shown(text)}") from None
        if address not in hosts:
            raise part.fail(key, f"{address} is not in {hosts}")
        if address in (hosts[0], hosts[-1]):
            kind = "network" if address == hosts[0] else "broadcast"
            raise part.fail(key, f"{address} is the {kind} address of {hosts}")
        ends.append(address)
    if ends[0] > ends[1]:
        raise part.fail("first", f"{ends[0]} is larger than the last address, {ends[1]}")
    if ends[0] <= network.address.ip <= ends[1]:
        raise part.fail("first", f"the range has this computer's own address {network.address.ip}")
    lease = part.get("lease", "12h", str)
    if not re.fullmatch("[1-9][0-9]*[smhdw]?|infinite", lease):
        raise part.fail("lease", f'expected a time such as "12h" or "30m", found {shown(lease)}')
    return Dhcp(True, str(ends[0]), str(ends[1]), lease, _servers(part, name_server))


def _stations(part: Section) -> Stations:
    limits = [part.get(key, None, str, rate) for key in ("upload", "download")]
    return Stations(part.get("isolate", True, bool), *limits)


def _switch(part: Section) -> Switch:
    default = Switch()
    command = part.get("command", default.command, str, lambda value: check_word(value, COMMANDS))
    control = part.get("p4runtime", default.p4runtime, str, p4runtime)
    metrics = part.get("metrics", default.metrics, str, lambda value: value and endpoint(value))
    return Switch(command, control, metrics)
