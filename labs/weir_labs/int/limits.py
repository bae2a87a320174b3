"""The limits of INT-MD: the number of hops that may add metadata, and the MTU of the links."""

from __future__ import annotations

from typing import Any, Final

import weir
from weir.telemetry import words_of

from .chain import FROM_H1, PATH, chain, packed_address, program, watch_entry
from .collector import collect

HEADERS: Final = 28 + 16
"""The bytes of the IPv4, UDP, shim and INT-MD headers."""


@weir.experiment(
    max_hops=[0, 1, 2, 3, 4, 5, 255],
    room=[0, 1, 2, 3, 4],
    switches=[5],
    data_bytes=[1000],
    packets=[10],
)
def limits(
    max_hops: int, room: int, switches: int, data_bytes: int, packets: int, seed: int
) -> dict[str, Any]:
    """Which nodes report a packet, by the allowed hops and by the metadata that fit the MTU?

    The MTU of all links is the packet with its INT headers and the metadata of ``room`` nodes.
    """
    if not 0 <= max_hops <= 255 or room < 0:
        raise ValueError(f"max_hops={max_hops}, room={room}: expected 0 to 255, and 0 or more")
    hop = 4 * words_of(PATH)
    mtu = HEADERS + data_bytes + room * hop
    entry = watch_entry("embed_data", PATH, FROM_H1, max_hops=max_hops, discard=0, by_port=1)
    topology = chain(switches, "10Mbit", watch=[entry], mtu=dict.fromkeys(range(1, switches + 1), mtu))
    with weir.Network(topology, program(), seed=seed) as net:
        collector = collect(net)
        end = net.sniff(f"s{switches - 1}-p2")
        sent = net.host("h1").iperf("h2", udp=True, count=packets, length=f"{data_bytes}B", interval=None)
        net.run_for("100ms")
        frames = [bytes(frame) for frame in end.frames if frame.outbound]
        longest = max(len(frame) - 14 for frame in frames if frame[26:30] == packed_address("h1"))
    ((reporters, local, exceeded, mtu_exceeded),) = {
        (
            len(report.embedded.hops),
            int(report.bits != 0),
            report.embedded.hops_exceeded,
            report.embedded.mtu_exceeded,
        )
        for _, report in collector.reports
        if report.embedded is not None
    }
    transit = min(room, max_hops, switches - 1)
    return {
        "received": sent.received,
        "reports": len(collector.reports),
        "hops": reporters + local,
        "hops_exceeded": int(exceeded),
        "mtu_exceeded": int(mtu_exceeded),
        "predicted_hops": transit + (transit < max_hops),
        # A node sends its own report if it was not allowed to add metadata, or if its metadata did
        # not fit the packet.
        "predicted_hops_exceeded": int(transit == max_hops and max_hops < switches),
        "predicted_mtu_exceeded": int(room < min(max_hops, switches - 1)),
        "longest": longest,
        "mtu": mtu,
    }
