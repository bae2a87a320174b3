"""The thesis's benchmark on one shared computer: does a shorter header save latency and jitter?"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np

import weir
from weir.lab import within

from .frames import HEADERS_BYTES, payload_bytes
from .path import network, receiver
from .traffic import PACKETS, PORT, Receiver, Sender, headers, random_text

COMPUTER: Final = "bmv2-two-processors"


class _FrameReceiver(Receiver):
    """Records the packets of both stacks as frames."""

    def on_datagram(self, datagram: weir.Datagram) -> None:
        """Ignores the datagram, because :meth:`on_frame` has recorded its frame."""


@weir.experiment(
    stack=["shorternet", "standard"],
    slower=[1.0, 8.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0],
    extra=[1.1, 1.25, 1.5],
    length=[694],
    packets=[5000],
    per_second=[1000],
    computer=[COMPUTER],
)
def shared_computer(
    stack: str,
    slower: float,
    extra: float,
    length: int,
    packets: int,
    per_second: int,
    computer: str,
    seed: int,
) -> dict[str, Any]:
    """Does a shorter header save latency and jitter if everything shares one computer?

    The computer is ``slower`` times slower than the fitted one. With Ethernet and IPv4, a pass and
    the work of a host for a packet take ``extra`` times as long as with Shorternet.
    """
    within("packets", packets, PACKETS)
    if per_second < 1:
        raise ValueError(f"per_second={per_second}: expected 1 or more")
    shared = weir.Computer.named(computer).scaled(slower)
    if stack == "standard":
        costs: dict[str, Any] = {
            name: weir.Cost(round(cost.packet_ns * extra), cost.byte_ns)
            for name in ("ingress", "egress", "app")
            for cost in [getattr(shared, name)]
        }
        shared = dataclasses.replace(shared, **costs)
    target, payload = receiver(1, pairs=1), payload_bytes(stack, length)
    text, gap_ns = random_text(stack, length, seed), 1_000_000_000 // per_second
    with network(stack, None, computer=shared, seed=seed) as net:
        # In both stacks, a packet counts as arrived when its frame has arrived.
        program = _FrameReceiver(payload, text, HEADERS_BYTES[stack])
        ports = (PORT,) if stack == "standard" else ()
        arrived = net.host(f"h{target}").run(program, udp=ports, frames=True)
        sender = net.host("h1").run(
            Sender(headers(net, stack, 1, target, payload), text, 1, packets, lambda: gap_ns)
        )
        net.run_for(f"{packets * gap_ns}ns")
        net.run_for("2s")
    flow = arrived.flows[1]
    latency_ms = (np.array(flow.arrived_ns) - np.array(flow.sent_ns)) / 1e6
    return {
        "sent": sender.sent,
        "lost": sender.sent - len(latency_ms),
        "latency_ms": float(latency_ms.mean()),
        "latency_max_ms": float(latency_ms.max()),
        "jitter_ms": round(float(latency_ms.std()), 9),
    }
