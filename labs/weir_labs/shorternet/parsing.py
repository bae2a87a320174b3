"""The cost of a parsed header, if parsing takes time and if it does not."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

import weir
from weir import units
from weir.lab import within
from weir.packets import UDP, UDP_BYTES, udp_header

from .frames import SHORTERNET_BYTES, TTL, shorternet_header
from .path import LINKS, SWITCHES, network, receiver
from .traffic import CONTENT_BYTES, PORT, Receiver, Sender

EXTRA: Final = range(17)
"""The numbers of extra headers that the program ``extra.p4`` parses."""

EXTRA_BYTES: Final = 4
_PROTOCOL_EXTRA: Final = 253
_PASS_NS: Final = 1000


def extra_headers(count: int) -> bytes:
    """Builds the headers of a packet from host 1 to host 2: Shorternet, ``count`` extra headers,
    UDP.

    Args:
        count: the number of extra headers, one of :data:`EXTRA`.
    """
    within("extra", count, EXTRA)
    kinds = [_PROTOCOL_EXTRA] * count + [UDP]
    first = shorternet_header(1, 2, kinds[0], TTL)
    return first + b"".join(bytes([kind, 0, 0, 0]) for kind in kinds[1:])


@weir.experiment(
    equal=["length", "payload"],
    extra=[0, 1, 2, 4, 8, 16],
    header_ns=[0, 20, 1000],
    length=[128],
    packets=[500],
    rate=["1Gbit"],
)
def parsing(
    equal: str, extra: int, header_ns: int, length: int, packets: int, rate: str, seed: int
) -> dict[str, Any]:
    """What do extra headers cost in latency and capacity?

    A pass takes 1 µs plus ``header_ns`` for each header; the switch starts one pass after the
    other. If ``equal`` is ``length``, extra headers replace payload; if ``equal`` is ``payload``,
    extra headers make the packet longer.
    """
    if equal not in ("length", "payload"):
        raise ValueError(f"equal={equal}: expected length or payload")
    own_length = length + (EXTRA_BYTES * extra if equal == "payload" else 0)
    start = extra_headers(extra)
    payload = own_length - len(start) - UDP_BYTES
    if payload < CONTENT_BYTES:
        raise ValueError(f"length={length}: too short for {extra} extra headers")
    text = bytes(payload - CONTENT_BYTES)
    pass_ns = _PASS_NS + header_ns * (1 + extra)
    profile = weir.Profile("parsing", pass_latency_ns=pass_ns, capacity=1_000_000_000 // pass_ns)
    frame = start + udp_header(PORT, PORT, payload)
    with network("shorternet", rate, p4="extra", profile=profile, seed=seed) as net:
        program = Receiver(payload, text, header_bytes=len(frame))
        arrived = net.host(f"h{receiver(1, pairs=1)}").run(program, frames=True)
        # With one packet every 100 us, packets never meet.
        net.host("h1").run(Sender(frame, text, 1, packets, lambda: 100_000))
        net.run_for(f"{packets * 100 + 1000}us")
    flow = arrived.flows[1]
    latency_us = (np.array(flow.arrived_ns) - np.array(flow.sent_ns)) / 1e3
    transmission_ns = -(-own_length * 8 * 1_000_000_000 // units.rate_bps(rate))
    return {
        "bytes": own_length,
        "payload_bytes": payload,
        "header_bytes": SHORTERNET_BYTES + EXTRA_BYTES * extra + UDP_BYTES,
        "received": len(latency_us),
        "latency_us": float(latency_us.mean()),
        "predicted_us": (LINKS * transmission_ns + SWITCHES * pass_ns) / 1e3,
        "passes_per_s": 1e9 / pass_ns,
        "link_per_s": units.rate_bps(rate) / (8 * own_length),
    }
