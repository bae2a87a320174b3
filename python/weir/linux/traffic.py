"""Traffic of real hosts, with the methods of ``weir._core.Traffic``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from multiprocessing.connection import Connection
from typing import Any

from weir._core import PingReply
from weir.linux.agent import Agent


class LinuxTraffic(ABC):
    """Traffic that services on hosts send and receive.

    Args:
        agents: the services; the traffic has finished when the first service has finished.
    """

    def __init__(self, *agents: Agent) -> None:
        self._agents = agents
        self._done = False

    @property
    def finished(self) -> bool:
        """Whether the flow has sent everything and is no longer waiting for anything."""
        if not self._done and self._agents[0].finished:
            self._done = True
            self.settle()
        return self._done

    @property
    def connections(self) -> list[Connection[Any, Any]]:
        """Returns a list with the control connection of the first service, which becomes readable
        when this service finishes or fails. The list is empty if the traffic has finished."""
        return [] if self._done else [self._agents[0].connection]

    def stop(self) -> None:
        """Stops sending."""
        if not self._done:
            self._agents[0].ask("stop")

    @abstractmethod
    def settle(self) -> None:
        """Stores the results, and ends the services."""

    def close(self) -> None:
        """Ends the services."""
        for agent in self._agents:
            agent.close()


class PingTraffic(LinuxTraffic):
    """A running ping."""

    def __init__(self, agent: Agent) -> None:
        super().__init__(agent)
        self._replies: list[PingReply] = []

    def pings(self, start: int) -> list[PingReply]:
        """Returns the settled requests from number ``start`` on, up to the first request that is
        not settled."""
        if not self._done:
            self._replies += self._agents[0].ask("replies", len(self._replies))
        return self._replies[start:]

    def settle(self) -> None:
        """Stores the replies."""
        self._replies += self._agents[0].ask("replies", len(self._replies))
        self.close()


class ReplayTraffic(LinuxTraffic):
    """A running replay, which sends each frame at its time."""

    def __init__(self, agent: Agent, frames: list[tuple[int, bytes]]) -> None:
        super().__init__(agent)
        self._sent = 0
        agent.ask("begin", frames)

    def replayed(self) -> int:
        """Returns the number of frames sent so far."""
        return self._sent if self._done else int(self._agents[0].ask("sent"))

    def settle(self) -> None:
        """Stores the number of frames sent."""
        self._sent = self._agents[0].ask("sent")
        self.close()
