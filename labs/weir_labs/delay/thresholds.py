"""The experiment "thresholds": packets of a flow get priority above one latency and are dropped
above another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, cast

import polars as pl

import weir
from weir.flows import UdpFlow

from .machines import machine
from .service_chain import LINK_MBPS, SWITCHES, address, network

NEVER_US: Final = 2**32 - 1
"""A threshold that no packet reaches, in microseconds (71 minutes)."""


@dataclass(frozen=True)
class Flow:
    """A UDP flow through the whole chain.

    Attributes:
        name: the flow's name in tables.
        port: the flow's destination port.
        mbps: the mean rate of payload in Mbit/s; datagrams are a Poisson process.
        length: the payload of a datagram in bytes.
        priority_ms: the age above which packets get priority; ``None`` for a flow without
            thresholds.
        drop_ms: the age from which packets are dropped.
    """

    name: str
    port: int
    mbps: float
    length: int
    priority_ms: float | None = None
    drop_ms: float | None = None

    @property
    def wire_mbps(self) -> float:
        """The rate in Mbit/s including headers."""
        return self.mbps * (self.length + _HEADER_BYTES) / self.length


_HEADER_BYTES: Final = 42
"""The bytes of the Ethernet, IPv4 and UDP headers."""

FLOWS: Final = (
    Flow("control", 7001, 0.2, 100, 5.0, 20.0),
    Flow("video", 7002, 1.5, 1000, 15.0, 40.0),
    Flow("bulk", 7003, 1.5, 1000),
)
"""Two flows with thresholds, and one flow without."""

POLICIES: Final = {
    "off": (False, False),
    "priority": (True, False),
    "drop": (False, True),
    "both": (True, True),
}
"""For each policy, which of the two thresholds are set."""

_CROSS_LENGTH: Final = 1000
"""The payload of a datagram of cross traffic, in bytes."""
_BURST_FACTOR: Final = 2.0
"""The multiple of its mean rate at which cross traffic sends, for half of the time."""
_WARM_UP: Final = "500ms"


def set_thresholds(net: weir.Network, policy: str) -> None:
    """Sets the thresholds of all flows in all switches; this is possible at any time.

    Args:
        net: a network of :mod:`.service_chain`.
        policy: a key of :data:`POLICIES`; with ``off`` no flow has thresholds.
    """
    for switch in net.switches:
        table = switch.table("thresholds")
        table.clear()
        for flow in FLOWS:
            if policy == "off" or flow.priority_ms is None or flow.drop_ms is None:
                continue
            priority, drop = POLICIES[policy]
            table.insert(
                {"hdr.ipv4.dstAddr": address(2), "hdr.udp.dstPort": flow.port},
                "limit_age",
                {
                    "priority_us": round(flow.priority_ms * 1000) if priority else NEVER_US,
                    "drop_us": round(flow.drop_ms * 1000) if drop else NEVER_US,
                },
            )


@weir.experiment(
    profile=["bmv2-vm", "modern"],
    load=[0.6, 0.8, 1.1],
    policy=list(POLICIES),
    seconds=[10],
    seeds=5,
)
def thresholds(profile: str, load: float, policy: str, seconds: int, seed: int) -> dict[str, Any]:
    """Do two latency thresholds shorten the tail of a flow's latency, and what do they cost other
    traffic?

    ``load`` is the mean load of each of the chain's links. Cross traffic arrives in bursts, so
    queues are sometimes full even at a load below 1.
    """
    with network(machine(profile), seed=seed, noise="realistic") as net:
        set_thresholds(net, policy)
        cross = _start_cross(net, load, seconds + 1)
        net.run_for(_WARM_UP)
        flows = _start_flows(net, seconds)
        net.wait(*flows.values(), *cross)
        decisions = [
            sum(switch.counter("decisions").read(cell).packets for switch in net.switches)
            for cell in range(3)
        ]
        results = {flow: running.result() for flow, running in flows.items()}
        cross_results = [running.result() for running in cross]
    delays = {flow.name: result.streams[0].delays.values for flow, result in results.items()}
    numbers: dict[str, Any] = {}
    for flow, result in results.items():
        if flow.drop_ms is not None:
            numbers |= {f"{flow.name}_priority_ms": flow.priority_ms, f"{flow.name}_drop_ms": flow.drop_ms}
        numbers |= {
            f"{flow.name}_sent": result.sent,
            f"{flow.name}_received": result.received,
            f"{flow.name}_reordered": result.reordered,
        }
    return numbers | {
        "cross_sent": sum(result.sent for result in cross_results),
        "cross_received": sum(result.received for result in cross_results),
        "cross_delay_ms": sum(result.streams[0].delay_mean_ms or 0.0 for result in cross_results)
        / len(cross_results),
        "prioritized": decisions[0],
        "old_before_queue": decisions[1],
        "old_after_queue": decisions[2],
        "delays": pl.DataFrame(
            {
                "flow": [name for name, values in delays.items() for _ in values],
                "delay_ms": [value for values in delays.values() for value in values],
            }
        ),
    }


def _start_cross(net: weir.Network, load: float, seconds: int) -> list[UdpFlow]:
    """Starts bursts of cross traffic over each link, which fill the links to their mean load."""
    flows_mbps = sum(flow.wire_mbps for flow in FLOWS)
    cross_mbps = (load * LINK_MBPS - flows_mbps) * _CROSS_LENGTH / (_CROSS_LENGTH + _HEADER_BYTES)
    if cross_mbps <= 0:
        raise weir.WeirError(
            f"load = {load:g}: expected more than {flows_mbps / LINK_MBPS:.2f}, the load of the flows alone"
        )
    return [
        cast(
            UdpFlow,
            net.host(f"x{number}").start_on_off(
                "h2" if number == SWITCHES else f"y{number}",
                f"{round(_BURST_FACTOR * cross_mbps * 1000)}kbit",
                on="100ms",
                off="100ms",
                length=f"{_CROSS_LENGTH}B",
                duration=f"{seconds}s",
                interval=None,
            ),
        )
        for number in range(1, SWITCHES + 1)
    ]


def _start_flows(net: weir.Network, seconds: int) -> dict[Flow, UdpFlow]:
    """Starts the flows through the whole chain."""
    return {
        flow: cast(
            UdpFlow,
            net.host("h1").start_poisson(
                "h2",
                f"{round(flow.mbps * 1000)}kbit",
                length=f"{flow.length}B",
                port=flow.port,
                duration=f"{seconds}s",
                interval=None,
                packets=True,
            ),
        )
        for flow in FLOWS
    }
