"""Host commands in topology files: routes, neighbours, interfaces, queueing disciplines and settings, in the syntax of the usual tools.

Understood are ``route``, ``arp`` and ``ifconfig`` of net-tools, ``ip route``, ``ip neigh``, ``ip addr`` and ``ip link`` of iproute2
(with ``-4`` and ``-6``), ``tc``, settings by ``sysctl``, offloads by ``ethtool``. Commands without effect on a virtual host are
noted. Other commands are refused; the message names what to use in Weir instead, if there is something.
"""

from __future__ import annotations

import shlex
from copy import deepcopy
from ipaddress import ip_network

from weir.errors import NetworkError, TopologyError
from weir.suggest import listing, nearest
from weir.topology import addresses, kernel_settings
from weir.topology.host_spec import MAX_MTU, MIN_MTU, HostSpec, InterfaceSpec, Route
from weir.topology.kernel_settings import interface_number, unsupported

_TOOLS = ("arp", "ethtool", "ifconfig", "ip", "route", "sysctl", "tc")

# Other tools, and what to use in Weir instead.
_INSTEAD = {
    "iperf": "host.iperf(…) sends a flow",
    "iperf3": "host.iperf(…) sends a flow",
    "netperf": "host.iperf(…) sends a flow",
    "nc": "host.send(…) or a weir.HostProgram sends datagrams",
    "ping": "host.ping(…) sends pings",
    "ping6": "host.ping(…) sends pings",
    "tcpdump": "net.capture(…) and host.sniff(…) capture frames",
    "tshark": "net.capture(…) and host.sniff(…) capture frames",
    "python": "host.run(…) runs a weir.HostProgram on a host",
    "python3": "host.run(…) runs a weir.HostProgram on a host",
    "sleep": "net.at(…) schedules actions",
    "echo": "sysctl -w NAME=VALUE changes settings",
    "iptables": "hosts have no packet filter",
    "nft": "hosts have no packet filter",
    "ovs-vsctl": "switches run P4 programs",
    "brctl": "switches run P4 programs",
    "mtr": "weir trace shows the path of a packet",
    "traceroute": "weir trace shows the path of a packet",
}


def apply(command: str, host: HostSpec) -> None:
    """Applies a command to a host.

    Args:
        command: the command, in the syntax of a shell.
        host: what it changes.

    Raises:
        TopologyError: it is not understood.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise TopologyError(f"cannot read the command: {str(error).lower()}") from None
    if words[:1] == ["sudo"]:
        words = words[1:]
    if words:
        # Tools may be named with the folder they are in: /sbin/ethtool.
        words[0] = words[0].rpartition("/")[2] or words[0]
    match words:
        case []:
            raise TopologyError("the command is empty")
        case ["route", *rest]:
            _route(command, host, rest)
        case ["arp", *rest]:
            _arp(command, host, rest)
        case ["ip", *rest]:
            _ip(command, host, rest)
        case ["ifconfig", *rest]:
            _ifconfig(command, host, rest)
        case ["tc", *_]:
            _tc(command, host)
        case ["ethtool", *rest]:
            kernel_settings.ethtool(command, host, rest)
        case ["sysctl", *rest]:
            kernel_settings.sysctl(command, host, rest)
        case [tool, *_] if tool in _INSTEAD:
            raise TopologyError(f'host command "{command}" is not supported: {_INSTEAD[tool]}')
        case [tool, *_]:
            known = ", ".join(_TOOLS)
            raise TopologyError(
                f'host command "{command}" is not supported '
                "(understood: route, arp, ifconfig, ip route, ip neigh, ip addr, ip link, tc, ethtool -K, sysctl)",
                suggestion=None if tool in _TOOLS else nearest(tool, known.split(", ")),
            )


def _route(command: str, host: HostSpec, words: list[str]) -> None:
    """``route {add|del} {default|-net N|-host A} [netmask M] [gw G] [dev D]`` of net-tools."""
    if words[:1] not in (["add"], ["del"]):
        raise unsupported(command, "route add default gw 10.0.1.10 or route del default")
    verb, words = words[0], words[1:]
    host_route = words[:1] == ["-host"]
    if words[:1] in (["-net"], ["-host"]):
        words = words[1:]
    if not words:
        raise TopologyError(f'host command "{command}" has no destination')
    target, rest = words[0], words[1:]
    options = _options(command, rest, ("gw", "netmask", "dev", "metric"), host)
    if target == "default":
        network = "0.0.0.0/0"
    elif host_route:
        network = f"{addresses.ipv4(target)}/32"
    else:
        mask = options.get("netmask")
        network = addresses.network(f"{target}/{mask}" if mask else target)
    _change_route(command, host, verb, network, options.get("gw"), options.get("dev"))


def _arp(command: str, host: HostSpec, words: list[str]) -> None:
    """``arp [-i D] {-s A MAC|-d A} [-i D]`` of net-tools."""
    interface = 0
    if words[:1] == ["-i"] and len(words) >= 2:
        interface = interface_number(words[1], host)
        words = words[2:]
    match words:
        case ["-s", address, ether, *rest]:
            if rest:
                interface = interface_number(_options(command, rest, ("-i",), host)["-i"], host)
            _add_neighbour(host, addresses.ipv4(address), addresses.mac(ether), interface)
        case ["-d", address]:
            _remove_neighbour(command, host, addresses.ipv4(address))
        case _:
            raise unsupported(
                command,
                "arp -i eth0 -s IP MAC or arp -d IP, such as arp -i eth0 -s 10.0.1.10 08:00:00:00:01:00",
            )


def _ip(command: str, host: HostSpec, words: list[str]) -> None:
    """``ip [-4|-6] {route|neigh|addr|link} …`` of iproute2."""
    family = words[0] if words[:1] in (["-4"], ["-6"]) else None
    match words[1:] if family else words:
        case ["route" | "r" | "ro", "add" | "replace" | "del" as verb, target, *rest]:
            options = _options(command, rest, ("via", "dev", "metric", "scope", "src", "proto"), host)
            gateway = options.get("via")
            six = family == "-6" or (gateway is not None and ":" in gateway)
            if target == "default":
                network = "::/0" if six else "0.0.0.0/0"
            else:
                network = addresses.network(target)
            _change_route(command, host, verb, network, gateway, options.get("dev"))
        case ["neigh" | "neighbor" | "neighbour" | "n", "add" | "replace" as verb, address, *rest]:
            options = _options(command, rest, ("lladdr", "dev", "nud"), host)
            if "lladdr" not in options:
                raise TopologyError(f'host command "{command}" has no lladdr')
            interface = interface_number(options["dev"], host) if "dev" in options else 0
            _add_neighbour(host, addresses.address(address), addresses.mac(options["lladdr"]), interface)
        case ["neigh" | "neighbor" | "neighbour" | "n", "del", address, *rest]:
            _options(command, rest, ("lladdr", "dev"), host)
            _remove_neighbour(command, host, addresses.address(address))
        case ["addr" | "address" | "a", "add" | "del" as verb, address, *rest]:
            options = _options(command, rest, ("dev", "broadcast", "brd", "scope"), host)
            if "dev" not in options:
                raise TopologyError(f'host command "{command}" has no dev')
            _change_address(
                command, host, host.interfaces[interface_number(options["dev"], host)], verb, address
            )
        case ["link" | "l", "set", *rest] if rest:
            if rest[0] == "dev":
                rest = rest[1:]
            if not rest:
                raise TopologyError(f'host command "{command}" names no interface')
            _settings(command, _interface(rest[0], host), rest[1:], "address")
        case _:
            raise unsupported(
                command,
                "ip route add NETWORK via GATEWAY, ip neigh add IP lladdr MAC, ip addr add IP/LENGTH dev eth0 or "
                "ip link set eth0 up|down|mtu BYTES|address MAC",
            )


def _ifconfig(command: str, host: HostSpec, words: list[str]) -> None:
    """``ifconfig D [IP [netmask M]] [up|down] [mtu N] [hw ether MAC]`` of net-tools."""
    if len(words) < 2:
        raise unsupported(command, "ifconfig eth0 mtu BYTES, up, down, or an address")
    interface = _interface(words[0], host)
    rest = words[1:]
    if rest[0] not in ("up", "down", "mtu", "hw", "txqueuelen"):
        address, rest = rest[0], rest[1:]
        if rest[:1] == ["netmask"]:
            if len(rest) < 2:
                raise TopologyError(f'nothing follows "netmask" in the host command "{command}"')
            mask = addresses.ipv4(rest[1])
            try:
                address = f"{address}/{ip_network(f'0.0.0.0/{mask}').prefixlen}"
            except ValueError:
                raise TopologyError(f'"{mask}" is not a network mask such as 255.255.255.0') from None
            rest = rest[2:]
        own = addresses.host_address(address)
        interface.addresses[:] = [own, *(other for other in interface.addresses if ":" in other.address)]
    if rest[:2] == ["hw", "ether"]:
        rest = ["hw", *rest[2:]]
    _settings(command, interface, rest, "hw")


def _interface(name: str, host: HostSpec) -> InterfaceSpec:
    """The interface of this name. Settings of ``lo`` are checked like others, but have no effect: a virtual host does not use it."""
    interface = host.interfaces[interface_number(name, host)]
    return deepcopy(interface) if name == "lo" else interface


def _settings(command: str, interface: InterfaceSpec, words: list[str], mac: str) -> None:
    """``up``, ``down``, ``mtu N`` and, after the keyword ``mac``, an Ethernet address."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in ("up", "down"):
            interface.up = word == "up"
            continue
        known = ("up", "down", "mtu", mac)
        if word in ("txqueuelen", "qlen"):
            raise TopologyError(
                f'"{word}" in the host command "{command}" is not supported: the length of an interface\'s queue is set '
                "with tc qdisc add dev eth0 root pfifo limit PACKETS"
            )
        if word not in known:
            suggestion = nearest(word, known)
            text = "" if suggestion else f" (known: {listing(known)})"
            raise TopologyError(
                f'"{word}" in the host command "{command}" is not understood{text}', suggestion=suggestion
            )
        if not rest:
            raise TopologyError(f'nothing follows "{word}" in the host command "{command}"')
        value = rest.pop(0)
        if word == mac:
            interface.mac = addresses.host_mac(value)
            continue
        if not value.isascii() or not value.isdigit() or not MIN_MTU <= int(value) <= MAX_MTU:
            raise TopologyError(
                f'"{value}" in the host command "{command}" is not an MTU: expected {MIN_MTU} to {MAX_MTU} bytes'
            )
        interface.mtu = int(value)


def _tc(command: str, host: HostSpec) -> None:
    from weir import _core

    try:
        device = _core.tc_device(command)
    except NetworkError as error:
        raise TopologyError(f"host command {error.message}") from None
    if device is not None:
        interface_number(device, host)
    host.tc.append(command)


def _options(command: str, words: list[str], known: tuple[str, ...], host: HostSpec) -> dict[str, str]:
    """Reads ``name value`` pairs."""
    found: dict[str, str] = {}
    for i in range(0, len(words), 2):
        name = words[i]
        if name not in known:
            suggestion = nearest(name, known)
            text = "" if suggestion else f" (known: {listing(known)})"
            raise TopologyError(
                f'"{name}" in the host command "{command}" is not understood{text}', suggestion=suggestion
            )
        if i + 1 == len(words):
            raise TopologyError(f'nothing follows "{name}" in the host command "{command}"')
        found[name] = words[i + 1]
    for device in ("dev", "-i"):
        if device in found:
            interface_number(found[device], host)
    return found


def _change_route(
    command: str, host: HostSpec, verb: str, network: str, gateway: str | None, device: str | None
) -> None:
    there = [route for route in host.routes if route.network == network]
    if verb == "del":
        if not there:
            raise TopologyError(f'host command "{command}": there is no route to {network}')
        host.routes.remove(there[0])
        return
    hop = None if gateway is None else addresses.address(gateway)
    if hop is not None and (":" in hop) != (":" in network):
        raise TopologyError(f'host command "{command}": network and gateway have different IP versions')
    if device is not None:
        interface = interface_number(device, host)
    else:
        interface = 0 if hop is None else host.towards(hop)
    route = Route(network, hop, interface)
    if verb == "replace":
        host.routes[:] = [other for other in host.routes if other.network != network]
    elif any(other != route for other in there):
        raise TopologyError(f'host command "{command}" adds a second route to {network}')
    if route not in host.routes:
        host.routes.append(route)


def _change_address(command: str, host: HostSpec, interface: InterfaceSpec, verb: str, address: str) -> None:
    own = addresses.host_address6(address) if ":" in address else addresses.host_address(address)
    if verb == "add":
        if own in interface.addresses:
            raise TopologyError(f'host command "{command}": the interface has that address already')
        interface.addresses.append(own)
        return
    if own not in interface.addresses:
        raise TopologyError(f'host command "{command}": the interface has no address {own}')
    interface.addresses.remove(own)
    six = ":" in own.address
    if not any((":" in other.address) == six for other in interface.addresses):
        # As in Linux, removing the last address of a family also removes the interface's routes of that family.
        number = host.interfaces.index(interface)
        host.routes[:] = [
            route for route in host.routes if route.interface != number or (":" in route.network) != six
        ]


def _add_neighbour(host: HostSpec, address: str, ether: str, interface: int) -> None:
    host.arp[address] = ether
    host.arp_interfaces.pop(address, None)
    if interface:
        host.arp_interfaces[address] = interface


def _remove_neighbour(command: str, host: HostSpec, address: str) -> None:
    if address not in host.arp:
        raise TopologyError(f'host command "{command}": {host.name} has no neighbour {address}')
    del host.arp[address]
    host.arp_interfaces.pop(address, None)
