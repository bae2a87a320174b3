"""A million packets across the gateways: each arrives as expected, or is refused and counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

import weir

from .crossing import WAYS, journeys
from .hybrid_network import hybrid_network, refusals

_BATCH = 100


@weir.experiment(way=[*WAYS], packets=[125_000], seeds=2)
def gateways(way: str, packets: int, seed: int) -> dict[str, Any]:
    """Is every packet translated right, or refused for the right reason?

    Every frame that arrives is compared with the expected frame, byte for byte and in order. The
    counters of the switches are compared with the packets that had to be refused.
    """
    if way not in WAYS:
        raise ValueError(f"way={way}: expected {', '.join(WAYS)}")
    source, target = WAYS[way]
    next_journey = journeys(source, target, seed)
    right = wrong = arrived = 0
    expected: Counter[str] = Counter()
    with hybrid_network(None, seed=seed) as net:
        sender, receiver = net.host(source.name), net.host(target.name)
        # The receiver's own stack must not answer: no frame is addressed to the receiver, and a
        # sniffer sees all frames.
        receiver.cmd("ip link set dev eth0 address 08:00:00:00:ff:01")
        for start in range(0, packets, _BATCH):
            batch = [next_journey() for _ in range(min(_BATCH, packets - start))]
            sniffer = net.sniff(target.name)
            for packet in batch:
                sender.send(packet.sent)
            net.run_for("10us")
            frames = [frame.data for frame in sniffer.stop()]
            wanted = [packet.arrives for packet in batch if packet.arrives is not None]
            expected.update(packet.refused for packet in batch if packet.arrives is None)
            arrived += len(frames)
            if frames == wanted:
                right += len(frames)
            else:
                same = sum(a == b for a, b in zip(frames, wanted, strict=False))
                right += same
                wrong += len(frames) - same
        counted = {name: count for name, count in refusals(net).items() if count}
        translated = sum(
            net.switch(name).counter("translated")[i].packets for name in ("g1", "g2") for i in (0, 1)
        )
    names = sorted({*expected, *counted})
    return {
        "right": right,
        "wrong": wrong,
        "refused": sum(counted.values()),
        "unexplained": packets - right - sum(counted.values()),
        "miscounted": sum(abs(expected[name] - counted.get(name, 0)) for name in names),
        "translations": translated,
        "reasons": pl.DataFrame(
            {
                "reason": names,
                "expected": [expected[name] for name in names],
                "counted": [counted.get(name, 0) for name in names],
            }
        ),
    }
