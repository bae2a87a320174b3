"""Where a packet's outcome is open, the other ways it could go."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weir.trace.journey import Journey

MOST_WAYS = 64
"""Ways that are followed; what is open in more is cut there, and said to be."""


@dataclass(frozen=True)
class Ways:
    """The ways that a packet can go.

    Attributes:
        journeys: one for each way, the one that hash and random generator take first.
        more: whether there are more than were followed.
    """

    journeys: Sequence[Journey]
    more: bool


def explore(go: Callable[[Sequence[int]], Journey], most: int = MOST_WAYS) -> Ways:
    """Follows all ways: at each point where the outcome is open, every option in turn.

    Args:
        go: sends the packet the way on which the first open outcomes are these options, always from the same state.
        most: ways to follow at most.
    """
    journeys: list[Journey] = []
    waiting: deque[tuple[int, ...]] = deque([()])
    while waiting and len(journeys) < most:
        options = waiting.popleft()
        journey = go(options)
        journeys.append(journey)
        choices = journey.choices
        for position in range(len(options), len(choices)):
            before = tuple(choice.option for choice in choices[:position])
            others = (n for n in range(choices[position].options) if n != choices[position].option)
            waiting += [(*before, option) for option in others]
    return Ways(journeys, bool(waiting))


def shared(journey: Journey, other: Journey) -> set[int]:
    """The first steps (by ``id``) of a journey that are the same in another."""
    same = set()
    for step, others in zip(journey.steps, other.steps, strict=False):
        if step != others:
            break
        same.add(id(step))
    return same
