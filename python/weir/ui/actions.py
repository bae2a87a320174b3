"""The actions of users, which a session repeats when it goes back in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from weir.errors import NetworkError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weir.network import Network

LINK_SETTINGS: Final = ("rate", "delay", "loss", "up")
"""The settings of links that the page changes."""


class Prompt(Protocol):
    """The commands of hosts."""

    def run(self, host: str, line: str) -> Sequence[Line]:
        """Runs a command of a host, and returns what it printed at once."""

    def poll(self) -> Sequence[Line]:
        """Returns what running commands have printed since the last call."""


@dataclass(frozen=True)
class Line:
    """A text at the prompt of a host.

    Attributes:
        host: the host.
        kind: ``command``, ``output`` or ``error``.
        text: the text, which may have several lines.
        time_ns: the virtual time, in nanoseconds.
    """

    host: str
    kind: str
    text: str
    time_ns: int


class Action(Protocol):
    """A change of a network by a user."""

    def apply(self, network: Network, prompt: Prompt) -> Sequence[Line]:
        """Changes the network, and returns what to show at the prompt.

        Raises:
            WeirError: the change is refused, and the network is as before.
        """


@dataclass(frozen=True)
class LinkChange:
    """A new value of a link's setting.

    Attributes:
        link: the link's number in the topology, from 0.
        setting: ``rate``, ``delay``, ``loss`` or ``up``.
        value: the value as users write it, such as ``10Mbit``; ``True`` or ``False`` for ``up``.
    """

    link: int
    setting: str
    value: str | bool

    def apply(self, network: Network, prompt: Prompt) -> Sequence[Line]:
        """Sets the value."""
        if not 0 <= self.link < len(network.links):
            raise NetworkError(f"there is no link {self.link}")
        link = network.links[self.link]
        match self.setting, self.value:
            case "up", bool(up):
                link.up = up
            case "rate", str(rate):
                link.rate = rate
            case "delay", str(delay):
                link.delay = delay
            case "loss", str(loss):
                link.loss = loss
            case _:
                raise NetworkError(
                    f"{self.setting}: expected rate, delay or loss with a text, or up with true or false"
                )
        return ()


@dataclass(frozen=True)
class Command:
    """A command at the prompt of a host.

    Attributes:
        host: the host.
        line: the command without the host's name, such as ``ping h2``.
    """

    host: str
    line: str

    def apply(self, network: Network, prompt: Prompt) -> Sequence[Line]:
        """Runs the command."""
        network.host(self.host)
        typed = Line(self.host, "command", self.line, network.now_ns)
        return [typed, *prompt.run(self.host, self.line)]


@dataclass(frozen=True)
class EntryChange:
    """An entry that a user adds to a table, changes or deletes; or a table's default action.

    Attributes:
        switch: the switch.
        table: the table's name.
        change: ``insert``, ``modify``, ``delete`` or ``default``.
        match: the values of keys, as text; keys without a value are left out.
        action: the action's name; empty to delete.
        params: the values of the action's parameters, as text.
        priority: the priority, for tables that need one.
    """

    switch: str
    table: str
    change: str
    match: Mapping[str, str]
    action: str
    params: Mapping[str, str]
    priority: int | None

    def apply(self, network: Network, prompt: Prompt) -> Sequence[Line]:
        """Changes the table as :class:`weir.control.Table` does."""
        table = network.switch(self.switch).table(self.table)
        wanted = {key: value for key, value in self.match.items() if value.strip()}
        match self.change:
            case "insert":
                table.insert(wanted, self.action, self.params, self.priority)
            case "modify":
                table.modify(wanted, self.action, self.params, self.priority)
            case "delete":
                table.delete(wanted, self.priority)
            case "default":
                table.set_default(self.action, self.params)
            case _:
                raise NetworkError(
                    f'change: expected insert, modify, delete or default, found "{self.change}"'
                )
        return ()
