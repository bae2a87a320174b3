"""The host commands that topologies carry: routes, static ARP and offload settings, in the spellings of the usual tools."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

from weir.errors import TopologyError
from weir.suggest import listing, nearest
from weir.topology.addresses import Mac, ipv4, ipv4_network, mac

_TOOLS = ("arp", "ethtool", "ip", "route", "sysctl")

# A host has one interface; these are the names that topologies call it by.
_INTERFACES = ("eth0", "{host}-eth0", "lo")


@dataclass(frozen=True)
class Route:
    """A host's route.

    Attributes:
        network: where to, such as ``10.0.0.0/24``; ``0.0.0.0/0`` is the default route.
        gateway: the next hop; None for networks on the link itself.
    """

    network: str
    gateway: str | None


@dataclass
class HostSettings:
    """What a host's commands add up to."""

    routes: list[Route] = field(default_factory=list)
    arp: dict[str, Mac] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def apply(command: str, host: str, settings: HostSettings) -> None:
    """Does one command to ``settings``.

    Understood are ``route add``, ``arp -s``, ``ip route add`` and ``ip neigh add``; offload settings by ``ethtool`` and
    ``sysctl`` are noted, since a virtual host has nothing to offload.

    Args:
        command: the command as a shell would read it.
        host: the host's name, for messages and its interface.
        settings: what it changes.

    Raises:
        TopologyError: it is not understood.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise TopologyError(f"cannot read the command: {str(error).lower()}") from None
    if words[:1] == ["sudo"]:
        words = words[1:]
    match words:
        case []:
            raise TopologyError("the command is empty")
        case ["route", "add", *rest]:
            _route_add(command, host, rest, settings)
        case ["arp", *rest]:
            _arp(command, host, rest, settings)
        case ["ip", *rest]:
            _ip(command, host, rest, settings)
        case ["ethtool", "-K" | "--offload" | "--features", device, *_]:
            _interface(device, host)
            settings.notes.append(command)
        case ["sysctl", *rest] if rest and all(_is_harmless_sysctl(word) for word in rest):
            settings.notes.append(command)
        case [tool, *_]:
            known = ", ".join(_TOOLS)
            raise TopologyError(
                f'host command "{command}" is not supported '
                f"(understood: route add, arp -s, ip route add, ip neigh add, ethtool -K, sysctl of net.ipv6)",
                suggestion=None if tool in _TOOLS else nearest(tool, known.split(", ")),
            )


def _is_harmless_sysctl(word: str) -> bool:
    return word in ("-w", "-q") or word.startswith(("net.ipv6.conf.", "net.ipv4.tcp_", "net.core."))


def _route_add(command: str, host: str, words: list[str], settings: HostSettings) -> None:
    """``route add {default|-net N|-host A} [netmask M] [gw G] [dev D]`` of net-tools."""
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
        network = f"{ipv4(target)}/32"
    else:
        mask = options.get("netmask")
        network = str(ipv4_network(f"{target}/{mask}" if mask else target))
    _add_route(command, network, options.get("gw"), settings)


def _arp(command: str, host: str, words: list[str], settings: HostSettings) -> None:
    """``arp [-i D] -s A MAC [-i D]`` of net-tools."""
    if words[:1] == ["-i"] and len(words) >= 2:
        _interface(words[1], host)
        words = words[2:]
    match words:
        case ["-s", address, ether, *rest]:
            if rest:
                _options(command, rest, ("-i",), host)
            settings.arp[ipv4(address)] = mac(ether)
        case _:
            raise TopologyError(
                f'host command "{command}" is not supported: expected arp -i eth0 -s IP MAC, '
                "such as arp -i eth0 -s 10.0.1.10 08:00:00:00:01:00"
            )


def _ip(command: str, host: str, words: list[str], settings: HostSettings) -> None:
    """``ip route add N [via G] [dev D]`` and ``ip neigh add A lladdr MAC [dev D]`` of iproute2."""
    match words:
        case ["route" | "r" | "ro", "add" | "replace", target, *rest]:
            options = _options(command, rest, ("via", "dev", "metric", "scope", "src", "proto"), host)
            network = "0.0.0.0/0" if target == "default" else str(ipv4_network(target))
            _add_route(command, network, options.get("via"), settings)
        case ["neigh" | "neighbor" | "neighbour" | "n", "add" | "replace", address, *rest]:
            options = _options(command, rest, ("lladdr", "dev", "nud"), host)
            if "lladdr" not in options:
                raise TopologyError(f'host command "{command}" says no lladdr')
            settings.arp[ipv4(address)] = mac(options["lladdr"])
        case _:
            raise TopologyError(
                f'host command "{command}" is not supported: '
                "expected ip route add NETWORK via GATEWAY or ip neigh add IP lladdr MAC"
            )


def _options(command: str, words: list[str], known: tuple[str, ...], host: str) -> dict[str, str]:
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


def _interface(name: str, host: str) -> None:
    known = [pattern.format(host=host) for pattern in _INTERFACES]
    if name not in known:
        raise TopologyError(f'{host} has no interface "{name}"', suggestion="eth0")


def _add_route(command: str, network: str, gateway: str | None, settings: HostSettings) -> None:
    route = Route(network, None if gateway is None else ipv4(gateway))
    if any(other.network == network and other != route for other in settings.routes):
        raise TopologyError(f'host command "{command}" adds a second route to {network}')
    if route not in settings.routes:
        settings.routes.append(route)
