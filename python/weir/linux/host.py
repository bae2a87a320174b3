"""A host in Linux, with the methods of ``weir._core.Host``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from weir.errors import NetworkError
from weir.linux.agent import Agent
from weir.linux.connections import LinuxSockets
from weir.linux.exchange import ExchangeTraffic
from weir.linux.mailbox import LinuxMailbox
from weir.linux.tcp import TcpTraffic
from weir.linux.traffic import PingTraffic, ReplayTraffic
from weir.linux.udp import UdpTraffic

if TYPE_CHECKING:
    from weir._core import ExchangeSettings, FlowSettings, TcpOptionsOf, TcpSettings, UdpSettings
    from weir.linux.network_base import NetworkBase


class LinuxHost:
    """A host of the Linux world, with the methods of ``weir._core.Host``.

    Args:
        network: the network that contains the host.
        name: the name of the host.
    """

    def __init__(self, network: NetworkBase, name: str) -> None:
        self._network, self._name = network, name
        self._senders: dict[str, Agent] = {}

    def start_ping(
        self,
        target: str,
        count: int,
        size: int,
        interval_ns: int,
        timeout_ns: int | None,
        flood: bool,
        ttl: int,
        tos: int,
    ) -> PingTraffic:
        arguments = target, count, size, interval_ns, timeout_ns, flood, ttl, tos
        return PingTraffic(self._agent("ping.Ping", *arguments))

    def start_udp(self, to: list[str], flow: FlowSettings, udp: UdpSettings) -> UdpTraffic:
        return UdpTraffic(self._network, self._name, to, flow, udp)

    def start_tcp(
        self, to: list[str], flow: FlowSettings, tcp: TcpSettings, options: TcpOptionsOf
    ) -> TcpTraffic:
        return TcpTraffic(self._network, self._name, to, flow, tcp, options)

    def start_exchanges(
        self, to: list[str], exchanges: ExchangeSettings, options: TcpOptionsOf
    ) -> ExchangeTraffic:
        return ExchangeTraffic(self._network, self._name, to, exchanges, options)

    def start_udp_exchanges(
        self, to: list[str], exchanges: ExchangeSettings, timeout_ns: int, tries: int
    ) -> ExchangeTraffic:
        return ExchangeTraffic(self._network, self._name, to, exchanges, None, timeout_ns, tries)

    def send_frame(self, interface: int, frame: bytes) -> None:
        name = f"eth{interface}"
        if name not in self._senders:
            self._senders[name] = self._agent("frames.Frames", name)
        try:
            self._senders[name].ask("send", frame)
        except NetworkError:
            # The sending process has ended; the next frame starts a new one.
            del self._senders[name]
            raise

    def listen(self, port: int) -> LinuxMailbox:
        return LinuxMailbox(self._network, self._name, port)

    def sockets(self) -> LinuxSockets:
        return LinuxSockets(self._network, self._name)

    def start_replay(self, interface: int, frames: list[tuple[int, bytes]]) -> ReplayTraffic:
        return ReplayTraffic(self._agent("frames.Frames", f"eth{interface}"), frames)

    def serve(self, port: int, reflect_options: bool) -> NoReturn:
        raise NetworkError(
            "the Linux world does not have serve: run programs of your own with Host.run or Host.popen, "
            'or use world="virtual"'
        )

    def _agent(self, service: str, *arguments: Any) -> Agent:
        return Agent(self._network.namespaces, self._name, service, self._network.origin, *arguments)
