"""Links and their ends in Linux, with the methods of ``weir._core.Link`` and ``Interface``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weir import _core
from weir.errors import NetworkError
from weir.linux import link_process, wiring
from weir.linux.namespaces import finish
from weir.linux.queue import core_queue_text
from weir.topology import Endpoint

if TYPE_CHECKING:
    from weir._core_qdisc import Correlations, JitterModel, LossModel
    from weir.linux.network_base import NetworkBase


class LinuxLink:
    """A link of the Linux world, with the methods of ``weir._core.Link``.

    Args:
        network: the network that contains the link.
        wire: the description of the link.
    """

    def __init__(self, network: NetworkBase, wire: wiring.Wire) -> None:
        self._network, self._wire = network, wire
        spec = wire.spec
        self._ends = spec.a, spec.b
        self._delay, self._mtu, self._up = spec.delay_ns, spec.mtu, True
        self._queue = wiring.link_discipline(spec)

    @property
    def rate_bps(self) -> int | None:
        return self._network.rates[self._wire.number]

    def set_rate(self, rate_bps: int | None) -> None:
        self._shape_ends(rate_bps, self._queue)

    @property
    def delay_ns(self) -> int:
        return self._delay

    def set_delay(self, delay_ns: int) -> None:
        self._change_effect({"delay": f"{delay_ns}ns"})
        self._delay = delay_ns

    def set_queue(self, queue: _core.Qdisc) -> None:
        self._shape_ends(self.rate_bps, core_queue_text(queue, self._ends[0]))

    @property
    def queues(self) -> tuple[str, str]:
        return self._queue, self._queue

    @property
    def mtu(self) -> int | None:
        return self._mtu

    def set_mtu(self, mtu: int | None) -> None:
        if all(end.port is None for end in self._ends):
            raise NetworkError(
                f"{self._wire.spec} has no switch: set the MTUs of its hosts (ip link set eth0 mtu …)"
            )
        for end in self._ends:
            if end.port is not None:
                size = wiring.PORT_MTU if mtu is None else mtu
                self._network.tool(end.node, ["ip", "link", "set", wiring.device(end), "mtu", str(size)])
        self._mtu = mtu

    @property
    def up(self) -> bool:
        return self._up

    def set_up(self, up: bool) -> None:
        if self._wire.uses_link_process:
            self._change_effect({"up": up})
        else:
            state = "up" if up else "down"
            # A host loses its routes if its interface goes down. So the end at a switch, which has
            # no routes, is set if there is one.
            end = next((end for end in self._ends if end.port is not None), self._ends[1])
            self._network.tool(end.node, ["ip", "link", "set", wiring.device(end), state])
            host = self._network.topology.hosts.get(end.node)
            if up and host is not None:
                lines = list(wiring.address_commands(host))
                finish(self._network.namespaces.batch(end.node, "ip", lines), end.node)
        self._up = up

    def _shape_ends(self, rate_bps: int | None, queue: str) -> None:
        for end in self._ends:
            self._network.shape(end, rate_bps, queue)
        self._network.rates[self._wire.number], self._queue = rate_bps, queue

    def set_jitter(self, jitter: JitterModel, overtake: bool) -> None:
        self._change_effect({"jitter": link_process.jitter(jitter), "overtake": overtake})

    def set_loss(self, loss: LossModel) -> None:
        self._change_effect({"loss": link_process.loss(loss)})

    def set_duplicate(self, share: float) -> None:
        self._change_effect({"duplicate": link_process.share(share)})

    def set_corrupt(self, share: float) -> None:
        self._change_effect({"corrupt": link_process.share(share)})

    def set_correlation(self, correlation: Correlations) -> None:
        self._change_effect({"correlation": link_process.correlation(correlation)})

    def set_reorder(self, reorder: tuple[float, int] | None) -> None:
        self._change_effect({"reorder": link_process.reorder(reorder)})

    def capture(self, end: int, path: str) -> None:
        place = self._ends[end]
        self._network.capture([(place.node, place.number)], "", path)

    def _change_effect(self, settings: dict[str, Any]) -> None:
        """Changes a setting of the process that delays and drops the link's frames."""
        if not self._wire.uses_link_process:
            raise NetworkError(
                f"{self._wire.spec} had no rate up to 100Mbit, delay, jitter or loss at the start, so "
                "the kernel alone carries its frames: "
                'to change them later, give it a delay in the topology, such as add_link(…, delay="1us")'
            )
        self._network.link_process.change(str(self._wire.spec), settings)


class LinuxInterface:
    """An end of a link, with the methods of ``weir._core.Interface``.

    Args:
        network: the network that contains the link.
        link_end: the node and its interface or port.
    """

    packet_limit = None

    def __init__(self, network: NetworkBase, link_end: Endpoint) -> None:
        self._network, self._end = network, link_end

    @property
    def queue(self) -> str:
        in_link = self._network.in_link.get(self._end)
        if in_link is not None:
            return in_link
        return self._network.tool(self._end.node, ["tc", "qdisc", "show", "dev", wiring.device(self._end)])

    def set_queue(self, queue: _core.Qdisc) -> None:
        self._network.shape(self._end, self._network.rate_at(self._end), core_queue_text(queue, self._end))
