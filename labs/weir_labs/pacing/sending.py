"""Starts agents and flows, and evaluates flows, for all experiments of the lab."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
import polars as pl

import weir
from weir import units
from weir.flows import TcpFlow

from .agent import PACERS, Agent
from .option import NOTICE_PORT, Option
from .star import SERVER

TCPS: Final = ("cubic", "reno", "bbr")
"""The modes with TCP's own congestion control and without pacing by the switch."""

HOSTS: Final = range(1, 201)
"""The numbers of hosts that send."""

SECONDS: Final = range(2, 86_401)
"""The lengths of runs whose halves are compared, in seconds."""

FIRST_PORT: Final = 5201
"""The server's TCP port for h1; the next port is for h2, and so on."""

Values = np.ndarray[Any, np.dtype[np.float64]]


def is_paced(mode: str) -> bool:
    """Returns whether a mode uses pacing: ``True`` for ``htb`` and ``fq``, ``False`` for ``cubic``,
    ``reno`` and ``bbr``.

    Raises:
        ValueError: the mode is none of these.
    """
    if mode not in PACERS and mode not in TCPS:
        raise ValueError(f"mode={mode}: expected {', '.join((*PACERS, *TCPS))}")
    return mode in PACERS


class Senders:
    """The sending hosts, each with one flow to the server.

    Attributes:
        agents: the agents that pace, by host.
        flows: the flows that have started, by host.
        weights: the weights by host.
    """

    def __init__(
        self,
        network: weir.Network,
        hosts: Sequence[str],
        mode: str,
        *,
        congestion: str = "cubic",
        reserve_percent: float = 0.5,
        interval: str = "1s",
        targets: Sequence[str] | None = None,
        weights: Sequence[int] | None = None,
        ecn: bool | None = False,
        agent: type[Agent] = Agent,
        starts_servers: bool = True,
    ) -> None:
        """Starts the agents, and the servers that return options.

        Args:
            network: the network.
            hosts: the senders.
            mode: see :func:`is_paced`.
            congestion: the congestion control of TCP below the pacing.
            reserve_percent: the part of the share that agents leave unused, in per cent.
            interval: the interval in which rates are measured.
            targets: the destination of each host; the server by default.
            weights: the weights of the hosts' flows; 1 by default.
            ecn: whether hosts use ECN; ``None`` for their own setting.
            agent: the program that paces.
            starts_servers: whether to start the programs that return options on the servers.
        """
        self.agents: dict[str, Agent] = {}
        self.flows: dict[str, TcpFlow] = {}
        self.weights = dict(zip(hosts, weights or [1] * len(hosts), strict=True))
        self._network = network
        self._congestion = congestion if is_paced(mode) else mode
        self._interval = interval
        self._ecn = ecn
        self._targets = dict(zip(hosts, targets or [SERVER] * len(hosts), strict=True))
        self._ports = {name: FIRST_PORT + index for index, name in enumerate(hosts)}
        for name in hosts:
            if is_paced(mode):
                self.agents[name] = agent(mode, reserve_percent)
                network.host(name).run(self.agents[name], udp=NOTICE_PORT, frames=Agent.FRAMES)
                if starts_servers:
                    network.host(self._targets[name]).serve(self._ports[name], reflect_options=True)

    def start(self, name: str, duration_ns: int, asks: bool = True) -> None:
        """Starts a host's flow.

        Args:
            name: the host.
            duration_ns: the time in nanoseconds for which the host sends.
            asks: whether the flow's SYN has the option, if the mode uses pacing.
        """
        paced = asks and name in self.agents
        self.flows[name] = self._network.host(name).start_iperf(
            self._targets[name],
            duration=f"{duration_ns}ns",
            port=self._ports[name],
            congestion=self._congestion,
            interval=self._interval,
            ecn=self._ecn,
            ip_options=bytes(Option(self.weights[name])) if paced else b"",
        )

    def streams(self) -> dict[str, weir.measure.TcpStream]:
        """Returns the results of all flows that have started, by host."""
        return {name: flow.result().streams[0] for name, flow in self.flows.items()}


def placed_intervals(
    stream: weir.measure.TcpStream, interval_ns: int
) -> Iterator[tuple[int, weir.measure.TcpInterval]]:
    """Yields the intervals of a flow, each with its number among the intervals of the whole run,
    from 0.

    Args:
        stream: the flow, which began close to the beginning of an interval.
        interval_ns: the length of the intervals.
    """
    return enumerate(stream.intervals, start=round(stream.start_ns / interval_ns))


def binned_goodput(stream: weir.measure.TcpStream, interval_ns: int, number: int) -> Values:
    """Computes the goodput of a flow in intervals of the whole run, in Mbit/s.

    Args:
        stream: the flow, whose own intervals have the same length.
        interval_ns: the length of the intervals.
        number: the number of intervals of the run.
    """
    rates = np.zeros(number)
    for place, interval in placed_intervals(stream, interval_ns):
        if place < number:
            rates[place] += interval.bytes * 8e3 / interval_ns
    return rates


def goodput_table(
    streams: Mapping[str, weir.measure.TcpStream], interval_ns: int, number: int
) -> pl.DataFrame:
    """Builds a table of goodput over time, with the columns ``host``, ``time_s`` (start of the
    interval) and ``mbps``.

    Args:
        streams: the streams by host; see :func:`binned_goodput`.
        interval_ns: the length of their intervals.
        number: the number of intervals of the run.
    """
    return pl.DataFrame(
        [
            (name, step * interval_ns / 1e9, float(mbps))
            for name, stream in streams.items()
            for step, mbps in enumerate(binned_goodput(stream, interval_ns, number))
        ],
        schema={"host": pl.String, "time_s": pl.Float64, "mbps": pl.Float64},
        orient="row",
    )


def fairness(rates: Sequence[float]) -> float:
    """Computes Jain's fairness index, which is 1 if all rates are equal and 1/n if one of n flows
    has everything."""
    squares = sum(rate**2 for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else 1.0


def variation_percent(rates: Sequence[float] | Values) -> float:
    """Computes the coefficient of variation, which is the standard deviation in per cent of the
    mean."""
    mean = float(np.mean(rates))
    return 100 * float(np.std(rates)) / mean if mean else 0.0


def settled_ns(agent: Agent, kbps: float, since_ns: int, until_ns: int) -> int | None:
    """Finds the time from which an agent's rate was right until the end of a period; returns
    ``None`` if it was not.

    Args:
        agent: the agent of a host with one flow.
        kbps: the right rate.
        since_ns: the beginning of the period, which is also the result if the rate was already
            right.
        until_ns: the end of the period.
    """
    earlier_rates = [rate for rate in agent.rates if rate.time_ns < until_ns]
    if not earlier_rates or abs(earlier_rates[-1].kbps - kbps) > 0.01:
        return None
    return max(earlier_rates[-1].time_ns, since_ns)


def all_settled_ns(agents: Iterable[Agent], kbps: float, since_ns: int, until_ns: int) -> int | None:
    """Finds the time from which all of these agents had the right rate; returns ``None`` if an
    agent never had it.

    Arguments are those of :func:`settled_ns`.
    """
    times = [settled_ns(agent, kbps, since_ns, until_ns) for agent in agents]
    measured = [time for time in times if time is not None]
    return max(measured) if measured and len(measured) == len(times) else None


def share_of_kbps(rate: str, flows: int, reserve_percent: float) -> float:
    """Computes the rate that agents set for each of several flows of equal weight over one link, in
    kbit/s.

    Args:
        rate: the rate of the link.
        flows: the number of flows.
        reserve_percent: the part of the share that agents leave unused, in per cent.
    """
    return units.rate_bps(rate) / 1000 / flows * (1 - reserve_percent / 100)


def read_reserve(percent: float) -> float:
    """Checks the part of a link that pacing leaves unused, in per cent.

    Raises:
        ValueError: the part is not from 0 to 99.
    """
    if not 0 <= percent <= 99:
        raise ValueError(f"reserve_percent={percent:g}: expected a number from 0 to 99")
    return percent
