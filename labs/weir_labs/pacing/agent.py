"""The program on a host that paces the host's flows at the rates from the switches."""

from __future__ import annotations

from typing import Final, NamedTuple

import weir
from weir.qdisc import Fq, Htb, HtbClass

from .option import NOTICE_PORT, Option, Trace, read_option, share_kbps

PACERS: Final = ("htb", "fq")
"""The queueing disciplines with which an agent can pace flows."""

_OPTIONS_OFFSET: Final = 14 + 20


class Rate(NamedTuple):
    """A rate that an agent has set.

    Attributes:
        time_ns: the time at which it was set.
        port: the flow's port at this host.
        kbps: the rate, in kbit/s of Ethernet frames.
    """

    time_ns: int
    port: int
    kbps: float


class Agent(weir.HostProgram):
    """A host program that reads options in SYN-ACKs and notifications, and sets the rates of the
    host's flows.

    Run the program with ``udp=NOTICE_PORT, frames=Agent.FRAMES``.

    Attributes:
        rates: all rates that the agent has set, in order.
        options: the options that the agent received, in SYN-ACKs and notifications.
    """

    FRAMES: Final = f"ip[0] > 0x45 and (tcp[13] & 0x12 = 0x12 or udp dst port {NOTICE_PORT})"

    def __init__(self, pacer: str, reserve_percent: float = 0.5) -> None:
        """Prepares the program of a host.

        Args:
            pacer: ``htb`` for a class for each flow, ``fq`` for one rate for all flows of the host,
                which is the smallest.
            reserve_percent: the part of the share that flows leave unused, in per cent.

        Raises:
            ValueError: there is no such pacer, or the reserve is out of range.
        """
        if pacer not in PACERS:
            raise ValueError(f"pacer={pacer}: expected htb or fq")
        if not 0 <= reserve_percent < 100:
            raise ValueError(f"reserve_percent={reserve_percent}: expected 0 to 100")
        self.rates: list[Rate] = []
        self.options = 0
        self._pacer = pacer
        self._reserve = reserve_percent
        self._traces: dict[int, dict[tuple[int, int], Trace]] = {}
        self._kbps: dict[int, float] = {}

    def start(self) -> None:
        """Installs the queueing discipline without a limit."""
        self._install_rates()

    def on_frame(self, frame: weir.Frame) -> None:
        """Reads the option of a SYN-ACK or a notification."""
        data = frame.data
        end = 14 + 4 * (data[14] & 0x0F)
        option = read_option(data[_OPTIONS_OFFSET:end])
        if option is None or not option.traces:
            return
        self.options += 1
        is_notice = data[23] == 17
        # The switch sets the source port of a notification to the flow's port at this host.
        port = int.from_bytes(data[end : end + 2] if is_notice else data[end + 2 : end + 4])
        traces = self._traces.setdefault(port, {})
        if not is_notice:
            traces.clear()
        for trace in option.traces:
            traces[trace.switch_id, trace.port] = trace
        self._set_rate(port, option)

    def _set_rate(self, port: int, option: Option) -> None:
        kbps = share_kbps(option, [*self._traces[port].values()], self._reserve)
        if self._kbps.get(port) != kbps:
            self._kbps[port] = kbps
            self.rates.append(Rate(self.now_ns, port, kbps))
            self._install_rates()

    def _install_rates(self) -> None:
        rates = {port: f"{round(kbps * 1000)}bit" for port, kbps in sorted(self._kbps.items())}
        interface = self.host.interface("eth0")
        if self._pacer == "fq":
            slowest = min(self._kbps, key=self._kbps.__getitem__, default=None)
            interface.qdisc = Fq(maxrate=None if slowest is None else rates[slowest])
        else:
            interface.qdisc = Htb(
                [HtbClass(f"{port}", rate) for port, rate in rates.items()],
                [(f"tcp src port {port}", f"{port}") for port in rates],
            )
