"""Measures the packet-hops per second of TCP over P4 switches on this machine."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from weir.control.profile import Profile
from weir.errors import NetworkError
from weir.host import Host
from weir.network import Network
from weir.program import Program, compile
from weir.topology import Topology, shapes

SHAPES = ("dumbbell", "star", "fat-tree")
"""The known topologies."""

PASS_LATENCY_NS = 1000
"""The pass latency of the switches, in virtual nanoseconds."""

_CAPACITY = 1_000_000_000
_START_WITHIN_NS = 100_000_000
_SLICE = "50ms"


@dataclass(frozen=True)
class NetworkSpeed:
    """The speed of a network.

    Attributes:
        topology: ``dumbbell``, ``star`` or ``fat-tree``.
        hosts: the number of hosts, half of which send to the other half.
        switches: number of P4 switches.
        executor: the executor of the switches' program.
        hops: the number of frames that passed a link, counted once for each link.
        events: the number of simulator events.
        virtual_seconds: the virtual time of the run in seconds.
        seconds: the real time of the run in seconds.
        goodput_bps: bits that applications received per virtual second, summed over all flows.
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
        """Frames that passed a link, per second of real time."""
        return self.hops / self.seconds

    @property
    def ns_per_hop(self) -> float:
        """Nanoseconds of real time per frame that passed a link."""
        return 1e9 * self.seconds / self.hops


def router(executor: str | None = None) -> Program:
    """Compiles the program of the switches: an IPv4 router with empty egress."""
    return compile(Path(__file__).parent / "router.p4", executor=executor)


def build(topology: str, hosts: int, queue_rate: str | None = None) -> Topology:
    """Builds a topology with links of 1 Gbit/s and queues of 1000 packets.

    A dumbbell has a delay of 1 ms at the edges and 5 ms between the switches.

    Packets wait at the links or, if ``queue_rate`` is ``"link"``, in the switches.

    Raises:
        NetworkError: there is no such topology, or it cannot have this number of hosts.
    """
    match topology:
        case "dumbbell":
            if hosts < 2 or hosts % 2 or hosts > 1000:
                raise NetworkError(f"a dumbbell has an even number of hosts, at most 1000, found {hosts}")
            return shapes.dumbbell(hosts // 2, queue="1000p", queue_rate=queue_rate)
        case "star":
            if not 2 <= hosts <= 500:
                raise NetworkError(f"a star has 2 to 500 hosts, found {hosts}")
            return shapes.star(hosts, queue="1000p", queue_rate=queue_rate)
        case "fat-tree":
            sizes = {k**3 // 4: k for k in range(2, 17, 2)}
            if hosts not in sizes:
                sizes_text = ", ".join(map(str, sizes))
                raise NetworkError(f"a fat tree has {sizes_text} hosts, found {hosts}")
            return shapes.fat_tree(sizes[hosts], queue="1000p", queue_rate=queue_rate)
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
    queue_rate: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> NetworkSpeed:
    """Fills a network with TCP flows, and measures the speed of the simulation.

    Host i sends to host i + n/2. Flows begin at random times within the first 100 ms of virtual
    time, which are not measured, and do not end.

    Args:
        topology: one of :data:`SHAPES`.
        hosts: number of hosts: even and up to 1000 in a dumbbell, up to 500 in a star; 2, 16, 54,
            128, 250, 432, 686 or 1024 in a fat tree.
        seconds: minimum real time to measure.
        executor: the executor of the switches.
        seed: the seed of all random numbers.
        congestion: the flows' congestion control.
        queue_rate: ``None`` if packets wait at the links, ``"link"`` if they wait in the switches.
        progress: a function to call repeatedly with the finished share, 0 to 1.

    Raises:
        NetworkError: the topology cannot be built.
    """
    program = router(executor)
    profile = Profile("bench", PASS_LATENCY_NS, _CAPACITY)
    topo = build(topology, hosts, queue_rate)
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
