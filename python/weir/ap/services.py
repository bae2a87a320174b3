"""The configuration of hostapd, dnsmasq, nftables and systemd, as texts."""

from __future__ import annotations

import re
from typing import Final

from weir.ap.settings import Settings

INSTALLED: Final = "/etc/weir-ap"
"""The folder of the installed files."""

RUN: Final = "/run/weir-ap"
"""The folder for sockets, and for the addresses that dnsmasq has given out."""

PROGRAM: Final = "access_point.p4"
ENTRIES: Final = ("entries.json", "stations.json")
DAEMONS: Final = {"hostapd": "/usr/sbin/hostapd", "dnsmasq": "/usr/sbin/dnsmasq"}
"""The programs that units start by their path."""

WRITTEN: Final = "Written by `weir ap write` from ap.toml: change that, and write again."

_KEYS: Final = {
    "wpa2": ("WPA-PSK", 1),
    "wpa2+wpa3": ("WPA-PSK SAE", 1),
    "wpa3": ("SAE", 2),
}
"""Key management, and whether management frames are protected: 1 if the station can, 2 always."""


def hostapd(settings: Settings) -> str:
    """``hostapd.conf``."""
    wifi = settings.wifi
    lines = [
        f"# {WRITTEN}",
        f"interface={wifi.interface}",
        "driver=nl80211",
        f"ctrl_interface={RUN}/hostapd",
        # Written in hexadecimal digits, a name may contain any character.
        f"# {wifi.ssid}",
        f"ssid2={wifi.ssid.encode().hex()}",
        "utf8_ssid=1",
        f"hw_mode={'g' if wifi.band == '2.4' else 'a'}",
        f"channel={wifi.channel}",
        "ieee80211n=1",
        "wmm_enabled=1",
        f"max_num_sta={wifi.max_stations}",
        "auth_algs=1",
        "# Frames between stations go through the switch, which knows whether they may.",
        "ap_isolate=1",
    ]
    if wifi.country != "00":
        lines += [f"country_code={wifi.country}", "ieee80211d=1"]
    if wifi.band == "5":
        lines += ["ieee80211ac=1", *(["ieee80211h=1"] if wifi.country != "00" else [])]
    if wifi.security != "open":
        keys, protection = _KEYS[wifi.security]
        lines += ["wpa=2", f"wpa_key_mgmt={keys}", "rsn_pairwise=CCMP", f"ieee80211w={protection}"]
        lines += [f"wpa_passphrase={wifi.passphrase}"]
    return _text(lines)


def dnsmasq(settings: Settings) -> str:
    """``dnsmasq.conf``, for a network with an address."""
    network, dhcp = settings.network, settings.dhcp
    assert network.address is not None
    own = network.address
    # In a bridge, this computer routes nothing.
    router = own.ip if network.mode == "route" else network.gateway
    lines = [
        f"# {WRITTEN}",
        f"interface={network.host}",
        "except-interface=lo",
        "bind-interfaces",
        "domain-needed",
        "bogus-priv",
        "dhcp-authoritative",
        f"dhcp-range={dhcp.first},{dhcp.last},{own.netmask},{dhcp.lease}",
        f"dhcp-option=option:router{'' if router is None else f',{router}'}",
        f"dhcp-option=option:dns-server,{own.ip}",
        f"dhcp-leasefile={RUN}/leases",
    ]
    if dhcp.dns:
        lines += ["no-resolv", *(f"server={server}" for server in dhcp.dns)]
    return _text(lines)


def nftables(settings: Settings) -> str:
    """Rules of Linux where it routes: what it forwards, and address translation at the uplink."""
    network = settings.network
    assert network.address is not None
    stations, uplink, own = network.address.network, network.uplink, network.host
    lines = [f"# {WRITTEN}", "table ip weir_ap", "delete table ip weir_ap", "table ip weir_ap {"]
    if network.nat:
        lines += [
            "  chain postrouting {",
            "    type nat hook postrouting priority srcnat; policy accept;",
            f'    oifname "{uplink}" ip saddr {stations} masquerade',
            "  }",
        ]
    # Behind NAT, others reach stations only with answers.
    inward = "ct state established,related " if network.nat else ""
    lines += [
        "  # This computer forwards between the stations and the uplink, and nothing else.",
        "  chain forward {",
        "    type filter hook forward priority filter; policy drop;",
        f'    iifname "{own}" oifname "{uplink}" ip saddr {stations} accept',
        f'    iifname "{uplink}" oifname "{own}" ip daddr {stations} {inward}accept',
    ]
    if not settings.stations.isolate:
        lines.append(f'    iifname "{own}" oifname "{own}" ip saddr {stations} accept')
    lines.append("  }")
    return _text([*lines, "}"])


def switch_command(settings: Settings, folder: str = INSTALLED) -> str:
    """The command line of the switch, with the name of its program only."""
    network, switch = settings.network, settings.switch
    ports = [f"--interface 1@{settings.wifi.interface}"]
    if network.mode == "bridge":
        ports.append(f"--interface 2@{network.uplink}")
    ports.append(f"--interface 3@{network.port}")
    words = [f"{switch.command} {folder}/{PROGRAM}", *ports]
    words += [f"--entries {folder}/{name}" for name in ENTRIES]
    words.append(f"--p4runtime {switch.p4runtime}")
    if switch.metrics:
        words.append(f"--metrics {switch.metrics}")
    return " ".join(words)


def units(settings: Settings) -> dict[str, str]:
    """The units of systemd, by the names of their files."""
    command = switch_command(settings)
    network = settings.network
    devices = [_device(settings.wifi.interface)]
    devices += [_device(network.uplink)] if network.mode == "bridge" else []
    found = {
        "weir-ap.target": _unit(
            "The access point",
            {},
            wants=["network", "switch", "hostapd", *(["dnsmasq"] if settings.dhcp.enabled else [])],
            wanted_by=["multi-user.target", *devices],
        ),
        "weir-ap-network.service": _unit(
            "Interfaces of the access point",
            {
                "Type": "oneshot",
                "RemainAfterExit": "yes",
                "ExecStart": f"{INSTALLED}/network up",
                # Also after a start that failed half-way.
                "ExecStopPost": f"{INSTALLED}/network down",
                "RuntimeDirectory": "weir-ap",
            },
            devices=devices,
        ),
        "weir-ap-switch.service": _unit(
            "The switch of the access point",
            {
                "Type": "notify",
                # No shell is involved: systemd finds a program by its name in its own path.
                "ExecStart": f"/usr/bin/env {command}",
                "ExecReload": "kill -HUP $MAINPID",
                "WatchdogSec": "10",
                "Restart": "always",
                "RestartSec": "1",
                "AmbientCapabilities": "CAP_NET_RAW CAP_NET_ADMIN",
                "NoNewPrivileges": "yes",
                "ProtectSystem": "strict",
                "ReadWritePaths": " ".join(_written_folders(settings)),
                "ProtectHome": "read-only",
            },
            after=["network"],
        ),
        "weir-ap-hostapd.service": _unit(
            "The radio of the access point",
            {
                "ExecStart": f"{DAEMONS['hostapd']} {INSTALLED}/hostapd.conf",
                "ExecReload": "kill -HUP $MAINPID",
                "Restart": "always",
                "RestartSec": "2",
            },
            after=["network", "switch"],
        ),
    }
    if settings.dhcp.enabled:
        found["weir-ap-dnsmasq.service"] = _unit(
            "Addresses and names for stations",
            {
                "ExecStart": f"{DAEMONS['dnsmasq']} --keep-in-foreground --conf-file={INSTALLED}/dnsmasq.conf",
                "Restart": "always",
                "RestartSec": "2",
            },
            after=["network"],
        )
    return found


def networkd(settings: Settings) -> str:
    """The file with which systemd-networkd gets an address at the interface to the switch."""
    return _text([f"# {WRITTEN}", "[Match]", f"Name={settings.network.host}", "", "[Network]", "DHCP=ipv4"])


def left_alone(settings: Settings) -> list[str]:
    """The interfaces of the switch, which no other program may configure."""
    network = settings.network
    return [settings.wifi.interface, network.port, *([network.uplink] if network.mode == "bridge" else [])]


def networkd_ports(settings: Settings) -> str:
    """The file that makes systemd-networkd leave the switch's interfaces alone."""
    names = " ".join(left_alone(settings))
    return _text([f"# {WRITTEN}", "[Match]", f"Name={names}", "", "[Link]", "Unmanaged=yes"])


def _written_folders(settings: Settings) -> list[str]:
    """The folders where the switch creates sockets; all else is read-only for it."""
    address = settings.switch.p4runtime
    folder = address.removeprefix("unix:").rpartition("/")[0]
    inside = not address.startswith("unix:") or f"{folder}/".startswith(f"{RUN}/")
    # If the folder is missing, the switch reports that instead of systemd.
    return [RUN] if inside else [RUN, f"-{folder}"]


def _device(interface: str) -> str:
    """The unit of an interface, with special characters escaped (systemd.unit(5))."""
    name = re.sub(r"[^A-Za-z0-9_.]", lambda found: f"\\x{ord(found[0]):02x}", interface)
    return f"sys-subsystem-net-devices-{name}.device"


def _unit(
    title: str,
    service: dict[str, str],
    after: list[str] | None = None,
    wants: list[str] | None = None,
    wanted_by: list[str] | None = None,
    devices: list[str] | None = None,
) -> str:
    lines = [f"# {WRITTEN}", "[Unit]", f"Description={title}"]
    for device in devices or []:
        # A USB radio may appear late, and disappear.
        lines += [f"After={device}", f"BindsTo={device}"]
    for name in after or []:
        lines += [f"After=weir-ap-{name}.service"]
        if name == "network":
            # The other services continue while the switch restarts.
            lines += [f"Requires=weir-ap-{name}.service"]
    lines += [f"Wants=weir-ap-{name}.service" for name in wants or []]
    if wanted_by is None:
        # A service that fails is restarted, however often.
        lines += ["PartOf=weir-ap.target", "StartLimitIntervalSec=0"]
    if service:
        lines += ["", "[Service]", *(f"{key}={value}" for key, value in service.items())]
    if wanted_by is not None:
        # A device that appears starts the services that stopped when it disappeared.
        lines += ["", "[Install]", f"WantedBy={' '.join(wanted_by)}"]
    return _text(lines)


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
