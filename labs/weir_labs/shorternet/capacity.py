"""Packet rates up to the capacity of links and switches, with one flow and with several."""

from __future__ import annotations

import random
from itertools import chain, repeat
from typing import Any, Final

import numpy as np

import weir
from weir import units
from weir.network import profiles

from .frames import HEADERS_BYTES, STACKS, payload_bytes
from .path import QUEUE_PACKETS, network, receiver
from .traffic import Sender, headers, random_text, start_receiver

INPUT_PACKETS: Final = 1024
"""The maximum number of packets that wait for a pass of a switch."""

_SLOW_LINK: Final = "5Mbit"
_FAST_LINK: Final = "1Gbit"
SLOW_SWITCH: Final = "bmv2-vm"
_FAST_SWITCH: Final = "default"


@weir.experiment(
    limit=["link", "switch"],
    equal=["length", "payload"],
    stack=["shorternet", "standard"],
    flows=[1, 8],
    percent=[50, 90, 99, 105, 115, 120, 150],
    length=[200],
    seconds=[4],
)
def capacity(
    limit: str, equal: str, stack: str, flows: int, percent: int, length: int, seconds: int, seed: int
) -> dict[str, Any]:
    """How many packets per second fit, and what happens when more arrive?

    The load is ``percent`` of the packets that fit with Ethernet and IPv4. Links have 5 Mbit/s and
    switches are fast, or links have 1 Gbit/s and a switch starts 3200 passes a second.

    If ``equal`` is ``length``, packets of both stacks have ``length`` bytes. If ``equal`` is
    ``payload``, Shorternet's packets are 30 bytes shorter.
    """
    if (limit, equal, stack) not in {
        (a, b, c) for a in ("link", "switch") for b in ("length", "payload") for c in STACKS
    }:
        raise ValueError(
            f"limit={limit}, equal={equal}, stack={stack}: expected link or switch, length or payload, "
            "shorternet or standard"
        )
    own_length = length if equal == "length" else payload_bytes("standard", length) + HEADERS_BYTES[stack]
    rate, profile = (_SLOW_LINK, _FAST_SWITCH) if limit == "link" else (_FAST_LINK, SLOW_SWITCH)
    fits_standard, fits = (_fitting_rate(rate, profile, size) for size in (length, own_length))
    per_second = fits_standard * percent / 100
    gap_ns = round(flows * 1e9 / per_second)
    count = round(per_second * seconds / flows)
    text, chance = random_text(stack, own_length, seed), random.Random(seed)
    with network(stack, rate, pairs=flows, profile=profile, seed=seed) as net:
        receivers, senders = [], []
        for number in range(1, flows + 1):
            target = receiver(number, flows)
            receivers.append(start_receiver(net, stack, target, own_length, text))
            frame = headers(net, stack, number, target, payload_bytes(stack, own_length))
            # Flows begin at random times within the gap between two packets, and keep their
            # offsets.
            gaps = chain([chance.randrange(gap_ns)], repeat(gap_ns))
            senders.append(net.host(f"h{number}").run(Sender(frame, text, number, count, gaps.__next__)))
        net.run_for(f"{seconds + 2}s")
    arrived = [flow for one in receivers for flow in one.flows.values()]
    latency_ms = (
        np.concatenate([np.array(flow.arrived_ns) - np.array(flow.sent_ns) for flow in arrived]) / 1e6
    )
    sent, received = sum(one.sent for one in senders), len(latency_ms)
    waiting = QUEUE_PACKETS if limit == "link" else INPUT_PACKETS
    return {
        "bytes": own_length,
        "packets_per_s": per_second,
        "fitting_per_s": fits,
        "sent": sent,
        "lost": sent - received,
        "predicted_lost": max(0.0, sent - fits * seconds - waiting),
        "payload_mbps": received * payload_bytes(stack, own_length) * 8 / seconds / 1e6,
        "latency_ms": float(latency_ms.mean()),
        "latency_max_ms": float(latency_ms.max()),
        "jitter_ms": round(float(latency_ms.std()), 9),
    }


def _fitting_rate(rate: str, profile: str, length: int) -> float:
    """Computes how many packets per second links and switches can take."""
    return min(units.rate_bps(rate) / (8 * length), float(profiles()[profile].capacity))
