"""The shell scripts that set up an access point's interfaces, install it and remove it."""

from __future__ import annotations

from collections.abc import Iterable

from weir.ap.services import INSTALLED, RUN, WRITTEN, unmanaged_interfaces
from weir.ap.settings import Settings

NETWORK_MANAGER = "/etc/NetworkManager/conf.d/weir-ap.conf"
"""The file that lists the interfaces that NetworkManager must not manage."""

NETWORKD_PORTS = "/etc/systemd/network/05-weir-ap-ports.network"
"""The file that lists the same interfaces for systemd-networkd. systemd-networkd reads it first
because the names of other files begin with larger numbers."""

NETWORKD_HOST = "/etc/systemd/network/70-weir-ap.network"

_FORWARDING = "/proc/sys/net/ipv4/ip_forward"


def network(settings: Settings) -> str:
    """Generates the script ``network``: ``network up`` creates the switch's interfaces, ``network
    down`` removes them."""
    net = settings.network
    ports = [port for port in unmanaged_interfaces(settings) if port != net.port]
    up, down = [], []
    for port in ports:
        up += [f"silence {port}"]
        down += [f"restore {port}"]
    if net.mode == "bridge":
        up.append(f"ip link set {net.uplink} up")
    if net.address is not None:
        up.append(f"ip address replace {net.address} dev {net.host}")
    if net.gateway is not None:
        up.append(f"ip route replace default via {net.gateway} dev {net.host}")
    if net.dns:
        ask = f"resolvectl dns {net.host} {' '.join(net.dns)} && resolvectl domain {net.host} '~.'"
        up.append(f"if command -v resolvectl > /dev/null; then {ask} || true; fi")
    if settings.has_rules:
        # While Linux forwards packets, rules restrict them.
        up += [f"nft -f {INSTALLED}/weir-ap.nft", "forward"]
        down += ["stop_forwarding", "nft delete table ip weir_ap || true"]
    newline = "\n    "
    return f"""#!/bin/sh
# {WRITTEN}
# The interfaces of the access point: {INSTALLED}/network up, {INSTALLED}/network down
set -eu

# This computer's own stack must not answer at an interface of the switch: the computer is at {net.host}.
silence() {{
    ip address flush dev "$1"
    ip link set "$1" arp off
    if [ -e "/proc/sys/net/ipv6/conf/$1" ]; then echo 1 > "/proc/sys/net/ipv6/conf/$1/disable_ipv6"; fi
}}

restore() {{
    if [ -e "/proc/sys/net/ipv6/conf/$1" ]; then echo 0 > "/proc/sys/net/ipv6/conf/$1/disable_ipv6"; fi
    ip link set "$1" arp on || true
}}

# Linux forwards as long as the access point runs; afterwards, as before.
forward() {{
    if [ ! -e {RUN}/ip_forward ]; then cat {_FORWARDING} > {RUN}/ip_forward; fi
    echo 1 > {_FORWARDING}
}}

stop_forwarding() {{
    if [ -e {RUN}/ip_forward ]; then cat {RUN}/ip_forward > {_FORWARDING}; rm {RUN}/ip_forward; fi
}}

case "${{1:-}}" in
up)
    mkdir -p {RUN}
    if command -v rfkill > /dev/null; then rfkill unblock wlan || true; fi
    if ! ip link show {net.host} > /dev/null 2>&1; then
        ip link add {net.host} address {net.mac} type veth peer name {net.port}
    fi
    silence {net.port}
    ip link set {net.port} up
    ip link set {net.host} up
    {newline.join(up)}
    ;;
down)
    {newline.join(down)}
    ip link delete {net.host} || true
    ;;
*)
    echo "usage: $0 up|down" >&2
    exit 2
    ;;
esac
"""


def install(settings: Settings, files: Iterable[str], units: Iterable[str]) -> str:
    """Generates the script ``install``, which copies the files to their places and asks before it
    replaces a file."""
    names = list(files)
    places = [(name, f"{INSTALLED}/{name}") for name in names]
    places += [(f"systemd/{unit}", f"/etc/systemd/system/{unit}") for unit in units]
    places.append(("ports.network", NETWORKD_PORTS))
    if settings.network.dhcp:
        places.append(("ap.network", NETWORKD_HOST))
    # NetworkManager joins the lists of all files (NetworkManager.conf(5)).
    unmanaged = "unmanaged-devices+=" + ";".join(
        f"interface-name:{name}" for name in unmanaged_interfaces(settings)
    )
    copies = "\n".join(f"put {name} {place}" for name, place in places)
    return f"""#!/bin/sh
# {WRITTEN}
# Installs the access point on this computer, as root. It asks before it replaces a file.
set -eu
cd "$(dirname "$0")"
if [ "$(id -u)" != 0 ]; then echo "run this as root: sudo $0" >&2; exit 1; fi

put() {{
    if [ -e "$2" ] && ! cmp -s "$1" "$2"; then
        printf 'replace %s? [y/N] ' "$2"
        read -r answer || answer=n
        case "$answer" in [yY]*) ;; *) echo "kept $2"; return ;; esac
    fi
    mkdir -p "$(dirname "$2")"
    cp -p "$1" "$2"
    chown root:root "$2"
    echo "$2"
}}

{copies}
# NetworkManager, where it runs, leaves the switch's interfaces alone.
if [ -d /etc/NetworkManager/conf.d ]; then
    printf '[keyfile]\\n%s\\n' '{unmanaged}' > weir-ap.networkmanager
    put weir-ap.networkmanager {NETWORK_MANAGER}
    rm weir-ap.networkmanager
fi
{_RELOAD}
echo "start it, now and at each boot: systemctl enable --now weir-ap.target"
"""


_RELOAD = """\
systemctl daemon-reload
if command -v nmcli > /dev/null; then nmcli general reload || true; fi
if command -v networkctl > /dev/null; then networkctl reload || true; fi"""


def uninstall(settings: Settings, units: Iterable[str]) -> str:
    """Generates the script ``uninstall``, which stops the access point and removes the files that
    ``install`` copied."""
    names = list(units)
    files = " ".join(f"/etc/systemd/system/{unit}" for unit in names)
    net = settings.network
    # systemd-networkd manages the uplink again and assigns its addresses.
    returned = (
        f"\nif command -v networkctl > /dev/null; then networkctl reconfigure {net.uplink} || true; fi"
        if net.mode == "bridge"
        else ""
    )
    return f"""#!/bin/sh
# {WRITTEN}
# Stops the access point and removes its files from this computer, as root.
set -eu
if [ "$(id -u)" != 0 ]; then echo "run this as root: sudo $0" >&2; exit 1; fi
systemctl disable --now weir-ap.target {" ".join(names[1:])} || true
rm -rf {files} {INSTALLED} {NETWORK_MANAGER} {NETWORKD_PORTS} {NETWORKD_HOST}
{_RELOAD}{returned}
"""
