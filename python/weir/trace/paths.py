"""Follows all paths of a packet that depend on hashes, weights and random numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weir.trace.journey import Journey

MAX_PATHS = 64
"""The maximum number of paths that are followed."""


@dataclass(frozen=True)
class Paths:
    """The possible paths of a packet.

    Attributes:
        journeys: a journey for each path; first the path that hashes and the random generator
            choose.
        has_more: whether there are more paths than were followed.
        lost_steps: the number of steps that were not recorded because they exceeded the limit.
    """

    journeys: Sequence[Journey]
    has_more: bool
    lost_steps: int = 0


def explore(send: Callable[[Sequence[int]], Journey], maximum: int = MAX_PATHS) -> Paths:
    """Follows all paths, by taking every option of each choice.

    Args:
        send: a function that sends the packet from the same initial state, and takes the given
            options at the first choices.
        maximum: maximum number of paths.
    """
    journeys: list[Journey] = []
    waiting: deque[tuple[int, ...]] = deque([()])
    while waiting and len(journeys) < maximum:
        options = waiting.popleft()
        journey = send(options)
        journeys.append(journey)
        choices = journey.choices
        for position in range(len(options), len(choices)):
            prefix = tuple(choice.option for choice in choices[:position])
            alternatives = (n for n in range(choices[position].options) if n != choices[position].option)
            waiting += [(*prefix, option) for option in alternatives]
    return Paths(journeys, bool(waiting))


def shared_steps(journey: Journey, other: Journey) -> set[int]:
    """Finds the first steps of a journey that another journey shares; returns their ``id``."""
    same = set()
    for step, others in zip(journey.steps, other.steps, strict=False):
        if step != others:
            break
        same.add(id(step))
    return same
