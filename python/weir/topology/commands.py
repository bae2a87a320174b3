"""The host commands that topologies carry: routes, neighbours, interfaces, queueing disciplines and settings, in the spellings of the
usual tools.

Understood are ``route`` and ``arp`` and ``ifconfig`` of net-tools, ``ip route``, ``ip neigh``, ``ip addr`` and ``ip link`` of iproute2
(with ``-4`` and ``-6``), ``tc``, settings by ``sysctl``, offloads by ``ethtool``. What changes nothing on a virtual host is noted. All
else is refused by name, with what does it here where something does.
"""

from __future__ import annotations

import shlex
from ipaddress import ip_network
from itertools import zip_longest

from weir.errors import NetworkError, TopologyError
from weir.suggest import listing, nearest
from weir.topology import addresses
from weir.topology.host import LEAST_MTU, MOST_MTU, HostSpec, InterfaceSpec, Route

_TOOLS = ("arp", "ethtool", "ifconfig", "ip", "route", "sysctl", "tc")

# Settings that act; what each takes is checked by the host.
_SYSCTLS = (
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_ecn",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_retries2",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_rto_min_us",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_syn_retries",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_wmem",
    "weir.tcp_profile",
)

# Settings that change nothing here, and why.
_NOTED_SYSCTLS = {
    "net.ipv6.conf.": "a host without IPv6 addresses says nothing by IPv6",
    "net.ipv4.conf.": "hosts take no redirects and do not filter by reverse paths",
    "net.ipv4.neigh.": "tables of neighbours have no limits",
    "net.ipv6.neigh.": "tables of neighbours have no limits",
    "net.ipv4.tcp_no_metrics_save": "connections leave nothing behind",
    "net.ipv4.route.flush": "connections leave nothing behind",
    "net.ipv4.tcp_moderate_rcvbuf": "buffers have the last size of tcp_rmem from the start",
    "net.ipv4.tcp_mem": "memory is not short",
    "net.ipv4.udp_mem": "memory is not short",
    "net.core.rmem_": "the size of buffers is that of tcp_rmem",
    "net.core.wmem_": "the size of buffers is that of tcp_wmem",
    "net.core.optmem_max": "memory is not short",
    "net.core.netdev_max_backlog": "frames do not wait for a host's processor",
    "net.core.somaxconn": "4096 handshakes of a listener may be under way",
    "net.ipv4.tcp_max_syn_backlog": "4096 handshakes of a listener may be under way",
}

# Interfaces' usual queueing disciplines that `net.core.default_qdisc` may name.
_DEFAULT_QDISCS = ("fq", "pfifo", "bfifo")

# What people do by other tools, and how it is done here.
_INSTEAD = {
    "iperf": "a flow is sent by host.iperf(…)",
    "iperf3": "a flow is sent by host.iperf(…)",
    "netperf": "a flow is sent by host.iperf(…)",
    "nc": "datagrams are sent by host.send(…) or a weir.HostProgram",
    "ping": "a ping is host.ping(…)",
    "ping6": "a ping is host.ping(…)",
    "tcpdump": "frames are captured by net.capture(…) and host.sniff(…)",
    "tshark": "frames are captured by net.capture(…) and host.sniff(…)",
    "python": "programs on hosts are weir.HostProgram, run by host.run(…)",
    "python3": "programs on hosts are weir.HostProgram, run by host.run(…)",
    "sleep": "things happen at their time by net.at(…)",
    "echo": "settings are set by sysctl -w NAME=VALUE",
    "iptables": "hosts have no packet filter",
    "nft": "hosts have no packet filter",
    "ovs-vsctl": "switches run P4 programs",
    "brctl": "switches run P4 programs",
    "mtr": "the way of a packet is told by weir trace",
    "traceroute": "the way of a packet is told by weir trace",
}


def apply(command: str, host: HostSpec) -> None:
    """Does one command to a host.

    Args:
        command: the command as a shell would read it.
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
            _ethtool(command, host, rest)
        case ["sysctl", *rest]:
            _sysctl(command, host, rest)
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
        raise _unsupported(command, "route add default gw 10.0.1.10 or route del default")
    verb, words = words[0], words[1:]
    host_route = words[:1] == ["-host"]
    if words[:1] in (["-net"], ["-host"]):
        words = words[1:]
    if not words:
        raise TopologyError(f'host command "{command}" says no destination')
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
        interface = _interface(words[1], host)
        words = words[2:]
    match words:
        case ["-s", address, ether, *rest]:
            if rest:
                interface = _interface(_options(command, rest, ("-i",), host)["-i"], host)
            _know(host, addresses.ipv4(address), addresses.mac(ether), interface)
        case ["-d", address]:
            _forget(command, host, addresses.ipv4(address))
        case _:
            raise _unsupported(
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
                raise TopologyError(f'host command "{command}" says no lladdr')
            interface = _interface(options["dev"], host) if "dev" in options else 0
            _know(host, addresses.address(address), addresses.mac(options["lladdr"]), interface)
        case ["neigh" | "neighbor" | "neighbour" | "n", "del", address, *rest]:
            _options(command, rest, ("lladdr", "dev"), host)
            _forget(command, host, addresses.address(address))
        case ["addr" | "address" | "a", "add" | "del" as verb, address, *rest]:
            options = _options(command, rest, ("dev", "broadcast", "brd", "scope"), host)
            if "dev" not in options:
                raise TopologyError(f'host command "{command}" says no dev')
            _change_address(command, host, host.interfaces[_interface(options["dev"], host)], verb, address)
        case ["link" | "l", "set", *rest] if rest:
            if rest[0] == "dev":
                rest = rest[1:]
            if not rest:
                raise TopologyError(f'host command "{command}" names no interface')
            _settings(command, host.interfaces[_interface(rest[0], host)], rest[1:], "address")
        case _:
            raise _unsupported(
                command,
                "ip route add NETWORK via GATEWAY, ip neigh add IP lladdr MAC, ip addr add IP/LENGTH dev eth0 or "
                "ip link set eth0 up|down|mtu BYTES|address MAC",
            )


def _ifconfig(command: str, host: HostSpec, words: list[str]) -> None:
    """``ifconfig D [IP [netmask M]] [up|down] [mtu N] [hw ether MAC]`` of net-tools."""
    if len(words) < 2:
        raise _unsupported(command, "ifconfig eth0 mtu BYTES, up, down, or an address")
    interface = host.interfaces[_interface(words[0], host)]
    rest = words[1:]
    if rest[0] not in ("up", "down", "mtu", "hw"):
        address, rest = rest[0], rest[1:]
        if rest[:1] == ["netmask"]:
            if len(rest) < 2:
                raise TopologyError(f'nothing follows "netmask" in the host command "{command}"')
            mask = addresses.ipv4(rest[1])
            try:
                address = f"{address}/{ip_network(f'0.0.0.0/{mask}').prefixlen}"
            except ValueError:
                raise TopologyError(f'"{mask}" is no network mask such as 255.255.255.0') from None
            rest = rest[2:]
        own = addresses.host_address(address)
        interface.addresses[:] = [own, *(other for other in interface.addresses if ":" in other.address)]
    if rest[:2] == ["hw", "ether"]:
        rest = ["hw", *rest[2:]]
    _settings(command, interface, rest, "hw")


def _settings(command: str, interface: InterfaceSpec, words: list[str], mac: str) -> None:
    """``up``, ``down``, ``mtu N`` and, by the word ``mac``, an Ethernet address."""
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in ("up", "down"):
            interface.up = word == "up"
            continue
        known = ("up", "down", "mtu", mac)
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
        if not value.isascii() or not value.isdigit() or not LEAST_MTU <= int(value) <= MOST_MTU:
            raise TopologyError(
                f'"{value}" in the host command "{command}" is no MTU: expected {LEAST_MTU} to {MOST_MTU} bytes'
            )
        interface.mtu = int(value)


def _ethtool(command: str, host: HostSpec, words: list[str]) -> None:
    """``ethtool -K D FEATURE on|off …``: a virtual host has nothing to offload, so that each packet is a frame of its own in any case."""
    match words:
        case ["-K" | "--offload" | "--features", device, *features] if features:
            _interface(device, host)
            for name, value in zip_longest(features[::2], features[1::2]):
                if value not in ("on", "off"):
                    raise TopologyError(
                        f'"{name}" in the host command "{command}" is to be on or off, found {value or "nothing"}'
                    )
            host.notes.append(command)
        case ["-s" | "--change", *_]:
            raise TopologyError(
                f'host command "{command}" is not supported: a link has its rate by add_link(…, rate="100Mbit") and '
                'net.link(…).rate = "100Mbit"'
            )
        case _:
            raise _unsupported(
                command, "ethtool -K eth0 FEATURE on|off, such as ethtool -K eth0 tso off gso off"
            )


def _tc(command: str, host: HostSpec) -> None:
    from weir import _core

    try:
        device = _core.tc_device(command)
    except NetworkError as error:
        raise TopologyError(f"host command {error.message}") from None
    if device is not None:
        _interface(device, host)
    host.tc.append(command)


def _sysctl(command: str, host: HostSpec, words: list[str]) -> None:
    settings = [word for word in words if word not in ("-w", "-q")]
    if not settings:
        raise _unsupported(command, "sysctl -w NAME=VALUE")
    for setting in settings:
        name, sign, value = setting.partition("=")
        name, value = name.strip().replace("/", "."), value.strip()
        if not sign:
            raise _unsupported(command, "sysctl -w NAME=VALUE")
        if name in _SYSCTLS:
            host.sysctls.append((name, value))
        elif name == "net.core.default_qdisc":
            _default_qdisc(command, host, value)
        elif name in ("net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding") and value != "0":
            raise TopologyError(f'the setting "{name}" is not supported: hosts do not forward, switches do')
        elif name == "net.ipv4.ip_forward" or any(name.startswith(noted) for noted in _NOTED_SYSCTLS):
            host.notes.append(command)
        else:
            suggestion = nearest(name, _SYSCTLS)
            text = "" if suggestion else f" (understood: {listing((*_SYSCTLS, 'net.core.default_qdisc'))})"
            raise TopologyError(f'the setting "{name}" is not supported{text}', suggestion=suggestion)


def _default_qdisc(command: str, host: HostSpec, kind: str) -> None:
    """The discipline of all interfaces there are; what a command has given one of them stays."""
    if kind not in _DEFAULT_QDISCS:
        raise TopologyError(
            f'"{kind}" in the host command "{command}" is no queueing discipline for all interfaces '
            f"(known: {listing(_DEFAULT_QDISCS)})",
            suggestion=nearest(kind, _DEFAULT_QDISCS),
        )
    for number in range(len(host.interfaces)):
        names = (f"dev eth{number} ", f"dev {host.name}-eth{number} ")
        if not any(name in f"{line} " for line in host.tc for name in names):
            host.tc.append(f"tc qdisc add dev eth{number} root {kind}")


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
            _interface(found[device], host)
    return found


def _interface(name: str, host: HostSpec) -> int:
    """The number of an interface: ``eth0`` or ``h1-eth0``. ``lo`` stands for ``eth0``: it has nothing to set."""
    if name == "lo":
        return 0
    short = name.removeprefix(f"{host.name}-")
    known = [f"eth{number}" for number in range(len(host.interfaces))]
    if short not in known:
        raise TopologyError(
            f'{host.name} has no interface "{name}"', suggestion=nearest(short, known) or known[0]
        )
    return known.index(short)


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
        raise TopologyError(f'host command "{command}": network and gateway are of two versions of IP')
    if device is not None:
        interface = _interface(device, host)
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
        # As in Linux, the last address of a family takes the interface's routes of that family along.
        number = host.interfaces.index(interface)
        host.routes[:] = [
            route for route in host.routes if route.interface != number or (":" in route.network) != six
        ]


def _know(host: HostSpec, address: str, ether: str, interface: int) -> None:
    host.arp[address] = ether
    host.arp_interfaces.pop(address, None)
    if interface:
        host.arp_interfaces[address] = interface


def _forget(command: str, host: HostSpec, address: str) -> None:
    if address not in host.arp:
        raise TopologyError(f'host command "{command}": {host.name} knows no neighbour {address}')
    del host.arp[address]
    host.arp_interfaces.pop(address, None)


def _unsupported(command: str, expected: str) -> TopologyError:
    return TopologyError(f'host command "{command}" is not supported: expected {expected}')
