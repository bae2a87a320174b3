"""A P4Runtime client, with the same objects as a switch of this process."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from weir import _core, units
from weir._core import Digest
from weir.control.controller import PacketIn, check_fields
from weir.control.messages import IdleNotice, Message
from weir.control.switch_objects import SwitchObjects
from weir.errors import ControlError, shown
from weir.errors.checks import check_call, check_text, frame_bytes
from weir.p4runtime.tls import ClientTls
from weir.program import DeclaredObjects, Program
from weir.program.values import bounded_number
from weir.text.suggest import nearest

Action = Literal["verify", "verify_and_save", "verify_and_commit", "commit", "reconcile_and_commit"]
"""The action of a server on a program that a client sends; see :meth:`Client.set_program`."""

_ACTIONS = ("verify", "verify_and_save", "verify_and_commit", "commit", "reconcile_and_commit")


class Client(SwitchObjects):
    """A switch behind a P4Runtime server, with objects for tables, registers and messages.

    >>> with weir.p4runtime.Client("127.0.0.1:9559") as s1:              # doctest: +SKIP
    ...     s1.set_program("router.p4")
    ...     s1.table("ipv4_lpm").insert({"dstAddr": "10.0.1.0/24"}, "forward", {"port": 1})

    A client has the same methods as a :class:`weir.Switch`, so a script can use either. Methods
    for which P4Runtime has no request (``log_msg``, the time) raise :class:`weir.ControlError`.

    Args:
        address: ``"HOST:PORT"``, or ``"unix:PATH"``.
        device_id: the number of the switch at the server.
        election_id: the controller with the largest number is primary, and may write. With
            ``None``, this client only reads.
        role: the role to take; the default role if empty.
        tls: certificates; ``None`` for plain text.
        timeout: how long a request may take, in real time.
        lockstep: whether to tell the network that its time may continue, for networks with
            :attr:`ServerOptions.lockstep`. The client does so after each callback; for messages
            without a callback at the next :meth:`wait` or :meth:`run_for`.

    Attributes:
        name: the address and the number of the switch.

    Raises:
        ControlError: there is no server, or it refuses this client.
        UnitError: the timeout cannot be read.
    """

    __slots__ = (
        "_callbacks", "_client", "_known", "_lockstep", "_own", "_own_cpu_port", "_seen", "_waiting", "address", "device_id",
    )  # fmt: skip

    def __init__(
        self,
        address: str = "127.0.0.1:9559",
        device_id: int = 0,
        *,
        election_id: int | None = 1,
        role: str = "",
        tls: ClientTls | None = None,
        timeout: str = "30s",
        lockstep: bool = False,
    ) -> None:
        check_text("address", address, "127.0.0.1:9559")
        check_text("role", role, "routes")
        self.address = address
        self.device_id = bounded_number(device_id, "device_id", 0, (1 << 64) - 1)
        if election_id is not None:
            bounded_number(election_id, "election_id", 0, (1 << 128) - 1)
        limit = math.ceil(units.time_ns(timeout, "timeout", "s") / 1e6)
        row = None if tls is None else tls.row()
        self._client = _core.P4RuntimeClient(self.address, device_id, election_id, role, row, limit)
        self._lockstep = lockstep
        self._callbacks: dict[str, Callable[[Any], object]] = {}
        self._waiting: deque[PacketIn] = deque()
        self._seen = 0
        self._known: _core.P4RuntimeProgram | None = None
        # The program of the switch, if this client has it. It is needed because P4Info does not map
        # strings to numbers.
        self._own: _core.Program | None = None
        self._own_cpu_port: int | None = None
        self.name = f"{address}/{device_id}"
        self.refresh()

    def refresh(self) -> None:
        """Reads the program of the switch again, after another client has set one."""
        program = self._client.program(self._own, self._own_cpu_port)
        if program is not None:
            self._known = program[0]
            super().__init__(
                self._client.switch(self._known), self.name, DeclaredObjects(self._known.declarations())
            )

    def __getattr__(self, name: str) -> Any:
        """Finds attributes that exist only once the program is known.

        Python calls this method for attributes that are missing.

        Raises:
            ControlError: the switch has no program yet, or only a :class:`weir.Switch` has this
                attribute.
        """
        from weir.control.switch import Switch

        if name in {"_core", "_listeners"}:
            self._need_program()
        if not name.startswith("_") and hasattr(Switch, name):
            raise ControlError(f"{name}: P4Runtime has no request for this; weir.Switch.{name} has it")
        raise AttributeError(f"'Client' object has no attribute '{name}'", name=name, obj=self)

    @property
    def program(self) -> DeclaredObjects:
        """The declarations of the switch's program.

        Raises:
            ControlError: the switch has no program yet.
        """
        self._need_program()
        return super().program

    @property
    def has_program(self) -> bool:
        """Whether the switch has a program."""
        return self._known is not None

    @property
    def version(self) -> str:
        """The version of P4Runtime that the server speaks."""
        return self._client.version()

    @property
    def is_primary(self) -> bool:
        """Whether this client may write, because no other client of its role has a larger election
        id."""
        return self._client.primary()[0]

    def set_program(
        self,
        program: str | Path | Program | None,
        action: Action = "verify_and_commit",
        cookie: int | None = None,
    ) -> None:
        """Sends the switch a program.

        Args:
            program: a P4 file, or a program from :func:`weir.compile`; ``None`` with ``commit``.
            action: ``verify`` only checks the program; ``verify_and_save`` stores it for a later
                ``commit``; ``verify_and_commit`` starts it with only the entries that the program
                declares; ``reconcile_and_commit`` starts it and keeps all entries, if they fit.
            cookie: a number of your choice, which the server stores with the program.

        Raises:
            P4Error: the program has errors.
            ControlError: the server refuses the program, or this client is not primary.
        """
        from weir.program import compile as compile_program

        if action not in _ACTIONS:
            raise ControlError(
                f'there is no action "{action}" ({", ".join(_ACTIONS)})', suggestion=nearest(action, _ACTIONS)
            )
        if program is not None and not isinstance(program, Program):
            program = compile_program(program)
        config = None if program is None else (program.p4info("binary"), program._core.text().encode())
        self._client.set_program(action, config, cookie)
        if action != "verify":
            self.refresh()

    def packets_in(self) -> list[PacketIn]:
        """Returns the packets that the switch sent since the last call."""
        self._collect()
        packets = list(self._waiting)
        self._waiting.clear()
        return packets

    def packet_out(self, payload: bytes, **fields: int | str) -> None:
        """Sends a packet to the switch.

        Args:
            payload: the bytes after the controller's header.
            fields: the fields of the program's header with ``@controller_header("packet_out")``;
                fields that are not given are 0. A field whose type is translated to
                ``string`` takes a string; a number is converted to its decimal string.

        Raises:
            ControlError: there is no such field, or a value does not fit it.
        """
        octets, program = frame_bytes(payload, "payload"), self._need_program()
        metadata = dict(dict(program.controller_headers())["packet_out"])
        check_fields(self.name, metadata, fields)
        for name, value in fields.items():
            if metadata[name] == 0 and isinstance(value, str):
                _check_text(name, value)
            else:
                bounded_number(value, name, 0, (1 << (metadata[name] or 64)) - 1)
        self._client.packet_out(program, octets, list(fields.items()))

    def on_packet_in(self, callback: Callable[[PacketIn], object] | None) -> None:
        """Sets the function that :meth:`run_for` and :meth:`wait` call for each packet; ``None``
        removes the function."""
        self._set("packet", callback)

    def on_digest(self, callback: Callable[[Digest], object] | None) -> None:
        """Sets the function that :meth:`run_for` and :meth:`wait` call for each digest; ``None``
        removes the function.

        The switch then sends each digest at once, as after the first call of :meth:`digests`,
        unless another client has chosen otherwise.
        """
        self._set("digest", callback)
        if callback is not None:
            for digest in self.digests():
                callback(digest)

    def on_idle(self, callback: Callable[[IdleNotice], object] | None) -> None:
        """Sets the function that :meth:`run_for` and :meth:`wait` call for each idle entry;
        ``None`` removes the function."""
        self._set("idle", callback)

    def messages(self) -> list[Message]:
        """Returns digests and idle notices since the last call, in order of time."""
        unsorted: list[Message] = [*self.digests(), *self.idle_notices()]
        return sorted(unsorted, key=lambda message: message.time_ns)

    def run_for(self, duration: str) -> None:
        """Waits for messages in real time, and calls the callbacks for them.

        Raises:
            UnitError: the duration cannot be read.
            ControlError: the connection has ended.
        """
        end = time.monotonic() + units.time_ns(duration, "duration", "s") / 1e9
        while True:
            self.deliver()
            self._resume_in_lockstep(self._seen)
            self._check_open()
            seconds_left = end - time.monotonic()
            if seconds_left <= 0:
                return
            self._seen = self._client.wait(self._seen, math.ceil(1000 * min(seconds_left, 0.1)))

    def wait(self, timeout: str = "5s") -> bool:
        """Waits for the next message and calls its callback; returns whether a message arrived in
        time.

        Raises:
            UnitError: the timeout cannot be read.
            ControlError: the connection has ended.
        """
        end = time.monotonic() + units.time_ns(timeout, "timeout", "s") / 1e9
        self._resume_in_lockstep(self._seen)
        while (seconds_left := end - time.monotonic()) > 0:
            message_count = self._client.wait(self._seen, math.ceil(1000 * min(seconds_left, 0.1)))
            if message_count > self._seen:
                self._seen = message_count
                self.deliver()
                return True
            self._check_open()
        return False

    def deliver(self) -> None:
        """Calls the callbacks for the messages that have arrived."""
        take: dict[str, Callable[[], list[Any]]] = {
            "packet": self.packets_in,
            "digest": self.digests,
            "idle": self.idle_notices,
        }
        for kind, callback in tuple(self._callbacks.items()):
            for message in take[kind]():
                callback(message)
        self._resume_in_lockstep(0)

    def resume(self) -> None:
        """Tells a network in lock-step that this client has processed all messages that have
        arrived.

        Processed messages are those that the script has read, and those that :meth:`wait` and
        :meth:`run_for` have handled.
        """
        self._client.resume(self._seen)

    def _resume_in_lockstep(self, answered: int) -> None:
        """Tells the network that the client has processed the messages that were read, and the
        first ``answered`` messages."""
        if self._lockstep:
            self._client.resume(answered)

    def stream_errors(self) -> list[str]:
        """Returns the errors that the switch reported about messages of this client since the last
        call."""
        return [message for _, message in self._client.take_errors()]

    def close(self) -> None:
        """Ends the connection once the server has all messages, or after ``timeout``."""
        self._client.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<weir.p4runtime.Client {self.name}>"

    def _need_program(self) -> _core.P4RuntimeProgram:
        if self._known is None:
            raise ControlError(f"{self.name} has no program yet: send one with set_program")
        return self._known

    def _check_open(self) -> None:
        if (reason := self._client.ended()) is not None:
            raise ControlError(f"the connection to {self.name} has ended: {reason}")

    def _collect(self) -> None:
        for fields, payload in self._client.take_packets(self._need_program()):
            self._waiting.append(PacketIn(0, dict(fields), payload, self.name))

    def _set(self, kind: str, callback: Callable[[Any], object] | None) -> None:
        if callback is None:
            self._callbacks.pop(kind, None)
        else:
            check_call("callback", callback)
            self._callbacks[kind] = callback

    @property
    def has_controller(self) -> bool:
        """Always ``True``, because this client is the controller."""
        return True


def _check_text(name: str, value: str) -> None:
    """Refuses a string that cannot be a value of a field.

    Raises:
        ControlError: the text has more than 1024 bytes of UTF-8, or begins with the character 0.
    """
    if value.startswith("\0") or len(value.encode("utf-8", "surrogatepass")) > 1024:
        raise ControlError(
            f"{name}: expected a text of at most 1024 bytes that does not begin with the character 0"
        )
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ControlError(f"{name}: the text is not Unicode (character {shown(value[:40])})") from None
