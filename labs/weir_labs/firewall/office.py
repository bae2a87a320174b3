"""The lab's network with its controller, and with the program to join on each host."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Final, Self

import weir

from .agent import Agent
from .controller import Controller
from .messages import ETHER_TYPE
from .network import MEMBERS, NEIGHBOURS, identities, network
from .policy import OPEN, PolicyRule

ONLY_MESSAGES: Final = f"ether proto {ETHER_TYPE:#x}"


class Office:
    """The lab's network with a controller, and an agent on each known host.

    Attributes:
        net: the network.
        controller: the controller.
        agents: the hosts' programs, by host.
        nonces: a function that makes nonces from the seed.
    """

    def __init__(
        self,
        *,
        seed: int,
        control_delay: str = "1ms",
        limited: bool = True,
        new: Sequence[str] = (),
        silence: str | None = "30s",
        rules: Sequence[PolicyRule] = OPEN,
    ) -> None:
        """Starts the network without admitted hosts.

        Args:
            seed: the seed of all randomness, including keys and nonces.
            control_delay: the one-way delay between a switch and the controller.
            limited: whether switches limit the requests of each port.
            new: the hosts that may only answer.
            silence: the time without a packet after which a host is excluded.
            rules: the rules on layers 3 and 4.
        """
        self.net = network(control_delay=control_delay, limited=limited, seed=seed)
        self.nonces: Callable[[int], bytes] = random.Random(f"nonces {seed}").randbytes
        self.identities = identities(seed)
        self.controller = Controller(
            self.net, self.identities, NEIGHBOURS, self.nonces, new=new, silence=silence, rules=rules
        )
        self.agents = {member.name: self.agent(member.name, member.name) for member in MEMBERS}

    def agent(self, name: str, host: str) -> Agent:
        """Starts the program that joins as the known host ``name``, on any host."""
        agent = Agent(self.identities[name], self.nonces)
        return self.net.host(host).run(agent, frames=ONLY_MESSAGES)

    def join(self, *names: str) -> None:
        """Makes hosts join, one after the other.

        Raises:
            RuntimeError: a host was not admitted within a second.
        """
        for name in names:
            agent = self.agents[name]
            agent.join()
            for _ in range(1000):
                if agent.joined_ns is not None:
                    break
                self.net.run_for("1ms")
            else:
                raise RuntimeError(f"{name} was not admitted")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.net.__exit__(kind, error, trace)


class Talker(weir.HostProgram):
    """A program that sends numbered datagrams to a host and counts those that it receives, started
    with ``udp=PORT``.

    Attributes:
        sent: the number of sent datagrams.
        received: the time in ns at which each datagram of another host arrived, by its number.
    """

    PORT: Final = 7000
    MARK: Final = b"own traffic "

    def __init__(self, peer: str, every: str, until_ns: int) -> None:
        """Prepares the program of a host.

        Args:
            peer: the host to which datagrams are sent.
            every: the time between two datagrams.
            until_ns: the time at which the program stops.
        """
        self.sent = 0
        self.received: dict[int, int] = {}
        self._peer, self._every, self._until_ns = peer, every, until_ns

    def start(self) -> None:
        """Sends the first datagram."""
        self.on_timer(None)

    def on_timer(self, token: object) -> None:
        """Sends the next datagram."""
        if self.now_ns < self._until_ns:
            self.send_udp(self._peer, self.PORT, self.MARK + self.sent.to_bytes(4, "big"))
            self.sent += 1
            self.after(self._every)

    def on_datagram(self, datagram: weir.Datagram) -> None:
        """Records the number of a datagram and the time of its arrival."""
        if datagram.payload.startswith(self.MARK):
            self.received[int.from_bytes(datagram.payload[-4:], "big")] = self.now_ns
