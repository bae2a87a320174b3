"""A network's speed: packet-hops of TCP over P4 switches per second of this machine."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from weir.errors import NetworkError
from weir.host import Host
from weir.network import Network, Profile
from weir.program import Program, compile
from weir.topology import Topology, shapes

SHAPES = ("dumbbell", "star", "fat-tree")
"""The topologies that there are."""

PASS_LATENCY_NS = 1000
"""What a pass through a switch takes, in virtual nanoseconds."""

_CAPACITY = 1_000_000_000
_START_WITHIN_NS = 100_000_000
_SLICE = "50ms"


@dataclass(frozen=True)
class NetworkSpeed:
    """What was measured.

    Attributes:
        topology: ``dumbbell``, ``star`` or ``fat-tree``.
        hosts: how many hosts; each second one sends to another one.
        switches: how many P4 switches.
        executor: what ran their program.
        hops: frames that have passed a link, each link they passed counted.
        events: events of the simulator.
        virtual_seconds: how much virtual time passed.
        seconds: wall clock.
        goodput_bps: bits that applications got per virtual second, all flows together.
    """

    topology: str
    hosts: int
    switches: int
    executor: str
    hops: int
    events: int
    virtual_seconds: float
    seconds: float
    goodput_bps: float

    @property
    def packet_hops_per_second(self) -> float:
        """Packet-hops a second of wall clock."""
        return self.hops / self.seconds

    @property
    def ns_per_hop(self) -> float:
        """Nanoseconds of wall clock for each."""
        return 1e9 * self.seconds / self.hops


def router(executor: str | None = None) -> Program:
    """The program of the switches: an IPv4 router with nothing in egress."""
    return compile(Path(__file__).parent / "router.p4", executor=executor)


def build(topology: str, hosts: int) -> Topology:
    """The topology: all links 1 Gbit/s; of a dumbbell 1 ms at the edges and 5 ms between the switches, queues of 1000 packets.

    Raises:
        NetworkError: there is no such topology, or it cannot have so many hosts.
    """
    match topology:
        case "dumbbell":
            if hosts < 2 or hosts % 2 or hosts > 1000:
                raise NetworkError(f"a dumbbell has an even number of hosts, at most 1000, found {hosts}")
            return shapes.dumbbell(hosts // 2, queue="1000p")
        case "star":
            if not 2 <= hosts <= 500:
                raise NetworkError(f"a star has 2 to 500 hosts, found {hosts}")
            return shapes.star(hosts, queue="1000p")
        case "fat-tree":
            sizes = {k**3 // 4: k for k in range(2, 17, 2)}
            if hosts not in sizes:
                known = ", ".join(map(str, sizes))
                raise NetworkError(f"a fat tree has {known} hosts, found {hosts}")
            return shapes.fat_tree(sizes[hosts], queue="1000p")
        case _:
            raise NetworkError(f'there is no topology "{topology}": expected {", ".join(SHAPES)}')


def time_network(
    topology: str = "dumbbell",
    hosts: int = 20,
    *,
    seconds: float = 5.0,
    executor: str | None = None,
    seed: int = 1,
    congestion: str = "cubic",
    progress: Callable[[float], None] | None = None,
) -> NetworkSpeed:
    """Lets TCP flows fill a network, and measures how fast it runs.

    Host i sends to host i + n/2. Flows begin at random times within the first 100 ms of virtual time, which are not measured, and do
    not end.

    Args:
        topology: one of :data:`SHAPES`.
        hosts: how many; a dumbbell takes an even number up to 1000, a star up to 500, a fat tree 2, 16, 54, 128, 250, 432, 686 or 1024.
        seconds: how much wall clock to measure, at least.
        executor: what runs the program of the switches.
        seed: where randomness begins.
        congestion: the flows' congestion control.
        progress: called now and then with the share done.

    Raises:
        NetworkError: the topology cannot be built.
    """
    program = router(executor)
    profile = Profile("bench", PASS_LATENCY_NS, _CAPACITY)
    topo = build(topology, hosts)
    draw = random.Random(seed)
    with Network(topo, program, seed=seed, profile=profile) as net:
        names = [host.name for host in net.hosts]
        half = len(names) // 2
        flows = []
        for place in range(half):
            source, target = net.host(names[place]), names[place + half]

            def start(source: Host = source, target: str = target) -> None:
                flows.append(source.start_iperf(target, duration="24h", interval=None, congestion=congestion))

            net.after(f"{draw.randrange(_START_WITHIN_NS)}ns", start)
        net.run_for(f"{_START_WITHIN_NS}ns")
        hops, events, virtual = net.hops, net.events, net.now_ns
        received = sum(flow.result().bytes for flow in flows)
        begin = time.perf_counter()
        spent = 0.0
        while spent < seconds:
            net.run_for(_SLICE)
            spent = time.perf_counter() - begin
            if progress is not None:
                progress(min(1.0, spent / seconds))
        passed = (net.now_ns - virtual) / 1e9
        received = sum(flow.result().bytes for flow in flows) - received
        return NetworkSpeed(
            topology,
            len(names),
            len(net.switches),
            program.executor,
            net.hops - hops,
            net.events - events,
            passed,
            spent,
            received * 8 / passed,
        )
