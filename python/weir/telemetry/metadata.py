"""Decodes the metadata of many nodes, as columns and as :class:`Hop` objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from weir.telemetry.hop import FIELDS, Hop
from weir.telemetry.instruction import WORD, Instruction, words_of
from weir.telemetry.words import Numbers, Words, bits, words_before

_KINDS: Final = {8: np.uint8, 16: np.uint16, 24: np.uint32, 32: np.uint32, 64: np.uint64}
"""The numpy type of a field's numbers, by the width of the field in bits."""


class Metadata:
    """The metadata of nodes.

    Args:
        at: the 32-bit words that contain the metadata.
        start: the index of each node's first word in ``at``.
        bitmap: the instruction bitmap of each node's metadata.
    """

    def __init__(self, at: Numbers, start: Numbers, bitmap: Numbers) -> None:
        self._at, self._start, self._bitmap = at, start, bitmap
        self._in_any = int(np.bitwise_or.reduce(bitmap)) if len(bitmap) else 0

    def hops(self, more: Mapping[str, Numbers] | None = None) -> list[Hop]:
        """Returns the metadata as objects, one for each node, with additional fields from
        ``more``."""
        columns = self.columns([instruction for instruction in FIELDS if self._in_any & instruction]) | dict(
            more or {}
        )
        if not columns:
            return [Hop()] * len(self._start)
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        return [Hop(**dict(zip(columns, row, strict=True))) for row in rows]

    def columns(self, instructions: Iterable[Instruction]) -> dict[str, Numbers]:
        """Returns the fields of these instructions as columns, masked where they are not requested
        or all bits are 1."""
        columns: dict[str, Numbers] = {}
        for instruction in instructions:
            fields = FIELDS[instruction]
            unread_bits = sum(size for _, size in fields)
            absent, value = self._absent_and_words(instruction, 0)
            if unread_bits == 64:
                value = value.astype(np.uint64) << np.uint64(32) | self._absent_and_words(instruction, 1)[1]
            absent = absent | (value == value.dtype.type((1 << unread_bits) - 1))
            for name, size in fields:
                unread_bits -= size
                columns[name] = np.ma.masked_array(
                    bits(value, unread_bits, size).astype(_KINDS[size]), absent
                )
        return columns

    def _absent_and_words(self, instruction: Instruction, offset: int) -> tuple[Numbers, Numbers]:
        """Returns, for each node, whether the instruction's fields are absent, and the word at this
        offset of the instruction's fields."""
        if not self._in_any & instruction:
            none = np.zeros(len(self._start), np.uint32)
            return none == 0, none
        words = self._at[self._start + words_before(instruction)[self._bitmap] + offset]
        return self._bitmap & instruction == 0, words


def read_hop(data: bytes, instructions: int) -> Hop:
    """Reads a node's metadata, and skips instructions that Weir does not know.

    Args:
        data: the bytes of the metadata, at least those of the instructions.
        instructions: the instruction bitmap.

    Raises:
        ValueError: there are fewer words.
    """
    bitmap = instructions & 0xFFFF
    if len(data) < words_of(bitmap) * WORD:
        raise ValueError(f"{len(data)} bytes of metadata, but instructions 0x{bitmap:04x}")
    words = Words([data])
    (hop,) = Metadata(words.at, words.starts, np.array([bitmap], np.uint32)).hops()
    return hop
