"""The P4Runtime server of a network's switches."""

from __future__ import annotations

import json
import math
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir import _core, units
from weir.errors import ControlError, FileError, NetworkError, WeirWarning, shown
from weir.files.textfile import read_text
from weir.p4runtime.tls import ServerTls
from weir.program import p4include
from weir.program.values import bounded_number
from weir.text.digits import whole_number

if TYPE_CHECKING:
    from weir import _core_contracts as cores
    from weir.clock import Clock
    from weir.control.switch import Switch

DEFAULT_ADDRESS = "127.0.0.1:9559"
"""The default address of P4Runtime servers."""

MESSAGE_LIMIT = 64 << 20
"""The default size of the largest message that a server accepts, in bytes."""

MEMORY_LIMIT = 256 << 20
"""The default memory for messages and answers of all controllers, in bytes."""


@dataclass(frozen=True)
class ServerOptions:
    """Settings of a network's P4Runtime server, for ``Network(p4runtime=…)``.

    Attributes:
        address: ``"IP:PORT"`` (port 0 is any free one) or ``"unix:PATH"``.
        port_each: whether each switch has its own port, ``PORT``, ``PORT + 1``, …, in the order of
            the topology.
        first_device_id: the number of the first switch; the others follow. If an address serves
            only one switch, its controllers may also use 0.
        tls: the server's certificates; ``None`` for plain text.
        plaintext: whether to allow plain text at addresses that other computers can reach.
        include: folders with the files that controllers' programs include.
        lockstep: whether time is paused after a message to a controller until the controller has
            sent its arbitration message again; see docs/how-to/p4runtime.md.
        lockstep_timeout: how long to wait for that message, in real time.
        message_limit: bytes of the largest message that the server accepts.
        memory_limit: bytes of memory for messages of controllers, and for answers and messages that
            wait for controllers. One connection may use half of the memory that is free.
        texts: strings mapped to numbers, for types that are translated to ``string``: the name of a
            JSON file, or its content, such as ``{"port_id_t": {"texts": {"Ethernet0": 1}}}``. See
            docs/reference/p4runtime.md.
    """

    address: str = DEFAULT_ADDRESS
    port_each: bool = False
    first_device_id: int = 0
    tls: ServerTls | None = None
    plaintext: bool = False
    include: Iterable[str | Path] = ()
    lockstep: bool = False
    lockstep_timeout: str = "10s"
    message_limit: int = MESSAGE_LIMIT
    memory_limit: int = MEMORY_LIMIT
    texts: str | Path | Mapping[str, Any] | None = None

    @classmethod
    def read(cls, given: object) -> ServerOptions:
        """Returns the options for a caller's argument: ``True``, an address or options.

        Raises:
            NetworkError: the value is none of these.
        """
        if given is True:
            return cls()
        if isinstance(given, str):
            return cls(given)
        if isinstance(given, cls):
            return given
        raise NetworkError(
            f'p4runtime: expected True, an address such as "{DEFAULT_ADDRESS}" or weir.p4runtime.ServerOptions, '
            f"found {shown(given)}"
        )

    def texts_file(self) -> tuple[str, str] | None:
        """Reads the file that maps strings to numbers, if there is one; returns its name and
        content.

        Raises:
            NetworkError: the file cannot be read.
        """
        if self.texts is None:
            return None
        if isinstance(self.texts, Mapping):
            return "texts", json.dumps(self.texts)
        try:
            return str(self.texts), read_text(self.texts)
        except FileError as error:
            raise NetworkError(f"texts: {error}") from None

    def addresses(self, switches: int) -> list[str]:
        """Returns the addresses to listen on: a single address, or one for each switch.

        Raises:
            NetworkError: the address has no port, or there are not enough ports above it.
        """
        if not self.port_each:
            return [self.address]
        host, _, port = self.address.rpartition(":")
        first = whole_number(port, most=65535)
        if self.address.startswith("unix:") or first is None:
            raise NetworkError(
                f'port_each needs an address with a port, such as "{DEFAULT_ADDRESS}", found "{self.address}"'
            )
        if first == 0:
            return [self.address] * switches
        if first + switches - 1 > 65535:
            raise NetworkError(f"{switches} ports from {first} on would end above 65535")
        return [f"{host}:{first + index}" for index in range(switches)]


@dataclass(frozen=True)
class LostMessages:
    """How many messages of a switch no controller received, by kind; from :meth:`Server.lost`.

    Attributes:
        packets: the number of packets.
        digest_lists: the number of lists of digests.
        notices: the number of notices of idle entries.
        others: the number of error reports and election results.
    """

    packets: int = 0
    digest_lists: int = 0
    notices: int = 0
    others: int = 0


class _ServedSwitch:
    """A switch with its server, its device id and the capture of frames at its CPU port."""

    def __init__(self, core: _core.P4RuntimeServer, device: int, watch: cores.Watch | None) -> None:
        self.core, self.device, self.watch = core, device, watch
        self.due: int | None = None


class Server:
    """The P4Runtime server of a running network: :attr:`weir.Network.p4runtime`.

    Args:
        network: the core of the network.
        clock: the network's clock.
        switches: the network's switches.
        options: how controllers reach the switches.
    """

    def __init__(
        self,
        network: _core.Network,
        clock: Clock,
        switches: Mapping[str, Switch],
        options: ServerOptions,
    ) -> None:
        self._clock, self.options = clock, options
        self._timeout_ms = math.ceil(units.time_ns(options.lockstep_timeout, "lockstep_timeout", "s") / 1e6)
        first = bounded_number(options.first_device_id, "first_device_id", 0, (1 << 64) - 1 - len(switches))
        bounded_number(options.message_limit, "message_limit", 1 << 10, 1 << 32)
        bounded_number(options.memory_limit, "memory_limit", 16 << 20, 1 << 40)
        if not switches:
            raise NetworkError("p4runtime: the network has no switch")
        numbered = {name: first + index for index, name in enumerate(switches)}
        rows = {name: (name, numbered[name], switch._controller_end()) for name, switch in switches.items()}
        groups = [[row] for row in rows.values()] if options.port_each else [list(rows.values())]
        tls = None if options.tls is None else options.tls.row()
        folders = [*([str(folder) for folder in options.include] or ["."]), str(p4include())]
        limits, texts = (options.message_limit, options.memory_limit), options.texts_file()
        self._switches: dict[str, _ServedSwitch] = {}
        self._servers = []
        for address, group in zip(options.addresses(len(switches)), groups, strict=True):
            core = network.serve_p4runtime(
                [address], group, tls, options.plaintext, folders, limits, None, texts
            )
            self._servers.append(core)
            for name, device, end in group:
                watch = None if end is None else network.watch([(end[0], 0)], "", True, False, True)
                self._switches[name] = _ServedSwitch(core, device, watch)
                switches[name]._serve()
                network.subscribe(name, True, False, True)
        clock.add_delivery(self.deliver)
        clock.add_check(self._warn)

    def address(self, switch: str) -> str:
        """Returns the address at which controllers reach a switch.

        Raises:
            NetworkError: there is no such switch.
        """
        return self._served_switch(switch).core.addresses()[0]

    def device_id(self, switch: str) -> int:
        """Returns the P4Runtime device id of a switch.

        Raises:
            NetworkError: there is no such switch.
        """
        return self._served_switch(switch).device

    def controllers(self, switch: str) -> list[tuple[str, int | None, bool]]:
        """Returns the controllers of a switch, each with its role, its election id, and whether it
        is primary.

        Raises:
            NetworkError: there is no such switch.
        """
        served = self._served_switch(switch)
        return served.core.controllers(served.device)

    def lost(self, switch: str) -> LostMessages:
        """Counts the messages of a switch that no controller received.

        A controller that reads too slowly loses messages. Messages are also lost while there is no
        primary that may receive them.

        Raises:
            NetworkError: there is no such switch.
        """
        served = self._served_switch(switch)
        return LostMessages(*served.core.lost(served.device))

    def wait_for_controller(self, switch: str, timeout: str = "30s") -> None:
        """Waits in real time until a switch has a primary controller; virtual time is paused.

        Raises:
            ControlError: no controller became primary in time.
            NetworkError: there is no such switch.
        """
        end = time.monotonic() + units.time_ns(timeout, "timeout", "s") / 1e9
        while not any(primary for _, _, primary in self.controllers(switch)):
            if time.monotonic() > end:
                raise ControlError(
                    f"no controller of {switch} connected to {self.address(switch)} within {timeout}"
                )
            time.sleep(0.01)

    def deliver(self) -> None:
        """Sends the switches' messages to their controllers.

        The clock calls this method while the network runs.

        Raises:
            ControlError: in lock-step, a controller did not answer in time.
        """
        for name, served in self._switches.items():
            if served.watch is not None:
                for _, _, _, octets in served.watch.take():
                    served.core.packet_in(served.device, octets)
            served.core.deliver(served.device)
            self._schedule(served)
            if self.options.lockstep and not served.core.wait_until_answered(served.device, self._timeout_ms):
                raise ControlError(
                    f"lock-step: the controller of {name} did not send its arbitration message again within "
                    f"{self.options.lockstep_timeout} after a message"
                )

    def _warn(self) -> None:
        """Warns about problems that the servers have noticed since the last call.

        Warns:
            WeirWarning: the program of a controller is too large for machine code, or sends copies
            to a port without a link.
        """
        for server in self._servers:
            for text in server.take_warnings():
                warnings.warn(text, WeirWarning, stacklevel=2)

    def _schedule(self, served: _ServedSwitch) -> None:
        """Schedules the next delivery for the time when a list of digests is due."""
        due = served.core.next_deadline(served.device)
        if due is not None and due != served.due:
            served.due = due
            self._clock.at(max(due, self._clock.now_ns), self.deliver)

    def close(self) -> None:
        """Stops the server."""
        self._clock.remove_delivery(self.deliver)
        self._clock.remove_check(self._warn)
        self._warn()
        for server in self._servers:
            server.close()

    def _served_switch(self, switch: str) -> _ServedSwitch:
        if switch not in self._switches:
            names = ", ".join(self._switches)
            raise NetworkError(f'p4runtime: there is no switch "{switch}" ({names})')
        return self._switches[switch]

    def __repr__(self) -> str:
        addresses = ", ".join(sorted({self.address(name) for name in self._switches}))
        return f"<weir.p4runtime.Server {addresses}>"
