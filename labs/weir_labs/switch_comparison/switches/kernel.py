"""Switches in the kernel: a bridge, and a filter that redirects frames to the other interface."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import weir

from ..network import CLIENT, PORTS, SERVER
from .kind import MissingSwitch, RunningSwitch, SwitchKind


def _commands(net: weir.Network, lines: Sequence[str], what: str) -> None:
    """Runs commands that print nothing if they succeed.

    Raises:
        MissingSwitch: a command fails.
    """
    for line in lines:
        output = net.host("switch").cmd(line).strip()
        if output:
            raise MissingSwitch(f"this kernel has no {what}: {line}: {output.splitlines()[-1]}")


def _bridge(net: weir.Network, folder: Path) -> RunningSwitch:
    lines = ["ip link add br0 mtu 9216 type bridge", "ip link set br0 up"]
    for port, (_, mac) in zip(PORTS, (CLIENT, SERVER), strict=True):
        lines += [f"ip link set {port} master br0", f"bridge fdb replace {mac} dev {port} master static"]
    _commands(net, lines, "bridge")
    return RunningSwitch(version=f"Linux {platform.release()}")


def _redirect(net: weir.Network, folder: Path) -> RunningSwitch:
    lines = []
    for port, other in (PORTS, PORTS[::-1]):
        lines += [
            f"tc qdisc add dev {port} clsact",
            f"tc filter add dev {port} ingress matchall action mirred egress redirect dev {other}",
        ]
    _commands(net, lines, "redirection by filters")
    return RunningSwitch(version=f"Linux {platform.release()}")


KINDS: Final[Sequence[SwitchKind]] = (
    SwitchKind(
        name="bridge",
        title="Linux bridge",
        place="kernel",
        model="softirq",
        install="part of Linux: modprobe bridge",
        start=_bridge,
    ),
    SwitchKind(
        name="redirect",
        title="bare redirect (kernel)",
        place="kernel",
        model="softirq",
        install="part of Linux: modprobe cls_matchall act_mirred sch_ingress",
        start=_redirect,
    ),
)
