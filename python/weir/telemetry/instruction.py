"""The instruction bitmap of INT, which selects the metadata that nodes add."""

from __future__ import annotations

import enum
from typing import Final

WORD: Final = 4
"""The bytes of a word, the unit of lengths in INT."""


class Instruction(enum.IntFlag):
    """An instruction of INT v2.1 (section 5.7), which is a bit of RepMdBits in reports.

    Each instruction requests a word of 32 bits, except ``INGRESS_TIME``, ``EGRESS_TIME`` and
    ``LOGICAL_INTERFACES``, which request two words.
    """

    NODE = 0x8000
    INTERFACES = 0x4000
    LATENCY = 0x2000
    QUEUE = 0x1000
    INGRESS_TIME = 0x0800
    EGRESS_TIME = 0x0400
    LOGICAL_INTERFACES = 0x0200
    UTILIZATION = 0x0100
    BUFFER = 0x0080
    COMPLEMENT = 0x0001
    """The checksum complement or, in reports of drops, the reason for the drop."""


_TWO_WORDS = Instruction.INGRESS_TIME | Instruction.EGRESS_TIME | Instruction.LOGICAL_INTERFACES


def words_of(instructions: int) -> int:
    """Computes how many 32-bit words of metadata a node adds for these instructions."""
    return instructions.bit_count() + (instructions & _TWO_WORDS).bit_count()
