"""Services at the ports of hosts, which several flows share."""

from __future__ import annotations

from typing import Any

from weir.errors import NetworkError
from weir.linux.agent import Agent
from weir.linux.namespaces import Namespaces


class Servers:
    """The services at ports of hosts. Each service runs as long as a flow uses it.

    Args:
        namespaces: the network's namespaces.
        origin: the start of the network, in nanoseconds of the monotonic clock.
    """

    def __init__(self, namespaces: Namespaces, origin: int) -> None:
        self._namespaces, self._origin = namespaces, origin
        self._running: dict[tuple[str, str, int], tuple[Agent, int]] = {}
        self._flows = 0

    def flow(self) -> int:
        """Returns the number for the next flow."""
        self._flows += 1
        return self._flows

    def take(self, service: str, host: str, port: int, *arguments: Any) -> Agent:
        """Returns the service at a port of a host, and starts the service if it is not running.

        Args:
            service: the service, as in :class:`Agent`.
            host: the host.
            port: the port.
            arguments: the service's other arguments; only those of the first call count.

        Raises:
            NetworkError: the port is in use.
        """
        key = service, host, port
        agent, users = self._running.get(key, (None, 0))
        if agent is None:
            agent = Agent(self._namespaces, host, service, self._origin, *arguments)
            try:
                # A service that answers has bound its port.
                agent.ask("now")
            except NetworkError as error:
                raise NetworkError(f"{host}, port {port}: {error.message}") from None
        self._running[key] = agent, users + 1
        return agent

    def release(self, agent: Agent) -> None:
        """Ends a flow's use of a service."""
        for key, (running, users) in list(self._running.items()):
            if running is agent:
                if users > 1:
                    self._running[key] = agent, users - 1
                else:
                    del self._running[key]
                    agent.end()
