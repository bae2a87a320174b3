"""A program's declarations for the control plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from weir import _core
from weir._core import ObjectInfo, ProfileInfo, TableInfo, ValueSetInfo


class DeclaredObjects:
    """The tables and other objects that a program declares."""

    def __init__(self, declared: _core.Declarations) -> None:
        self._declared = declared

    @cached_property
    def tables(self) -> Mapping[str, TableInfo]:
        """The tables by control-plane name, in the program's order."""
        return {table.name: table for table in self._declared.tables()}

    def objects(self, kind: str) -> Mapping[str, ObjectInfo]:
        """Returns the counters, registers or meters by control-plane name, indexed ones before
        direct ones.

        Args:
            kind: ``counter``, ``register`` or ``meter``.
        """
        return {info.name: info for info in self._declared.objects(kind)}

    def register_fields(self, name: str) -> Sequence[tuple[str, int]]:
        """Returns the fields of a register's cells with their widths in bits.

        The first field has the upper bits. Cells with a single value have one field without a name.

        Args:
            name: the register's control-plane name in full.
        """
        return self._declared.register_fields(name)

    def register_signs(self, name: str) -> Sequence[bool]:
        """Returns for each field of a register whether its values are signed.

        Args:
            name: the register's control-plane name in full.
        """
        return self._declared.register_signs(name)

    def register_texts(self, name: str) -> Sequence[bool]:
        """Returns for each field of a register whether its values are strings, because its type is
        translated to ``string``.

        Only a P4Runtime client has such values.

        Args:
            name: the register's control-plane name in full.
        """
        return self._declared.register_texts(name)

    @cached_property
    def value_sets(self) -> Mapping[str, ValueSetInfo]:
        """The parser value sets by control-plane name."""
        return {info.name: info for info in self._declared.value_sets()}

    @cached_property
    def profiles(self) -> Mapping[str, ProfileInfo]:
        """The action profiles and selectors by control-plane name."""
        return {info.name: info for info in self._declared.profiles()}

    @property
    def _port_params(self) -> Mapping[str, list[str]]:
        """The action parameters that choose the port at which a packet leaves, by action."""
        return {}

    @property
    def _last_port(self) -> int:
        """The largest number of a port; of a program of any kind if it is not known."""
        return _core.MAX_PORT

    @property
    def _drop_port(self) -> int | None:
        """The port number that drops packets instead of sending them; ``None`` if it is not
        known."""
        return None

    @property
    def _copies_vanish(self) -> bool:
        """Whether copies for a port without a link are certainly lost."""
        return False

    def full_name(self, kind: str, name: str) -> str:
        """Finds an object by name, and returns its full control-plane name. The last part of the
        name suffices if only one object ends in it.

        Args:
            kind: ``table``, ``counter``, ``register``, ``meter``, ``action profile`` or ``value
                set``.

        Raises:
            ControlError: there is no such object, or there are several; the message names the
                nearest.
        """
        return self._declared.find(kind, name)
