"""What hosts, links and time of a network are made of, in either world.

``weir._core`` has classes of these names, which simulate, and :mod:`weir.linux` has classes that
answer the same calls with real hosts. The stubs of ``weir._core`` describe arguments and results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weir import _core
    from weir._core_network import LossRows, SocketRow


class Traffic(Protocol):
    """Traffic that a host has started. Each kind has results of its own."""

    @property
    def finished(self) -> bool:
        """Whether it has sent everything, and waits for nothing any more."""

    def stop(self) -> None:
        """Sends no more."""


class PingTraffic(Traffic, Protocol):
    """A ping."""

    def pings(self, start: int, /) -> list[_core.PingRow]:
        """The settled requests from this one on."""


class UdpTraffic(Traffic, Protocol):
    """Datagrams in one direction."""

    def udp(self) -> _core.UdpReport:
        """What was sent and what arrived so far."""


class TcpTraffic(Traffic, Protocol):
    """Bytes over a TCP connection in one direction."""

    def tcp(self) -> _core.TcpReport:
        """What has arrived so far."""

    def pace(self, rate_bps: int | None, /) -> None:
        """Sends no faster from now on."""


class ExchangeTraffic(Traffic, Protocol):
    """Requests with responses."""

    def exchanges(self) -> tuple[list[_core.ExchangeRow], str | None]:
        """The exchanges so far, and why none is possible."""


class ReplayTraffic(Traffic, Protocol):
    """Frames of a capture."""

    def replayed(self) -> int:
        """How many are sent."""


class Mailbox(Protocol):
    """A UDP port of a program on a host."""

    def take(self) -> list[tuple[int, str, str, int, str, bytes, int]]:
        """What has arrived since the last call."""

    def send(self, address: str, port: int, payload: bytes, /) -> None:
        """Sends a datagram."""

    def close(self) -> None:
        """Frees the port."""


class Sockets(Protocol):
    """The TCP connections of a program on a host, by number."""

    def take(self) -> list[SocketRow]:
        """What has happened since the last call."""

    def listen(self, port: int, options: _core.TcpOptionsOf, /) -> None:
        """Accepts connections at a port."""

    def connect(self, address: str, port: int, options: _core.TcpOptionsOf, /) -> tuple[int, int]:
        """Opens a connection; its number, and its own port."""

    def write(self, connection: int, data: bytes, /) -> int:
        """Sends bytes; how many the send buffer took."""

    def close(self, connection: int, /) -> None:
        """Sends the end of the data."""

    def abort(self, connection: int, /) -> None:
        """Resets a connection."""

    def pause(self, connection: int, paused: bool, /) -> None:
        """Whether bytes that arrive stay in the receive buffer."""

    def pace(self, connection: int, rate_bps: int | None, /) -> None:
        """Sends no faster from now on."""

    def info(self, connection: int, /) -> _core.TcpFigures:
        """The counters of a connection."""

    def release(self) -> None:
        """Ends all, as the end of a process does."""


class Watch(Protocol):
    """Frames that pass ends of links."""

    def take(self) -> list[tuple[int, int, bool, bytes]]:
        """Those since the last call: time, number of the end, whether outbound, bytes."""

    def close(self) -> None:
        """Watches no more."""


class Sampler(Protocol):
    """Samples of ends of links, as columns of 64-bit numbers."""

    def columns(self, end: int, /) -> list[bytes]:
        """Those of one end."""

    def waiting(self, end: int, /) -> list[bytes]:
        """How many packets waited there for a link and in a switch."""

    def stop(self) -> None:
        """Samples no more."""


class Host(Protocol):
    """A host's stack."""

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
        /,
    ) -> PingTraffic:
        """Starts a ping."""

    def start_udp(self, to: list[str], flow: _core.FlowSettings, udp: _core.UdpSettings, /) -> UdpTraffic:
        """Starts a flow of datagrams."""

    def start_tcp(
        self,
        to: list[str],
        flow: _core.FlowSettings,
        tcp: _core.TcpSettings,
        options: _core.TcpOptionsOf,
        /,
    ) -> TcpTraffic:
        """Starts a flow over a connection."""

    def start_exchanges(
        self, to: list[str], exchanges: _core.ExchangeSettings, options: _core.TcpOptionsOf, /
    ) -> ExchangeTraffic:
        """Starts exchanges over TCP."""

    def start_udp_exchanges(
        self, to: list[str], exchanges: _core.ExchangeSettings, timeout_ns: int, tries: int, /
    ) -> ExchangeTraffic:
        """Starts exchanges over UDP."""

    def start_replay(self, interface: int, frames: list[tuple[int, bytes]], /) -> ReplayTraffic:
        """Starts to send frames, each at its time."""

    def serve(self, port: int, reflect_options: bool, /) -> None:
        """Accepts TCP connections at a port."""

    def send_frame(self, interface: int, frame: bytes, /) -> None:
        """Sends a frame."""

    def listen(self, port: int, /) -> Mailbox:
        """Opens a UDP port."""

    def sockets(self) -> Sockets:
        """The connections of a program."""


class Link(Protocol):
    """A link, in both directions."""

    @property
    def rate_bps(self) -> int | None:
        """Bits per second; None for no limit."""

    @property
    def delay_ns(self) -> int:
        """Nanoseconds of propagation."""

    @property
    def queues(self) -> tuple[str, str]:
        """The queueing disciplines at its ends."""

    @property
    def mtu(self) -> int | None:
        """Bytes of the longest packet; None for no limit."""

    @property
    def up(self) -> bool:
        """Whether it is up."""

    def set_rate(self, rate_bps: int | None, /) -> None:
        """Sets the rate."""

    def set_delay(self, delay_ns: int, /) -> None:
        """Sets the delay."""

    def set_jitter(self, jitter: tuple[str, list[int], float], overtake: bool, /) -> None:
        """Sets the jitter, and whether packets overtake others."""

    def set_loss(self, loss: tuple[str, list[float], list[int]], /) -> None:
        """Sets the loss."""

    def set_duplicate(self, share: float, /) -> None:
        """Sets the share of packets that arrive twice."""

    def set_corrupt(self, share: float, /) -> None:
        """Sets the share of packets with a flipped bit."""

    def set_correlation(self, correlation: tuple[float, float, float, float, float], /) -> None:
        """Sets the correlation of decisions."""

    def set_reorder(self, reorder: tuple[float, int] | None, /) -> None:
        """Sets the share of packets that others overtake, and their delay."""

    def set_queue(self, queue: _core.Qdisc, /) -> None:
        """Sets the queueing disciplines at both ends."""

    def set_mtu(self, mtu: int | None, /) -> None:
        """Sets the MTU."""

    def set_up(self, up: bool, /) -> None:
        """Sets it up or down."""

    def capture(self, end: int, path: str, /) -> None:
        """Writes the frames at an end into a file."""


class Interface(Protocol):
    """The sending side of a link's end."""

    @property
    def queue(self) -> str:
        """Its queueing discipline."""

    @property
    def packet_limit(self) -> int | None:
        """The packets that it holds, if it is a limit in packets and nothing else."""

    def set_queue(self, queue: _core.Qdisc, /) -> None:
        """Sets its queueing discipline."""


class Network(Protocol):
    """A network: it is built, time passes, and it is observed."""

    def add_switch(
        self,
        name: str,
        program: _core.Program,
        timing: tuple[int, int],
        ports: list[int],
        priorities: int,
        seed: int,
        /,
    ) -> None:
        """Adds a switch."""

    def add_host(
        self,
        name: str,
        interfaces: list[tuple[str, list[str], int]],
        routes: list[tuple[str, str | None, int]],
        neighbours: list[tuple[int, str, str]],
        processing_ns: int,
        processing_jitter_ns: int,
        /,
    ) -> None:
        """Adds a host."""

    def connect(
        self,
        a: str,
        a_port: int,
        b: str,
        b_port: int,
        rate_bps: int | None,
        delay_ns: int,
        loss: float,
        /,
    ) -> int:
        """Adds a link; its number."""

    def host(self, name: str, /) -> Host:
        """The host of a name."""

    def link(self, number: int, /) -> Link:
        """The link of a number."""

    def interface(self, node: str, port: int, /) -> Interface:
        """The end of a link at a node."""

    def owner(self, address: str, /) -> str | None:
        """The host that has an address."""

    def sees_queues(self, switch: str, /) -> bool:
        """Whether a switch's program can tell how long its queues are."""

    def set_start_jitter(self, jitter_ns: int, /) -> None:
        """How late traffic starts, at most."""

    def set_sysctl(self, host: str, name: str, value: str, /) -> None:
        """Sets a setting of a host's kernel."""

    def tc(self, node: str, line: str, /) -> str:
        """Runs a ``tc`` command; what it prints."""

    def now(self) -> int:
        """Nanoseconds since the start."""

    def run(
        self, time_ns: int, traffic: Any, events: int, interrupted: Callable[[], bool], /
    ) -> Literal["reached", "event_limit", "time_limit", "no_events", "requested", "sample_limit"]:
        """Lets time pass until a time, or until traffic of this network's hosts has finished."""

    def subscribe(self, switch: str, digests: bool, log: bool, idle: bool, /) -> None:
        """Has runs stop for messages of a switch."""

    def sample(self, ends: list[tuple[str, int]], every_ns: int, /) -> Sampler:
        """Samples ends of links."""

    def watch(
        self, ends: list[tuple[str, int]], filter: str, inbound: bool, outbound: bool, stops: bool, /
    ) -> Watch:
        """Keeps frames that pass ends of links; ``stops``: and has runs stop for them."""

    def capture(self, ends: list[tuple[str, int]], filter: str, path: str, /) -> None:
        """Writes frames that pass ends of links into a file."""

    def finish_capture(self, path: str, /) -> None:
        """Completes a file."""

    def finish_captures(self) -> None:
        """Completes all files."""

    def hops(self) -> int:
        """How many frames have passed a link."""

    def events(self) -> int:
        """How many events the simulator has had."""

    def resource_usage(self) -> Sequence[tuple[str, int]]:
        """What is in memory, by name."""

    def audit(self) -> _core.Account:
        """What became of every packet."""

    def losses(self) -> LossRows:
        """What was dropped since the start."""

    def serve_p4runtime(
        self,
        addresses: list[str],
        switches: list[tuple[str, int, tuple[str, int] | None]],
        tls: tuple[bytes, bytes, bytes | None] | None,
        plaintext: bool,
        folders: list[str],
        message_bytes: int,
        executor: str | None,
        texts: tuple[str, str] | None,
        /,
    ) -> _core.P4RuntimeServer:
        """Serves the switches to controllers."""
