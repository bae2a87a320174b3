"""Writes the files in an access point's folder, and finds files that would change."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from weir.ap import scripts, services, stations
from weir.ap.settings import NAME, Settings
from weir.files import system_errors
from weir.files.opening import make_folder
from weir.files.textfile import read_text
from weir.files.whole_file import WholeFile

_EXECUTABLE: Final = ("network", "install", "uninstall")
_SECRET: Final = (NAME, "hostapd.conf")
_ALPHABET: Final = "abcdefghijkmnpqrstuvwxyz23456789"  # without l, 1, o and 0, which look alike

_TEMPLATE: Final = """\
# The settings of an access point, from which `weir ap write` creates the other files of this folder.

[wifi]
interface = {interface}
ssid = {ssid}
passphrase = {passphrase}
security = "wpa2"            # wpa2, wpa2+wpa3, wpa3, open
country = {country}               # two letters of ISO 3166; "00": only channels that all countries allow
band = {band}                 # GHz: 2.4 or 5
channel = {channel}                  # 0: hostapd chooses
max_stations = 128

[network]
mode = {mode}               # route: stations have their own network behind this computer; bridge: they are in the uplink's network
uplink = {uplink}
host = {host}                 # this computer's interface at the switch
mac = {mac}    # its Ethernet address
address = {address}     # of this computer; in a bridge also "dhcp" or "none"
{fixed}nat = {nat}                   # whether stations appear to the uplink with this computer's address

[dhcp]
enabled = {dhcp}               # dnsmasq; a bridge has the servers of the uplink's network
lease = "12h"
dns = []                     # servers for names; empty: those of this computer

[stations]
isolate = {isolate}               # whether stations cannot reach each other
upload = {upload}         # limits for each station, such as "20Mbit"
download = {download}

[switch]
command = "weir-switchd"     # or "weir switch", the same in the Python package
p4runtime = "unix:/run/weir-ap/p4runtime.sock"
metrics = "127.0.0.1:9100"   # for Prometheus and `weir top`; "" for none
"""

_FIXED_ADDRESS_EXAMPLE: Final = """\
# With an address of its own instead of DHCP:
# gateway = "192.168.1.1"
# dns = ["192.168.1.1"]
"""


def template(
    *,
    interface: str,
    uplink: str,
    ssid: str,
    country: str,
    mode: str = "route",
    band: str = "2.4",
    passphrase: str | None = None,
    address: str | None = None,
    isolate: bool = True,
    upload: str = "unlimited",
    download: str = "unlimited",
) -> str:
    """Returns the text of a new ``ap.toml``. The switch's Ethernet address is random. The
    passphrase is random if none is given."""
    routed = mode == "route"
    # A radio's second interface is often named ap0.
    host = next(name for name in ("ap0", "ap1", "ap2") if name not in (interface, uplink))
    numbers = secrets.token_bytes(5)
    return _TEMPLATE.format(
        interface=_toml_string(interface),
        ssid=_toml_string(ssid),
        passphrase=_toml_string(_passphrase() if passphrase is None else passphrase),
        country=_toml_string(country),
        band=_toml_string(band),
        channel=6 if band == "2.4" else 36,
        mode=_toml_string(mode),
        uplink=_toml_string(uplink),
        host=_toml_string(host),
        # A local address (IEEE 802, section 8.2.2).
        mac=_toml_string(":".join(f"{number:02x}" for number in (2, *numbers))),
        address=_toml_string(address if address is not None else "10.42.0.1/24" if routed else "dhcp"),
        fixed="" if routed else _FIXED_ADDRESS_EXAMPLE,
        nat=_flag(routed),
        dhcp=_flag(routed),
        isolate=_flag(isolate),
        upload=_toml_string(upload),
        download=_toml_string(download),
    )


def _toml_string(text: str) -> str:
    """Converts a string to a TOML string. TOML has JSON's escapes, except for DEL and surrogate
    pairs."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _passphrase() -> str:
    """Draws a random passphrase of four groups of five characters, which has 100 bits of
    entropy."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(5)) for _ in range(4))


def contents(settings: Settings) -> dict[str, str]:
    """Generates all files that Weir derives from the settings; returns their contents by file
    name."""
    program = Path(__file__).with_name(services.PROGRAM).read_text(encoding="utf-8")
    units = services.units(settings)
    files = {
        services.PROGRAM: program,
        services.ENTRIES[0]: _json(stations.entries(settings)),
        "hostapd.conf": services.hostapd(settings),
        "network": scripts.network(settings),
    }
    if settings.dhcp.enabled:
        files["dnsmasq.conf"] = services.dnsmasq(settings)
    if settings.has_rules:
        files["weir-ap.nft"] = services.nftables(settings)
    installed = [*files, services.ENTRIES[1], NAME]
    files["ports.network"] = services.networkd_ports(settings)
    if settings.network.dhcp:
        files["ap.network"] = services.networkd(settings)
    files["install"] = scripts.install(settings, installed, units)
    files["uninstall"] = scripts.uninstall(settings, units)
    files["README"] = _readme(settings)
    return files | {f"systemd/{name}": text for name, text in units.items()}


def changed_files(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Returns the names of the files that exist in the folder with other content than the given
    one."""
    return [
        name
        for name, text in files.items()
        if (folder / name).exists() and read_text(folder / name, 1 << 24) != text
    ]


def write(folder: Path, files: Mapping[str, str]) -> list[Path]:
    """Writes the files, and an empty ``stations.json`` if the folder has none.

    Returns:
        The paths of the files that were written or already had this content.

    Raises:
        FileError: a file cannot be written.
    """
    files = dict(files)
    if not (folder / services.ENTRIES[1]).exists():
        files[services.ENTRIES[1]] = _json(stations.document([]))
    with system_errors(folder / "systemd", "cannot be created"):
        make_folder(folder / "systemd")
    for name, text in files.items():
        write_file(folder / name, text)
    return [folder / name for name in files]


def write_file(path: Path, text: str) -> None:
    """Writes one file with its permissions, so that nobody else can read a passphrase at any
    time."""
    name = path.name
    file = WholeFile(path, mode=0o600 if name in _SECRET else 0o755 if name in _EXECUTABLE else 0o644)
    with file.discard_on_error():
        file.partial.write_text(text, encoding="utf-8")
    file.commit()


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"


def _readme(settings: Settings) -> str:
    net = settings.network
    packages = ["hostapd", "iw", "iproute2"]
    packages += ["dnsmasq"] if settings.dhcp.enabled else []
    packages += ["nftables"] if settings.has_rules else []
    bridge = (
        f"The switch takes over {net.uplink}: this computer is reached over {net.host} from then on, so\n"
        f"do not install it over a connection through {net.uplink}. ./uninstall gives {net.uplink} back.\n\n"
        if net.mode == "bridge"
        else ""
    )
    return f"""\
The access point "{settings.wifi.ssid}" on {settings.wifi.interface}.

{bridge}Install:
  apt install {" ".join(packages)}
  weir ap check .                       # what this computer lacks
  sudo ./install                        # copies to {services.INSTALLED} and /etc/systemd/system
  sudo systemctl enable --now weir-ap.target

The services that Debian's packages start by themselves are not used:
  sudo systemctl disable --now hostapd{" dnsmasq" if settings.dhcp.enabled else ""}

Control it ({services.INSTALLED} by default):
  sudo weir ap status
  sudo weir ap block 02:00:00:00:00:01
  sudo weir ap limit 02:00:00:00:00:01 --download 5Mbit

Without Python: edit {services.INSTALLED}/stations.json, then `systemctl reload weir-ap-switch`.
Remove it: sudo ./uninstall
"""
