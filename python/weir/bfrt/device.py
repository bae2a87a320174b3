"""A switch behind a BfRt server: the root of the tree of tables, which scripts call ``bfrt``."""

from __future__ import annotations

import math
import os
import threading
from typing import Any, Self

from weir import _core, units
from weir.bfrt.contracts import Certificates, NumberedTable
from weir.bfrt.digest import Learn
from weir.bfrt.error import BfRtTableError
from weir.bfrt.names import identifier
from weir.bfrt.node import Node
from weir.bfrt.schema import read_tables
from weir.bfrt.table import Table
from weir.bfrt.values import KeyRow
from weir.errors import ControlError
from weir.program.values import bounded_number

_ALL_PIPES = 0xFFFF
_ADDRESS = "127.0.0.1:50052"
_POLL_MS = 200
"""The time after which the thread for messages checks whether the device is closed."""


class Device(Node):
    """A switch, with its tables as attributes.

    The tables of a program are below the program's name (``bfrt.router.pipe.Ingress.ipv4_lpm``),
    those of the device below their own (``bfrt.port.port`` for ``$PORT``, ``bfrt.pre.mgid``).

    Attributes:
        p4_name: the name of the program.
        p4_programs_list: a list with only this name.
    """

    def __init__(
        self,
        address: str = _ADDRESS,
        device_id: int = 0,
        *,
        tls: Certificates | None = None,
        timeout: str = "30s",
    ) -> None:
        super().__init__("bfrt")
        bounded_number(device_id, "device_id", 0, (1 << 32) - 1)
        timeout_ms = math.ceil(units.time_ns(timeout, "timeout", "s") / 1e6)
        self._client = _core.BfrtClient(address, device_id, None if tls is None else tls.row(), timeout_ms)
        self.p4_name, program, fixed = self._client.program()
        self.p4_programs_list = [self.p4_name]
        self._pipe = _ALL_PIPES
        self._tables: dict[int, Table] = {}
        self._digests: dict[int, Learn] = {}
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        root = identifier(self.p4_name)
        tables, digests = read_tables(program)
        # Longer names first, so that a table whose name begins with another's is in it.
        for schema in sorted(tables, key=lambda schema: schema.name, reverse=True):
            table = self._tables[schema.number] = Table(self, schema)
            self.add(f"{root}.{schema.name}", table)
        for name, number, fields in digests:
            learn = self._digests[number] = Learn(self, name, number, fields)
            self.add(f"{root}.{name}", learn)
        for schema in read_tables(fixed)[0]:
            table = self._tables[schema.number] = Table(self, schema)
            self.add(_device_name(schema.name), table)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the messages."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join()

    def __dir__(self) -> list[str]:
        methods = ["batch_begin", "batch_end", "batch_flush", "complete_operations", "close", "set_pipe"]
        return [*super().__dir__(), *methods, "p4_name", "p4_programs_list"]

    def set_pipe(self, pipe: int = _ALL_PIPES) -> None:
        """Sets the pipe of later requests; by default, all pipes."""
        self._pipe = pipe

    def set_direction(self, direction: int = 0xFF) -> None:
        """Does nothing: tables belong to ingress or egress."""

    def set_parser(self, parser: int = 0xFF) -> None:
        """Does nothing: all parsers of a pipe have the same value sets."""

    def complete_operations(self) -> None:
        """Does nothing: each request is complete when its method returns."""

    def batch_begin(self) -> None:
        """Does nothing: each request is sent at once."""

    def batch_flush(self, synchronous: bool = True) -> None:
        """Does nothing: each request is sent at once."""

    def batch_end(self) -> None:
        """Does nothing: each request is sent at once."""

    def write(
        self,
        table: NumberedTable,
        kind: str,
        key: list[KeyRow] | None,
        data: tuple[int, list[tuple[int, Any]]] | None,
        pipe: int | None,
        is_default: bool,
        removes: bool,
    ) -> None:
        """Sends a change."""
        try:
            self._client.write(
                self.p4_name, self._of(pipe), kind, table.number, key, data, is_default, removes
            )
        except ControlError as e:
            raise BfRtTableError(f"{table.full_name}: {e.message}") from None

    def read(
        self, table: NumberedTable, key: list[KeyRow] | None, pipe: int | None, is_default: bool
    ) -> list[Any]:
        """Reads entries."""
        try:
            return self._client.read(self.p4_name, self._of(pipe), table.number, key, is_default)
        except ControlError as e:
            raise BfRtTableError(f"{table.full_name}: {e.message}") from None

    def handle(self, table: NumberedTable, key: list[KeyRow], pipe: int | None) -> int:
        """Finds the handle of an entry."""
        try:
            return self._client.handle(self.p4_name, self._of(pipe), table.number, key)
        except ControlError as e:
            raise BfRtTableError(f"{table.full_name}: {e.message}") from None

    def usage(self, table: NumberedTable) -> int:
        """Reads the number of entries of a table."""
        return self._client.usage(self.p4_name, self._pipe, table.number)

    def operate(self, table: NumberedTable, name: str) -> None:
        """Runs an operation of a table."""
        self._client.operate(self.p4_name, self._pipe, table.number, name)

    def set_idle(
        self, table: NumberedTable, enable: bool, polls: bool, interval: int, ttls: tuple[int, int]
    ) -> None:
        """Sets how clients learn of idle entries."""
        if enable and not polls:
            self.subscribe()
        self._client.set_idle(self.p4_name, self._pipe, table.number, enable, polls, interval, ttls)

    def set_port_messages(self, table: NumberedTable, enable: bool) -> None:
        """Sets whether clients learn of ports that go up or down."""
        self.subscribe()
        self._client.set_port_messages(self.p4_name, table.number, enable)

    def _of(self, pipe: int | None) -> int:
        return self._pipe if pipe is None else pipe

    def subscribe(self) -> None:
        """Binds to the program, which only one client can do, and receives messages in a thread."""
        if self._thread is None:
            self._client.subscribe(os.getpid(), self.p4_name)
            self._thread = threading.Thread(target=self._receive, name="weir-bfrt", daemon=True)
            self._thread.start()

    def _receive(self) -> None:
        while not self._closed.is_set():
            message = self._client.next_message(_POLL_MS)
            if message is None:
                continue
            kind, number, is_up, rows, key = message
            if kind == "digest" and number in self._digests:
                self._digests[number].receive(rows)
            elif kind == "idle" and number in self._tables:
                self._tables[number].receive_idle(key)
            elif kind == "port" and number in self._tables:
                self._tables[number].receive_port(key, is_up)


def _device_name(name: str) -> str:
    """Returns the place of a device's table: ``$PORT_STAT`` is ``port.port_stat``."""
    lower = name.removeprefix("$").lower()
    return f"port.{lower}" if name.startswith("$PORT") else lower


def connect(
    address: str = _ADDRESS, device_id: int = 0, *, tls: Certificates | None = None, timeout: str = "30s"
) -> Device:
    """Connects to the BfRt server of a switch.

    Args:
        address: ``"HOST:PORT"``, or ``"unix:PATH"``.
        device_id: the number of the switch at the server.
        tls: certificates, such as :class:`weir.p4runtime.ClientTls`; ``None`` for plain text.
        timeout: how long a request may take, in real time.

    Raises:
        ControlError: there is no server at the address.
        UnitError: the timeout cannot be read.
    """
    return Device(address, device_id, tls=tls, timeout=timeout)
