"""Checks whether a machine meets the requirements of an access point, and suggests remedies."""

from __future__ import annotations

import os
import platform
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from weir.ap.services import DAEMONS
from weir.ap.settings import Settings
from weir.text.suggest import listing

_PACKAGES: Final = {
    "hostapd": "hostapd",
    "dnsmasq": "dnsmasq",
    "iw": "iw",
    "ip": "iproute2",
    "nft": "nftables",
    "systemctl": "systemd",
}
"""The Debian package of each program."""


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes:
        subject: what was checked.
        state: ``ok``, ``warning`` (the access point may work), or ``missing`` (it cannot work).
        text: what was found or is missing.
        remedy: a suggested change; empty if nothing needs to change.
    """

    subject: str
    state: str
    text: str
    remedy: str = ""


_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""The PATH on which systemd finds the programs of services, whatever this user's PATH is
(systemd.exec(5))."""


def run_command(command: Sequence[str]) -> str | None:
    """Runs a command and returns its output; ``None`` if it fails.

    The command may also be in folders that a user's PATH lacks.
    """
    program = find_program(command[0])
    if program is None:
        return None
    try:
        ended = subprocess.run(
            [program, *command[1:]], capture_output=True, text=True, errors="replace", timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ended.stdout if ended.returncode == 0 else None


def find_program(program: str) -> str | None:
    """Finds the path at which services find a program, given by name or path; ``None`` if they do
    not find it."""
    return shutil.which(program, path=_PATH)


def _opens_packet_sockets() -> str | None:
    """Tries to open a packet socket; returns the reason why it cannot be opened, ``None`` if it
    can."""
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0).close()
    except OSError as error:
        return error.strerror or str(error)
    return None


@dataclass(frozen=True)
class Machine:
    """Access to the parts of a computer that the checks read.

    Attributes:
        root: the root of the file system; tests use another folder.
        run: a function that runs a command and returns its output, ``None`` if the command fails.
        find: a function that returns the path at which services find a program, ``None`` if they do
            not find it.
        opens_packet_sockets: a function that returns the reason why packet sockets cannot be
            opened, ``None`` if they can.
        release: the kernel's release, as ``uname -r`` prints it.
        is_root: whether this process runs as root.
    """

    root: Path = Path("/")
    run: Callable[[Sequence[str]], str | None] = run_command
    find: Callable[[str], str | None] = find_program
    opens_packet_sockets: Callable[[], str | None] = _opens_packet_sockets
    release: str = field(default_factory=platform.release)
    is_root: bool = field(default_factory=lambda: os.geteuid() == 0)

    def read(self, path: str) -> str | None:
        """Reads the text of a file; returns ``None`` if the file cannot be read."""
        try:
            return (self.root / path).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return None

    def interfaces(self) -> list[str]:
        """Lists the names of the computer's network interfaces."""
        folder = self.root / "sys/class/net"
        return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []

    def wifi_interfaces(self) -> list[str]:
        """Lists the names of the computer's Wi-Fi interfaces."""
        return [
            name for name in self.interfaces() if (self.root / "sys/class/net" / name / "phy80211").exists()
        ]

    def has_module(self, name: str) -> bool | None:
        """Finds out whether the kernel has a module, loaded, built in, or as a file; returns
        ``None`` if that is unknown."""
        if (self.root / "sys/module" / name).exists():
            return True
        lists = [self.read(f"lib/modules/{self.release}/modules.{kind}") for kind in ("builtin", "dep")]
        if lists == [None, None]:
            return None
        return any(re.search(rf"/{name.replace('_', '[_-]')}\.ko", text or "") for text in lists)


def check(machine: Machine, settings: Settings | None) -> list[Finding]:
    """Runs all checks and returns their results; without settings, only the checks of radios,
    programs and privileges."""
    findings = [*_packet_sockets(machine), *_radio(machine, settings), *_programs(machine, settings)]
    findings += _modules(machine, settings)
    if settings is not None:
        findings += [*_uplink(machine, settings), *_dhcp_client(machine, settings)]
        findings += _resolver(machine, settings)
        findings += [*_conflicting_programs(machine, settings), *_forwarding(machine, settings)]
    return findings


def _packet_sockets(machine: Machine) -> Iterator[Finding]:
    problem = machine.opens_packet_sockets()
    if problem is None:
        yield Finding("rights", "ok", "packet sockets can be opened")
    elif machine.is_root:
        yield Finding(
            "rights",
            "missing",
            f"root cannot open packet sockets: {problem}",
            "a container needs CAP_NET_RAW and CAP_NET_ADMIN",
        )
    else:
        yield Finding(
            "rights",
            "warning",
            f"no packet sockets: {problem}",
            "run this command with sudo to check everything",
        )


def _radio(machine: Machine, settings: Settings | None) -> Iterator[Finding]:
    radios = machine.wifi_interfaces()
    if settings is None:
        if not radios:
            yield Finding("radio", "missing", "there is no Wi-Fi interface", _NO_RADIO)
        names = radios
    else:
        name = settings.wifi.interface
        if name not in machine.interfaces():
            alternatives = f"there are: {listing(radios)}" if radios else _NO_RADIO
            yield Finding(name, "missing", "there is no such interface", alternatives)
            return
        if name not in radios:
            yield Finding(name, "missing", "is not a Wi-Fi interface", f"Wi-Fi interfaces: {listing(radios)}")
            return
        names = [name]
    for name in names:
        yield from _access_point_mode(machine, name, settings)
    for switch in sorted(machine.root.glob("sys/class/rfkill/*")):
        relative = switch.relative_to(machine.root)
        if machine.read(f"{relative}/type") != "wlan":
            continue
        if machine.read(f"{relative}/hard") == "1":
            yield Finding("rfkill", "missing", "a hardware switch turns Wi-Fi off", "turn it on")
        elif machine.read(f"{relative}/soft") == "1":
            yield Finding(
                "rfkill", "warning", "Wi-Fi is off", "rfkill unblock wlan (the access point does so)"
            )


_NO_RADIO: Final = (
    "plug in a Wi-Fi adapter, or install its firmware; `modprobe mac80211_hwsim` makes simulated ones"
)


def _access_point_mode(machine: Machine, name: str, settings: Settings | None) -> Iterator[Finding]:
    phy = machine.read(f"sys/class/net/{name}/phy80211/name")
    text = machine.run(["iw", "phy", phy, "info"]) if phy else None
    if text is None:
        yield Finding(name, "warning", "iw does not report its capabilities", "apt install iw")
        return
    modes = re.search(r"Supported interface modes:\n((?:\s+\* .*\n)*)", text)
    if modes is None or not re.search(r"\* AP$", modes[1], re.MULTILINE):
        yield Finding(name, "missing", "cannot be an access point (no mode AP)", "use another Wi-Fi adapter")
        return
    yield Finding(name, "ok", "can be an access point")
    if settings is None or not settings.wifi.channel:
        return
    wifi = settings.wifi
    base = 5000 if wifi.band == "5" else 2407
    line = re.search(rf"\* {base + 5 * wifi.channel}(?:\.0)? MHz \[{wifi.channel}\](.*)", text)
    channel = f"channel {wifi.channel} of {wifi.band} GHz"
    if line is None:
        yield Finding(name, "missing", f"has no {channel}", "choose another channel or band in ap.toml")
    elif "disabled" in line[1] or "no IR" in line[1]:
        yield Finding(
            name,
            "warning",
            f"must not send on {channel} under the current rules ({line[1].strip()})",
            f"the country {wifi.country} may allow it once hostapd sets it; see `iw reg get`",
        )
    elif "radar" in line[1]:
        yield Finding(
            name, "warning", f"{channel} is shared with radar", "hostapd listens for 1 to 10 minutes first"
        )
    else:
        yield Finding(name, "ok", f"may use {channel}")


def _programs(machine: Machine, settings: Settings | None) -> Iterator[Finding]:
    needed = ["hostapd", "iw", "ip", "systemctl"]
    needed += ["dnsmasq"] if settings is None or settings.dhcp.enabled else []
    needed += ["nft"] if settings is None or settings.has_rules else []
    for program in needed:
        path = DAEMONS.get(program)
        if place := machine.find(path or program):
            yield Finding(program, "ok", place)
        else:
            text = f"the file {path} does not exist" if path else "is not installed"
            yield Finding(program, "missing", text, f"apt install {_PACKAGES[program]}")
    name = (settings.switch.command if settings else "weir-switchd").split()[0]
    place = machine.find(name)
    if place is None:
        yield Finding(
            name,
            "missing",
            f"is not where systemd looks, {_PATH}",
            'copy it to /usr/local/bin; or command = "weir switch" in ap.toml'
            if name == "weir-switchd"
            else "link it from /usr/local/bin",
        )
    else:
        yield Finding(name, "ok", place)


_MODULE_FILES: Final = {
    "veth": "`ip link add w0 type veth peer name w1 && ip link del w0` as root tests this",
    "nft_masq": "`modprobe nft_masq` as root tests this",
    "nft_ct": "`modprobe nft_ct` as root tests this",
}
"""Files whose existence shows that the kernel has a module. These files are for modules that the
kernel does not report."""


def _modules(machine: Machine, settings: Settings | None) -> Iterator[Finding]:
    needed = ["veth"]
    needed += ["nft_masq", "nft_ct"] if settings is None or settings.network.nat else []
    for module in needed:
        is_available = machine.has_module(module)
        if is_available:
            yield Finding(module, "ok", "the kernel has this module")
        elif is_available is None:
            yield Finding(
                module,
                "warning",
                f"the kernel {machine.release} does not report whether it has this module",
                _MODULE_FILES[module],
            )
        else:
            text = f"the kernel {machine.release} has no module {module}"
            yield Finding(module, "missing", text, "install another kernel")


def _uplink(machine: Machine, settings: Settings) -> Iterator[Finding]:
    name = settings.network.uplink
    if name not in machine.interfaces():
        yield Finding(
            name, "missing", "there is no such interface", f"there are: {listing(machine.interfaces())}"
        )
    elif machine.read(f"sys/class/net/{name}/carrier") != "1":
        yield Finding(name, "warning", "the uplink has no carrier", "plug in its cable")
    elif settings.network.mode == "bridge" and name in machine.wifi_interfaces():
        yield Finding(
            name,
            "missing",
            "a Wi-Fi interface in station mode does not carry frames of other stations",
            'use mode = "route"',
        )
    else:
        yield Finding(name, "ok", "the uplink has a carrier")


def _forwarding(machine: Machine, settings: Settings) -> Iterator[Finding]:
    """Checks whether this computer already forwards packets, which the access point's rules would
    drop."""
    if not settings.has_rules or _is_active(machine, "weir-ap-network"):
        return
    if machine.read("proc/sys/net/ipv4/ip_forward") == "1":
        yield Finding(
            "ip_forward",
            "warning",
            "this computer already forwards packets, such as for containers; the access point will "
            "drop all packets that are not from or to stations",
            "add rules to weir-ap.nft for other packets that it must forward",
        )


def _is_active(machine: Machine, service: str) -> bool:
    """Returns whether systemd runs a service."""
    return machine.run(["systemctl", "is-active", "--quiet", service]) is not None


def _dhcp_client(machine: Machine, settings: Settings) -> Iterator[Finding]:
    """Checks the program that requests this computer's address, if the network assigns the
    address."""
    if not settings.network.dhcp:
        return
    if _is_active(machine, "systemd-networkd"):
        yield Finding("systemd-networkd", "ok", f"gets the address of {settings.network.host}")
    else:
        yield Finding(
            "systemd-networkd",
            "missing",
            f"does not run, so no program requests an address for {settings.network.host}",
            "systemctl enable --now systemd-networkd",
        )


def _resolver(machine: Machine, settings: Settings) -> Iterator[Finding]:
    """Checks the program that queries the name servers in the settings for this computer."""
    servers = settings.network.dns
    if not servers:
        return
    if _is_active(machine, "systemd-resolved"):
        yield Finding("systemd-resolved", "ok", f"asks {listing(servers)} for names")
    else:
        yield Finding(
            "systemd-resolved",
            "warning",
            "does not run, so network.dns has no effect",
            f"systemctl enable --now systemd-resolved, or write {listing(servers)} into /etc/resolv.conf",
        )


def _conflicting_programs(machine: Machine, settings: Settings) -> Iterator[Finding]:
    """Finds programs that would use the same interfaces or ports."""
    name = settings.wifi.interface
    if (machine.root / "run/wpa_supplicant" / name).exists():
        yield Finding(
            "wpa_supplicant",
            "missing",
            f"uses {name}",
            f"systemctl stop wpa_supplicant@{name}, or remove {name} there",
        )
    if (machine.root / "run/NetworkManager").exists():
        if (machine.root / "etc/NetworkManager/conf.d/weir-ap.conf").exists():
            yield Finding("NetworkManager", "ok", "leaves the interfaces alone")
        else:
            yield Finding(
                "NetworkManager",
                "warning",
                f"runs, and may use {name}",
                "./install makes it leave the interfaces alone",
            )
    uplink = settings.network.uplink
    if settings.network.mode == "bridge" and re.search(
        rf"^\s*iface\s+{re.escape(uplink)}\s", machine.read("etc/network/interfaces") or "", re.MULTILINE
    ):
        yield Finding(
            "ifupdown",
            "warning",
            f"gives {uplink} an address",
            f"remove {uplink} from /etc/network/interfaces",
        )
    for service in ("hostapd", *(["dnsmasq"] if settings.dhcp.enabled else [])):
        if _is_active(machine, service):
            yield Finding(
                f"{service}.service",
                "warning",
                "runs as a service of its own",
                f"systemctl disable --now {service}",
            )
    runs_dnsmasq = _is_active(machine, "weir-ap-dnsmasq")
    if settings.dhcp.enabled and not runs_dnsmasq and (taken := _listening_address(machine, 67)):
        yield Finding(
            "port 67",
            "warning",
            f"another DHCP server listens at {taken}",
            "stop it, or bind it to other interfaces",
        )


def _listening_address(machine: Machine, port: int) -> str | None:
    """Finds the address at which a program listens on a UDP port for all interfaces; returns
    ``None`` if there is no such program."""
    for line in (machine.read("proc/net/udp") or "").splitlines()[1:]:
        local = line.split()[1]
        if local == f"00000000:{port:04X}":
            return f"0.0.0.0:{port}"
    return None
