"""The interfaces through which the parts of a device use one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from weir.bfrt.schema import Field
from weir.bfrt.values import KeyRow


class Certificates(Protocol):
    """The interface of :class:`weir.p4runtime.ClientTls` that a device uses."""

    def row(self) -> tuple[bytes, tuple[bytes, bytes] | None, str | None]:
        """Reads the files, and returns their contents."""


class Subscriber(Protocol):
    """The interface of a device that digests use."""

    def subscribe(self) -> None:
        """Binds to the program, and receives messages."""


class NumberedTable(Protocol):
    """The interface of a table that its device uses.

    Attributes:
        full_name: the name.
    """

    full_name: str

    @property
    def number(self) -> int:
        """The number in messages."""


class TableDevice(Protocol):
    """The interface of a device that its tables use."""

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

    def read(
        self, table: NumberedTable, key: list[KeyRow] | None, pipe: int | None, is_default: bool
    ) -> list[Any]:
        """Reads entries."""

    def handle(self, table: NumberedTable, key: list[KeyRow], pipe: int | None) -> int:
        """Finds the handle of an entry."""

    def usage(self, table: NumberedTable) -> int:
        """Reads the number of entries of a table."""

    def operate(self, table: NumberedTable, name: str) -> None:
        """Runs an operation of a table."""

    def set_idle(
        self, table: NumberedTable, enable: bool, polls: bool, interval: int, ttls: tuple[int, int]
    ) -> None:
        """Sets how clients learn of idle entries."""

    def set_port_messages(self, table: NumberedTable, enable: bool) -> None:
        """Sets whether clients learn of ports that go up or down."""


class EntryValues(Protocol):
    """The values of an entry that was read.

    Attributes:
        key: the values of the key, by field name in bytes.
        data: the data, by field name in bytes.
        action: the name of the action; ``None`` if entries of the table have none.
    """

    key: dict[bytes, Any]
    data: dict[bytes, Any]
    action: str | None


class EntryTable(Protocol):
    """The interface of a table that its entries use.

    Attributes:
        full_name: the name.
    """

    full_name: str

    @property
    def fields(self) -> Sequence[Field]:
        """All fields of the key and of the data."""

    def write_raw(
        self,
        kind: str,
        key: Mapping[bytes, Any] | None,
        data: Mapping[bytes, Any] | None,
        action: str | None,
        pipe: int | None = None,
    ) -> None:
        """Makes a change with fields by their full names."""

    def read_raw(self, key: Mapping[bytes, Any], pipe: int | None = None) -> EntryValues:
        """Reads the entry with a key by full names."""


class Leaf(Protocol):
    """The interface of a table or a digest that its node uses.

    Attributes:
        full_name: the name.
    """

    full_name: str


@runtime_checkable
class ListedTable(Leaf, Protocol):
    """The interface of a table that its node uses.

    Attributes:
        type: the type, such as ``MATCH_DIRECT``.
        capacity: the maximum number of entries.
    """

    type: str
    capacity: int

    def usage(self) -> int | str:
        """The number of entries; ``n/a`` for tables that have an entry for each index."""

    def dump(self, *args: Any, **options: Any) -> Any:
        """Prints the default and all entries."""
