"""Smaller cases that still differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from generator.program import Case


def reduce(case: Case, packet: int | None, differs: Callable[[Case], bool], tries: int = 40) -> Case:
    """A case with fewer packets and commands that still differs.

    Args:
        case: the case with different outcomes.
        packet: the number of a packet whose outputs differ, if it is known.
        differs: returns whether the outcomes of a case still differ.
        tries: the maximum number of calls of ``differs``.
    """
    left = tries
    if packet is not None:
        for first in (packet, packet - 1, packet - 8):
            small = case.part(max(0, first), packet + 1)
            left -= 1
            if differs(small):
                case = small
                break
        else:
            case = case.part(0, packet + 1)
    size = max(1, len(case.commands) // 2)
    while left > 0:
        at = 0
        while at < len(case.commands) and left > 0:
            small = replace(case, commands=case.commands[:at] + case.commands[at + size :])
            left -= 1
            if differs(small):
                case = small
            else:
                at += size
        if size == 1:
            break
        size //= 2
    return case
