"""Host commands that configure the kernel and its devices: ``sysctl`` and ``ethtool``."""

from __future__ import annotations

from itertools import zip_longest

from weir.errors import TopologyError
from weir.suggest import listing, nearest
from weir.topology.host_spec import HostSpec

# Settings with an effect; the host checks their values.
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

# Settings without effect here, and why.
_NOTED_SYSCTLS = {
    "net.ipv6.conf.": "a host without IPv6 addresses sends no IPv6 packets",
    "net.ipv4.conf.": "hosts ignore redirects and have no reverse path filter",
    "net.ipv4.neigh.": "neighbour tables have no limits",
    "net.ipv6.neigh.": "neighbour tables have no limits",
    "net.ipv4.tcp_no_metrics_save": "nothing is kept from earlier connections",
    "net.ipv4.route.flush": "nothing is kept from earlier connections",
    "net.ipv4.tcp_moderate_rcvbuf": "buffers have the maximum size of tcp_rmem from the start",
    "net.ipv4.tcp_mem": "memory is not limited",
    "net.ipv4.udp_mem": "memory is not limited",
    "net.core.rmem_": "tcp_rmem sets the size of buffers",
    "net.core.wmem_": "the size of buffers is that of tcp_wmem",
    "net.core.optmem_max": "memory is not limited",
    "net.core.netdev_max_backlog": "frames do not wait for a host's processor",
    "net.core.somaxconn": "a listener has a backlog of 4096 handshakes",
    "net.ipv4.tcp_max_syn_backlog": "a listener has a backlog of 4096 handshakes",
}

# Queueing disciplines that `net.core.default_qdisc` may name.
_DEFAULT_QDISCS = ("fq", "fq_codel", "codel", "pfifo", "bfifo")


def sysctl(command: str, host: HostSpec, words: list[str]) -> None:
    """``sysctl [-w] NAME=VALUE …``.

    Raises:
        TopologyError: a setting is not understood.
    """
    settings = [word for word in words if word not in ("-w", "-q")]
    if not settings:
        raise unsupported(command, "sysctl -w NAME=VALUE")
    for setting in settings:
        name, sign, value = setting.partition("=")
        name, value = name.strip().replace("/", "."), value.strip()
        if not sign:
            raise unsupported(command, "sysctl -w NAME=VALUE")
        if name in _SYSCTLS:
            host.sysctls.append((name, value))
        elif name == "net.core.default_qdisc":
            _default_qdisc(command, host, value)
        elif (name == "net.ipv4.ip_forward" or name.endswith(".forwarding")) and value != "0":
            raise TopologyError(f'the setting "{name}" is not supported: hosts do not forward, switches do')
        elif name.endswith(".disable_ipv6") and value != "0" and _has_ipv6(host):
            raise TopologyError(
                f'the setting "{name}" is not supported for a host with IPv6 addresses: remove these'
            )
        elif name == "net.ipv4.ip_forward" or any(name.startswith(noted) for noted in _NOTED_SYSCTLS):
            host.notes.append(command)
        else:
            suggestion = nearest(name, _SYSCTLS)
            text = "" if suggestion else f" (understood: {listing((*_SYSCTLS, 'net.core.default_qdisc'))})"
            raise TopologyError(f'the setting "{name}" is not supported{text}', suggestion=suggestion)


def _has_ipv6(host: HostSpec) -> bool:
    return any(":" in own.address for interface in host.interfaces for own in interface.addresses)


def _default_qdisc(command: str, host: HostSpec, kind: str) -> None:
    """Sets the discipline of all present interfaces, except those that a command has given one."""
    if kind not in _DEFAULT_QDISCS:
        raise TopologyError(
            f'"{kind}" in the host command "{command}" is not a queueing discipline for all interfaces '
            f"(known: {listing(_DEFAULT_QDISCS)})",
            suggestion=nearest(kind, _DEFAULT_QDISCS),
        )
    for number in range(len(host.interfaces)):
        names = {f"eth{number}", f"{host.name}-eth{number}"}
        made = [set(line.split()) for line in host.tc]
        if not any(words & names and words & {"add", "replace"} for words in made):
            host.tc.append(f"tc qdisc add dev eth{number} root {kind}")


def ethtool(command: str, host: HostSpec, words: list[str]) -> None:
    """``ethtool -K D FEATURE on|off …``: accepted without effect, because virtual hosts have no offloads: each packet is a frame."""
    match words:
        case ["-K" | "--offload" | "--features", device, *features] if features:
            interface_number(device, host)
            for name, value in zip_longest(features[::2], features[1::2]):
                if value not in ("on", "off"):
                    raise TopologyError(
                        f'"{name}" in the host command "{command}" must be on or off, found {value or "nothing"}'
                    )
            host.notes.append(command)
        case ["-s" | "--change", *_]:
            raise TopologyError(
                f'host command "{command}" is not supported: add_link(…, rate="100Mbit") or '
                'net.link(…).rate = "100Mbit" sets the rate of a link'
            )
        case _:
            raise unsupported(
                command, "ethtool -K eth0 FEATURE on|off, such as ethtool -K eth0 tso off gso off"
            )


def interface_number(name: str, host: HostSpec) -> int:
    """The number of an interface: ``eth0`` or ``h1-eth0``. ``lo`` counts as ``eth0``: its settings have no effect."""
    if name == "lo":
        return 0
    short = name.removeprefix(f"{host.name}-")
    known = [f"eth{number}" for number in range(len(host.interfaces))]
    if short not in known:
        raise TopologyError(
            f'{host.name} has no interface "{name}"', suggestion=nearest(short, known) or known[0]
        )
    return known.index(short)


def unsupported(command: str, expected: str) -> TopologyError:
    """The error for a command that is not supported."""
    return TopologyError(f'host command "{command}" is not supported: expected {expected}')
