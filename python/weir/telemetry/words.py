"""Reads fields of many datagrams at once, from a single array of 32-bit words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from weir.telemetry.instruction import WORD, words_of

Numbers = NDArray[Any]
"""An array of integers or flags with one dimension."""

_PADDING_WORDS: Final = 512
"""The padding words after the last datagram: fields are read even if the datagram is too short."""


class Words:
    """Concatenated payloads, each padded to whole words.

    All headers of telemetry reports, IPv4, UDP, TCP and INT begin at multiples of 4 bytes from the
    start of the payload, so fields do not cross words.

    Attributes:
        at: the words, as numbers.
        starts: the index of each payload's first word.
        lengths: the length of each payload, in bytes without the padding.
    """

    def __init__(self, payloads: Sequence[bytes]) -> None:
        self.lengths = np.fromiter(map(len, payloads), np.int64, len(payloads))
        if (self.lengths % WORD).any():
            payloads = [payload + bytes(-len(payload) % WORD) for payload in payloads]
        buffer = b"".join([*payloads, bytes(_PADDING_WORDS * WORD)])
        self.at = np.frombuffer(buffer, ">u4").astype(np.uint32)
        ends = np.cumsum((self.lengths + WORD - 1) // WORD)
        self.starts = ends - (self.lengths + WORD - 1) // WORD


def bits(words: Numbers, first: int, count: int) -> Numbers:
    """Extracts ``count`` bits of each number from bit ``first`` on."""
    kind = words.dtype.type
    values: Numbers = words >> kind(first) & kind((1 << count) - 1)
    return values


def rows_of_owners(counts: Numbers) -> tuple[Numbers, Numbers]:
    """Returns for each row its owner, and the number of the owner's later rows.

    ``counts`` has the number of rows of each owner.
    """
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.repeat(np.cumsum(counts), counts) - np.arange(len(owner)) - 1


@cache
def word_counts() -> Numbers:
    """Computes how many words of metadata each of the 65536 instruction bitmaps requests."""
    return np.array([words_of(bitmap) for bitmap in range(1 << 16)], np.uint8)


@cache
def words_before(instruction: int) -> Numbers:
    """Computes for each instruction bitmap how many words come before the words of an
    instruction."""
    above = 0xFFFF & ~(2 * instruction - 1)
    counts: Numbers = word_counts()[np.arange(1 << 16) & above]
    return counts
