"""Predicts the load that fits, and the loss beyond it, from the lengths of frames."""

from __future__ import annotations

from collections.abc import Sequence

from .frames import mean_frame_bytes


def frames_on_links(data_bytes: int, switches: int, every: int) -> list[float]:
    """Computes the mean bytes of a datagram's frame on each link, from h1's link to h2's link.

    Each switch but the last adds hop data, and the last one removes them. Telemetry is therefore
    longest on the link before the last switch.

    Args:
        data_bytes: UDP payload of a datagram.
        switches: the number of switches in the chain.
        every: every n-th datagram has telemetry; 0 for none.
    """
    hops = [*range(switches), 0]
    return [mean_frame_bytes(data_bytes, count, every) for count in hops]


def fitting_load_bps(
    rate_bps: int, data_bytes: int, switches: int, every: int, other_bps: float = 0.0
) -> float:
    """Computes the largest load, in bit/s of payload, that all links can send.

    Args:
        rate_bps: the rate of all links.
        data_bytes: UDP payload of a datagram.
        switches: the number of switches in the chain.
        every: every n-th datagram has telemetry; 0 for none.
        other_bps: the rate of other frames on each link, in bit/s.
    """
    return (rate_bps - other_bps) * data_bytes / max(frames_on_links(data_bytes, switches, every))


def lost_datagrams(
    sent: float,
    seconds: float,
    rate_bps: int,
    frame_bytes: Sequence[float],
    queue_packets: int,
    other_bps: float = 0.0,
) -> float:
    """Computes the number of datagrams that are lost at each link, in the order of the links.

    A link sends at its rate while datagrams arrive. The queue holds as many of the remaining
    datagrams as fit, and the rest are lost. The datagrams in the queue still reach the next link
    after the flow's end.

    Args:
        sent: the number of datagrams that arrive at the first link.
        seconds: how long they arrive.
        rate_bps: the rate of all links.
        frame_bytes: the mean bytes of a datagram's frame on each link.
        queue_packets: the packets that fit into the queue of each link.
        other_bps: the rate of other frames on each link, in bit/s.
    """
    remaining = float(sent)
    for size in frame_bytes:
        per_s = (rate_bps - other_bps) / (8 * size)
        remaining -= max(0.0, remaining - per_s * seconds - queue_packets)
        seconds = max(seconds, remaining / per_s)
    return sent - remaining
