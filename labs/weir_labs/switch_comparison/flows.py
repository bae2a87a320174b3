"""Flows from client to server, sent with iperf3 or, if it is missing, with Weir's own senders."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import weir
from weir.errors import NetworkError
from weir.lab import one_of, within

from .network import SERVER

if TYPE_CHECKING:
    from weir.linux.process import Process

OWN_FASTEST_MBPS: Final = 1000.0
"""The payload in Mbit/s that Weir's sender offers over UDP if a plan has no rate."""

UDP_HEADERS: Final = 28
"""The bytes of the IPv4 and UDP headers together."""

SMALLEST: Final[Mapping[str, int]] = {"tcp": 100, "udp": 68}
"""The bytes of the shortest IP packet by protocol. Linux does not send TCP segments below 48 bytes
with their options, and IPv4 requires an MTU of at least 68 (RFC 791, section 3.2)."""

LARGEST: Final = 9000
"""The maximum size of an IP packet in bytes."""

SECONDS: Final = range(1, 3601)
"""The durations of a flow in seconds."""

_INTERVAL_S: Final = 0.1
"""The length of an interval of the results in seconds."""

_TIMEOUT_S: Final = 5.0
"""The time in seconds within which iperf3's server must listen and its client must connect."""

_LISTEN_STATE: Final = "0A"
_ESTABLISHED_STATE: Final = "01"
"""The codes of TCP states in ``/proc/net/tcp``."""


@dataclass(frozen=True)
class FlowFigures:
    """The results of a flow, without its warm-up.

    Attributes:
        goodput_mbps: payload that arrived, in Mbit/s.
        sent_mbps: payload that was sent, in Mbit/s; ``None`` for TCP.
        packets_per_s: the number of datagrams that arrived per second; ``None`` for TCP.
        loss_percent: the datagrams that did not arrive, in per cent; ``None`` for TCP.
        jitter_ms: the jitter of the datagrams (RFC 3550); ``None`` for TCP.
        retransmits: the number of segments that were sent again; ``None`` for UDP.
        times_s: the end of each interval, from the start of the flow.
        rates_mbps: the goodput of each interval.
    """

    goodput_mbps: float
    sent_mbps: float | None
    packets_per_s: float | None
    loss_percent: float | None
    jitter_ms: float | None
    retransmits: int | None
    times_s: Sequence[float]
    rates_mbps: Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The description of a flow to send.

    Attributes:
        protocol: ``tcp`` or ``udp``.
        size: bytes of an IP packet, :data:`SMALLEST` to :data:`LARGEST`.
        rate_mbps: the payload rate in Mbit/s; ``None`` for the maximum.
        seconds: the duration in seconds, one of :data:`SECONDS`.
        warm_up: the seconds at the beginning that are not measured.
    """

    protocol: str
    size: int
    rate_mbps: float | None
    seconds: int
    warm_up: float

    def __post_init__(self) -> None:
        """Checks the values that users choose.

        Raises:
            WeirError: a parameter's value is not allowed.
        """
        one_of("protocol", self.protocol, "tcp", "udp")
        within("size", self.size, range(SMALLEST[self.protocol], LARGEST + 1))
        within("seconds", self.seconds, SECONDS)


def has_iperf3() -> bool:
    """Returns whether iperf3 is installed."""
    return shutil.which("iperf3") is not None


class Iperf3:
    """A running flow of iperf3.

    Args:
        net: the network of the hosts.
        plan: the flow to send.
    """

    def __init__(self, net: weir.Network, plan: Plan) -> None:
        self._plan = plan
        options = ["--json", "--interval", f"{_INTERVAL_S}"]
        self._server = net.host("server").popen(["iperf3", "--server", "--one-off", *options])
        words = ["iperf3", "--client", SERVER[0], "--time", f"{plan.seconds}", *options]
        if plan.protocol == "udp":
            words += ["--udp", "--length", f"{plan.size - UDP_HEADERS}", "--bitrate", _rate(plan.rate_mbps)]
        elif plan.rate_mbps is not None:
            words += ["--bitrate", _rate(plan.rate_mbps)]
        _wait_for_server(net, self._server, _LISTEN_STATE)
        self._client = net.host("client").popen(words)
        _wait_for_server(net, self._client, _ESTABLISHED_STATE)

    def result(self) -> FlowFigures:
        """Waits for the end of the flow, and returns its results.

        Raises:
            NetworkError: iperf3 failed, or did not exit within 20 seconds after the flow's
                duration.
        """
        sent = self._read_report(self._client)
        arrived = self._read_report(self._server)
        intervals = [interval["sum"] for interval in arrived["intervals"]]
        counted = [
            interval for interval in intervals if self._plan.warm_up - _INTERVAL_S / 2 <= interval["start"]
        ]
        # The client ends the last interval, which may be very short.
        counted = [
            interval for interval in counted if interval["end"] <= self._plan.seconds + _INTERVAL_S / 2
        ] or intervals
        seconds = sum(interval["seconds"] for interval in counted) or 1.0
        udp = self._plan.protocol == "udp"
        total = sent["end"]["sum"] if udp else sent["end"]["sum_sent"]
        packets = sum(interval["packets"] for interval in counted) if udp else 0
        lost = sum(interval["lost_packets"] for interval in counted) if udp else 0
        return FlowFigures(
            goodput_mbps=8e-6 * sum(interval["bytes"] for interval in counted) / seconds,
            sent_mbps=total["bits_per_second"] / 1e6 if udp else None,
            packets_per_s=(packets - lost) / seconds if udp else None,
            loss_percent=(100.0 * lost / packets if packets else 100.0) if udp else None,
            jitter_ms=counted[-1].get("jitter_ms") if udp and counted else None,
            retransmits=None if udp else total.get("retransmits"),
            times_s=[interval["end"] for interval in intervals],
            rates_mbps=[interval["bits_per_second"] / 1e6 for interval in intervals],
        )

    def _read_report(self, process: Process) -> dict[str, Any]:
        try:
            text, _ = process.communicate(timeout=self._plan.seconds + 20)
        except subprocess.TimeoutExpired:
            process.kill()
            raise NetworkError(
                f"iperf3 did not exit within 20 s after the flow's duration: {' '.join(process.args)}"
            ) from None
        try:
            # Warnings may precede and follow the JSON.
            report: dict[str, Any] = json.JSONDecoder().raw_decode(text[text.index("{") :])[0]
        except ValueError:
            raise NetworkError(f"iperf3: {text.strip()[-500:]}") from None
        if "error" in report:
            raise NetworkError(f"iperf3: {report['error']}")
        return report


class OwnSender:
    """A running flow of :meth:`weir.Host.iperf`.

    Args:
        net: the network of the hosts.
        plan: the flow to send. Without a rate, datagrams are offered at :data:`OWN_FASTEST_MBPS`.
    """

    def __init__(self, net: weir.Network, plan: Plan) -> None:
        self._net, self._plan = net, plan
        options: dict[str, Any] = {"duration": f"{plan.seconds}s", "interval": f"{_INTERVAL_S}s"}
        if plan.protocol == "udp":
            rate = OWN_FASTEST_MBPS if plan.rate_mbps is None else plan.rate_mbps
            options |= {"udp": True, "length": f"{plan.size - UDP_HEADERS}B"}
            options["rate"] = f"{round(rate * 1e6)}bit"
        elif plan.rate_mbps is not None:
            options["rate"] = f"{round(plan.rate_mbps * 1e6)}bit"
        self._flow = net.host("client").start_iperf("server", **options)

    def result(self) -> FlowFigures:
        """Waits for the end of the flow, and returns its results."""
        self._net.wait(self._flow)
        stream = self._flow.result().streams[0]
        counted = [
            interval
            for interval in stream.intervals
            if self._plan.warm_up - _INTERVAL_S / 2 <= interval.start_s
        ]
        seconds = sum(interval.end_s - interval.start_s for interval in counted) or 1.0
        udp = self._plan.protocol == "udp"
        sent = sum(interval.sent for interval in counted) if udp else 0
        lost = sum(interval.lost for interval in counted) if udp else 0
        arrived = 8e-6 * sum(interval.bytes for interval in counted) / seconds
        per_packet = 8e-6 * (self._plan.size - UDP_HEADERS)
        return FlowFigures(
            goodput_mbps=arrived,
            sent_mbps=sent * per_packet / seconds if udp else None,
            packets_per_s=arrived / per_packet if udp else None,
            loss_percent=(100 * lost / sent if sent else 100.0) if udp else None,
            jitter_ms=counted[-1].jitter_ms if udp and counted else None,
            retransmits=None if udp else stream.retransmits,
            times_s=[interval.end_s for interval in stream.intervals],
            rates_mbps=[
                8e-6 * interval.bytes / max(interval.end_s - interval.start_s, 1e-9)
                for interval in stream.intervals
            ],
        )


def start_flow(net: weir.Network, plan: Plan) -> Iperf3 | OwnSender:
    """Starts a flow with iperf3 or, if it is missing, with Weir's own senders."""
    return Iperf3(net, plan) if has_iperf3() else OwnSender(net, plan)


def _rate(mbps: float | None) -> str:
    """Formats a rate as an argument of iperf3, where 0 means the maximum."""
    return "0" if mbps is None else f"{round(mbps * 1e6)}"


def _wait_for_server(net: weir.Network, process: Process, state: str) -> None:
    """Waits until the server has a socket at iperf3's port, 5201, in this state of TCP."""
    end = time.monotonic() + _TIMEOUT_S
    socket = re.compile(rf":1451 \S+ {state} ")
    while not socket.search(net.host("server").cmd("cat /proc/net/tcp /proc/net/tcp6 2>/dev/null")):
        if process.poll() is not None:
            # The result of the process will have the reason.
            return
        if time.monotonic() > end:
            raise NetworkError(f"iperf3 is not ready after {_TIMEOUT_S:.0f} s: {' '.join(process.args)}")
        time.sleep(0.01)
