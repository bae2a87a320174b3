"""Checks the port numbers in a topology, once the programs of the switches are known."""

from __future__ import annotations

from weir.errors import NetworkError
from weir.program import Program
from weir.topology import Topology


def check_ports(topology: Topology, switch: str, program: Program) -> None:
    """Refuses ports of a switch that its program cannot have.

    Raises:
        NetworkError: a link or the controller is at such a port.
    """
    chosen = [
        (end.port, f"the link {link} is there", "; connect more nodes through several switches")
        for link in topology.links
        for end in (link.a, link.b)
        if end.node == switch and end.port is not None
    ]
    cpu_port = topology.switches[switch].cpu_port
    if cpu_port is not None:
        chosen.append((cpu_port, "it is the cpu_port of the switch", ""))
    last, drop = program._last_port, program._drop_port
    for port, use, instead in chosen:
        if port == drop:
            reason, advice = f"this number means drop in {program.path}", ""
        elif port > last:
            reason, advice = f"the largest port of {program.path} is {last}", instead
        else:
            continue
        raise NetworkError(
            f"switch {switch} cannot have port {port} ({use}): {reason}. "
            f"Choose a port from 0 to {last}{advice}"
        )
