"""Strategy 2: only custom packets recirculate, and count passes in a header (thesis, 4.1.2)."""

from __future__ import annotations

import struct
from typing import Any, Final

import weir

from .chain import H1, H2, network
from .machines import machine

ETHERTYPE: Final = 0x1313
CONTENT: Final = {101: 1, 102: 2}
"""The port for each content id, as in the thesis: 101 goes to h1, 102 to h2."""

_ETHERNET: Final = struct.Struct("!6s6sH")
_CUSTOM: Final = struct.Struct("!HHBB")


def custom_frame(target: str, source: str, content_id: int, number: int, size: int = 1200) -> bytes:
    """Builds the bytes of a custom packet: Ethernet, the custom header, and content that starts
    with a number.

    Args:
        target: the destination's MAC address.
        source: the source's MAC address.
        content_id: the content id, 101 or 102.
        number: the number of the packet.
        size: the number of bytes after the custom header.
    """
    ethernet = _ETHERNET.pack(_mac(target), _mac(source), ETHERTYPE)
    # 0x88B5 is reserved for experiments (IEEE 802), because the content is not an IPv4 packet.
    return ethernet + _CUSTOM.pack(0x88B5, content_id, 0, 0) + struct.pack("!I", number).ljust(size, b"\0")


def read_custom(frame: bytes) -> tuple[int, int, int, int]:
    """Reads a custom packet: its content id, its passes through ingress, its passes through egress,
    and its number."""
    _, content_id, ingress_num, egress_num = _CUSTOM.unpack_from(frame, _ETHERNET.size)
    (number,) = struct.unpack_from("!I", frame, _ETHERNET.size + _CUSTOM.size)
    return content_id, ingress_num, egress_num, number


class Sender(weir.HostProgram):
    """Sends custom packets at fixed times, and receives the answers."""

    def __init__(self, packets: int, interval: str) -> None:
        self._packets, self._interval = packets, interval
        self.sent_ns: list[int] = []
        self.answered: list[tuple[int, int, int, int]] = []
        """For each answer: its arrival in ns, its passes through ingress and through egress, and
        its number."""

    def start(self) -> None:
        """Waits until the first ping's reply has arrived, before it sends."""
        self.after("50ms")

    def on_timer(self, token: object) -> None:
        """Sends the next packet."""
        frame = custom_frame(H2[1], H1[1], 102, len(self.sent_ns))
        self.sent_ns.append(self.now_ns)
        self.send(frame)
        if len(self.sent_ns) < self._packets:
            self.after(self._interval)

    def on_frame(self, frame: weir.Frame) -> None:
        """Records an answer."""
        content_id, ingress_num, egress_num, number = read_custom(bytes(frame))
        if content_id == 101:
            self.answered.append((frame.time_ns, ingress_num, egress_num, number))


class Receiver(weir.HostProgram):
    """Receives custom packets, and answers each with a packet of content id 101."""

    def __init__(self) -> None:
        self.received: list[tuple[int, int, int, int]] = []
        """For each packet: its arrival in ns, its passes through ingress and through egress, and
        its number."""

    def on_frame(self, frame: weir.Frame) -> None:
        """Answers a custom packet."""
        content_id, ingress_num, egress_num, number = read_custom(bytes(frame))
        if content_id == 102:
            self.received.append((frame.time_ns, ingress_num, egress_num, number))
            self.send(custom_frame(H1[1], H2[1], 101, number))


def recirculate_custom(net: weir.Network, x: int) -> None:
    """Configures all switches to recirculate custom packets X times and to forward them by content
    id.

    The header counts the passes in all switches, so each switch's limit depends on its position.
    Switch k of n is the k-th switch for packets to h2, and the (n - k + 1)-th for packets to h1.
    """
    places = list(net.switches)
    for place, switch in enumerate(places):
        for content_id, port in CONTENT.items():
            passed = place + 1 if port == 2 else len(places) - place
            match = {"hdr.customdata.content_id": content_id}
            switch.table("customdata_forward_table").insert(match, "customdata_forward", {"port": port})
            switch.table("recirculations").insert(match, "set_limit", {"passes": passed * (x + 1)})


@weir.experiment(
    profile=["bmv2-vm", "bmv2-server", "modern"], x=[0, 1, 3, 7, 15], switches=[1, 2], packets=[200]
)
def custom(profile: str, x: int, switches: int, packets: int, seed: int) -> dict[str, Any]:
    """Can a switch delay some packets without delaying others?"""
    with network("custom", machine(profile), switches=switches, seed=seed) as net:
        return measure_custom(net, x, packets, "100ms")


def measure_custom(net: weir.Network, x: int, packets: int, interval: str) -> dict[str, Any]:
    """Sends custom packets, which the switches recirculate X times, and pings at the same time.

    Args:
        net: the network.
        x: how often the switches recirculate the custom packets.
        packets: the number of packets of each kind.
        interval: the time between two packets of a kind.
    """
    recirculate_custom(net, x)
    receiver = net.host("h2").run(Receiver(), frames="ether proto 0x1313")
    sender = net.host("h1").run(Sender(packets, interval), frames="ether proto 0x1313")
    ping = net.host("h1").ping("h2", count=packets, size=1200, interval=interval)
    # On a busy computer timers are late, and each timer starts only after the previous timer.
    while len(sender.sent_ns) < packets:
        net.run_for(interval)
    net.run_for("1s")
    one_way = [time - sender.sent_ns[number] for time, _, _, number in receiver.received]
    passes = {(ingress, egress) for _, ingress, egress, _ in receiver.received}
    return {
        "sent": packets,
        "received": len(receiver.received),
        "answered": len(sender.answered),
        "delay_min_ms": min(one_way) / 1e6,
        "delay_max_ms": max(one_way) / 1e6,
        "ingress_num": max(ingress for ingress, _ in passes),
        "egress_num": max(egress for _, egress in passes),
        "all_counted_alike": len(passes) == 1,
        "ping_received": ping.received,
        "ping_rtt_min_ms": ping.rtt_min_ms,
        "ping_rtt_max_ms": ping.rtt_max_ms,
        "ping_ttl": min(reply.ttl for reply in ping.replies if reply.ttl is not None),
    }


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))
