"""The events of a switch: digests, log lines, idle notices, and packets at the CPU port."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from weir import _core
from weir.errors import ControlError

if TYPE_CHECKING:
    from weir._core import Digest, LogLine
    from weir.control.controller import Controller, PacketIn
    from weir.control.listeners import Listeners
    from weir.control.messages import IdleNotice, Message
    from weir.links.link import Link
    from weir.program import DeclaredObjects


class SwitchEvents:
    """The part of :class:`weir.Switch` that receives the switch's messages."""

    __slots__ = ("_controller", "_core", "_listeners", "_program", "name")

    def __init__(self, core: _core.Switch, name: str, program: DeclaredObjects) -> None:
        self._core = core
        self.name = name
        self._program: DeclaredObjects = program
        # The controller and the listeners exist only in a network.
        self._controller: Controller | None = None
        self._listeners: Listeners | None = None

    @property
    def program(self) -> DeclaredObjects:
        """The declarations of the switch's P4 program."""
        return self._program

    def digests(self) -> list[Digest]:
        """Returns the digests since the last call, at most the newest 4096.

        Raises:
            ControlError: the digests go to P4Runtime controllers.
        """
        self._check_unserved()
        return self._core.take_digests()

    def log(self) -> list[LogLine]:
        """Returns the lines of ``log_msg`` since the last call, at most the newest 4096."""
        return self._core.take_log()

    def idle_notices(self) -> list[IdleNotice]:
        """Returns the notices of idle entries since the last call, at most the newest 4096.

        Entries that stay idle are reported again, see :class:`IdleNotice`.

        Raises:
            ControlError: the notices go to P4Runtime controllers.
        """
        from weir.control.messages import idle_notice

        self._check_unserved()
        return [idle_notice(idle) for idle in self._core.take_idle_notices()]

    def messages(self) -> list[Message]:
        """Returns digests, lines of ``log_msg`` and idle notices since the last call, in order of
        time.

        Raises:
            ControlError: digests and idle notices go to P4Runtime controllers; :meth:`log` still
                returns the lines of ``log_msg``.
        """
        unsorted: list[Message] = [*self.digests(), *self.log(), *self.idle_notices()]
        return sorted(unsorted, key=lambda message: message.time_ns)

    def on_digest(self, callback: Callable[[Digest], object] | None) -> None:
        """Sets a function to call for each digest from now on, at the digest's virtual time;
        ``None`` removes the function.

        The function may change tables and send packets, but cannot run the network. Digests passed
        to the function are not returned by :meth:`digests`.

        Raises:
            ControlError: as in :meth:`digests`.
        """
        self._in_network().set("digest", callback)

    def on_log(self, callback: Callable[[LogLine], object] | None) -> None:
        """Sets a function to call for each line of ``log_msg``; see :meth:`on_digest`."""
        self._in_network().set("log", callback)

    def on_idle(self, callback: Callable[[IdleNotice], object] | None) -> None:
        """Sets a function to call for each notice of an idle entry; see :meth:`on_digest`.

        If the function does not delete the entry, it is called again after each further time-out
        without a hit.
        """
        self._in_network().set("idle", callback)

    def on_packet_in(self, callback: Callable[[PacketIn], object] | None) -> None:
        """Sets a function to call for each packet that leaves the CPU port, at its virtual time.

        The function may change tables and send packets, but cannot run the network. ``None``
        removes it; :meth:`packets_in` then returns the packets.

        Raises:
            ControlError: the switch has no CPU port, or a link is connected to it.
        """
        self._at_cpu_port().on_packet_in(callback)

    def packets_in(self) -> list[PacketIn]:
        """Returns the packets that left the CPU port since the last call; the first call starts to
        collect them.

        Raises:
            ControlError: as in :meth:`on_packet_in`.
        """
        return self._at_cpu_port().packets_in()

    def packet_out(self, payload: bytes, **fields: int | str) -> None:
        """Sends a packet to the CPU port at once.

        Args:
            payload: the bytes after the controller's header.
            fields: the fields of the program's header with ``@controller_header("packet_out")``;
                fields that are not given are 0. A value has one of the forms of a match key: a
                number, or a string such as ``"0x2"``, ``"10.0.1.1"`` or a name of the field's type.

        Raises:
            ControlError: as in :meth:`on_packet_in`; or there is no such field, or a value does not
                fit it.
        """
        self._at_cpu_port().packet_out(payload, fields)

    @property
    def has_controller(self) -> bool:
        """Whether the switch has a CPU port to which no link is connected, so that a controller can
        use the port."""
        return self._controller is not None

    @property
    def controller_link(self) -> Link:
        """The link at the CPU port, on which a delay, rate or loss can be set; by default it has
        none.

        Raises:
            ControlError: as in :meth:`on_packet_in`.
        """
        return self._at_cpu_port().link

    def _serve(self) -> None:
        """Hands over all messages to P4Runtime controllers from now on."""
        self._in_network().serve()
        if self._controller is not None:
            self._controller.serve()

    def _controller_end(self) -> tuple[str, int] | None:
        """Returns the controller's node and the switch's CPU port."""
        return None if self._controller is None else self._controller.place

    def _at_cpu_port(self) -> Controller:
        if self._controller is None:
            port = self.program._last_port
            raise ControlError(
                f"{self.name} has no CPU port for a controller: give add_switch(…, cpu_port={port}), or "
                f'"cpu_port": {port} in the topology, and connect no link to that port'
            )
        return self._controller

    def _check_unserved(self) -> None:
        if self._listeners is not None:
            self._listeners.check_unserved()

    def _in_network(self) -> Listeners:
        if self._listeners is None:
            raise ControlError("the switch is not in a network, so it has no clock for callbacks")
        return self._listeners
