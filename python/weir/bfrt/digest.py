"""Digests, which functions of a script receive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weir.bfrt.contracts import Subscriber
from weir.bfrt.names import identifier
from weir.bfrt.schema import Field
from weir.bfrt.values import read_data

LearnCallback = Callable[[int, int, int, int, object, list[dict[str, Any]]], object]
"""Receives digests: device, pipe, direction, parser, session, and the data by short field names."""


class Learn:
    """A digest of the program."""

    def __init__(self, device: Subscriber, name: str, number: int, fields: Sequence[Field]) -> None:
        self._device = device
        self.full_name = name
        self.number = number
        self._fields = {field.number: field for field in fields}
        self._callback: LearnCallback | None = None

    def __repr__(self) -> str:
        return f"<digest {self.full_name}>"

    def callback_register(self, callback: LearnCallback | None = None) -> None:
        """Calls ``callback`` with the digests that arrive; by default, prints them."""
        self._callback = callback or _print
        self._device.subscribe()

    def callback_deregister(self) -> None:
        """Ends the calls."""
        self._callback = None

    def info(self, return_info: bool = False, print_info: bool = True) -> dict[str, Any] | None:
        """Prints the fields of the digest, or returns them."""
        facts = {
            "full_name": self.full_name,
            "data_fields": [{"name": field.name, "size": field.width} for field in self._fields.values()],
        }
        if print_info:
            print(f"Full Name: {self.full_name}")
            for field in self._fields.values():
                print(f"    {field.name:<30} {field.width} bits")
        return facts if return_info else None

    def receive(self, rows: Sequence[Sequence[tuple[int, Any]]]) -> None:
        """Passes digests to the callback."""
        if self._callback is not None:
            self._callback(0, 0, 0, 0, None, [self._named(row) for row in rows])

    def _named(self, row: Sequence[tuple[int, Any]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for number, value in row:
            field = self._fields[number]
            values[identifier(field.name.rpartition(".")[2])] = read_data(field, value)
        return values


def _print(*arguments: Any) -> None:
    for row in arguments[-1]:
        print("Digest: " + ", ".join(f"{name} = {value:#x}" for name, value in row.items()))
