"""Port numbers in a topology fit the program of their switch."""

from __future__ import annotations

from pathlib import Path

import pytest

import weir
from weir.errors import NetworkError
from weir.topology import Topology

NET = Path(__file__).parent / "net"
V1MODEL = NET / "router.p4"
# Ports of PSA have 32 bits.
PSA = NET / "psa_wire.p4"


def at_port(port: int, cpu_port: int | None = None) -> Topology:
    topology = Topology()
    topology.add_host("h1", ip="10.0.0.1/24")
    topology.add_switch("s1", cpu_port=cpu_port)
    topology.add_link("h1", f"s1-p{port}")
    topology.routes = None
    return topology


@pytest.mark.parametrize(
    ("program", "topology"),
    [
        (V1MODEL, at_port(510)),
        (V1MODEL, at_port(0, cpu_port=510)),
        (PSA, at_port(600)),
        (PSA, at_port(1, cpu_port=70_000)),
    ],
)
def test_ports_of_the_program_are_accepted(program: Path, topology: Topology) -> None:
    with weir.Network(topology, p4=program) as net:
        assert net.switch("s1").name == "s1"


@pytest.mark.parametrize(
    ("topology", "message"),
    [
        (
            at_port(511),
            "switch s1 cannot have port 511 (the link h1 <-> s1-p511 is there): this number means drop "
            f"in {V1MODEL}. Choose a port from 0 to 510",
        ),
        (
            at_port(600),
            "switch s1 cannot have port 600 (the link h1 <-> s1-p600 is there): the largest port of "
            f"{V1MODEL} is 510. Choose a port from 0 to 510; connect more nodes through several switches",
        ),
        (
            at_port(1, cpu_port=511),
            "switch s1 cannot have port 511 (it is the cpu_port of the switch): this number means drop "
            f"in {V1MODEL}. Choose a port from 0 to 510",
        ),
        (
            at_port(1, cpu_port=600),
            "switch s1 cannot have port 600 (it is the cpu_port of the switch): the largest port of "
            f"{V1MODEL} is 510. Choose a port from 0 to 510",
        ),
    ],
)
def test_other_ports_are_refused(topology: Topology, message: str) -> None:
    with pytest.raises(NetworkError) as refused:
        weir.Network(topology, p4=V1MODEL)
    assert str(refused.value) == message
