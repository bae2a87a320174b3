"""The lab's network of client, switch and server, each in a network namespace of its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import weir
from weir.errors import NetworkError

if TYPE_CHECKING:
    from weir.linux.process import Process

CLIENT: Final = ("10.0.0.1", "08:00:00:00:00:01")
SERVER: Final = ("10.0.0.2", "08:00:00:00:00:02")

PORTS: Final = ("eth0", "eth1")
"""The names of the switch's interfaces: port 1 leads to the client, port 2 to the server."""

_START_TIMEOUT_S: Final = 15.0
"""The time in seconds within which a switch must begin to forward."""


def wired_topology(size: int = 1500, has_switch: bool = True) -> weir.Topology:
    """Creates the topology client – switch – server; without a switch, one link between client and
    server.

    The switch is a host with two interfaces. The program that forwards between them starts later.

    Args:
        size: the MTU of client and server, which is the size of the longest IP packet in bytes.
        has_switch: whether there is a switch.
    """
    topology = weir.Topology()
    for name, own_addresses, other in (("client", CLIENT, SERVER), ("server", SERVER, CLIENT)):
        topology.add_host(
            name, f"{own_addresses[0]}/24", own_addresses[1], arp={other[0]: other[1]}, mtu=f"{size}B"
        )
    if not has_switch:
        topology.add_link("client", "server", rate="unlimited")
        return topology
    topology.add_host("switch", "192.0.2.1/30", mtu="9216B")
    topology.add_interface("switch", "192.0.2.5/30", mtu="9216B")
    topology.add_link("client", "switch-eth0", rate="unlimited")
    topology.add_link("server", "switch-eth1", rate="unlimited")
    return topology


def network(size: int, offloads: bool, has_switch: bool, seed: int) -> weir.Network:
    """Starts the network without a switching program.

    Args:
        size: see :func:`wired_topology`.
        offloads: whether the hosts leave checksums and segmentation to the device that puts frames
            on a wire, as Linux does between processes of one computer. Without offloads, each frame
            that passes the switch is valid on a wire.
        has_switch: whether there is a switch.
        seed: the seed of the run.

    Raises:
        NetworkError: this computer has no network namespaces.
    """
    net = weir.Network(wired_topology(size, has_switch), world="linux", seed=seed, offloads=offloads)
    for host in ("client", "server"):
        # The link has no rate, so it does not need a queue.
        output = net.host(host).cmd("tc qdisc del dev eth0 root").strip()
        if output:
            raise NetworkError(f"{host}: {output.splitlines()[-1]}")
    if has_switch:
        lines = [f"ip address flush dev {port}; tc qdisc del dev {port} root" for port in PORTS]
        net.host("switch").cmd("; ".join(lines))
    return net


def wait_until_it_forwards(net: weir.Network, processes: Sequence[Process], log: Path | None) -> float:
    """Pings from the client to the server until there is an answer.

    Args:
        net: the switch's network.
        processes: the switch's processes.
        log: the file with the output of the processes.

    Returns:
        The seconds until the first answer.

    Raises:
        NetworkError: there was no answer for 15 seconds, or a process has exited.
    """
    begin = time.monotonic()
    while time.monotonic() < begin + _START_TIMEOUT_S:
        if net.host("client").ping("server", count=1, timeout="100ms").received:
            return time.monotonic() - begin
        for process in processes:
            if process.poll() is not None:
                log_text = (
                    "" if log is None else log.read_text(encoding="utf-8", errors="replace").strip()[:500]
                )
                raise NetworkError(f"{process.args[0]} has ended with {process.returncode}: {log_text}")
    raise NetworkError(f"no ping has passed the switch for {_START_TIMEOUT_S:.0f} seconds")
