"""All paths of a packet whose outcome depends on chance: hashes, weights and random numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weir.trace.journey import Journey

MAX_PATHS = 64
"""Maximum number of paths that are followed; the result says whether there are more."""


@dataclass(frozen=True)
class Paths:
    """The possible paths of a packet.

    Attributes:
        journeys: one for each path; first the path that hashes and the random generator choose.
        more: whether there are more paths than were followed.
        lost_steps: the number of their steps that exceeded the limit and were not kept.
    """

    journeys: Sequence[Journey]
    more: bool
    lost_steps: int = 0


def explore(send: Callable[[Sequence[int]], Journey], maximum: int = MAX_PATHS) -> Paths:
    """Follows all paths: at each choice, every option in turn.

    Args:
        send: sends the packet from the same initial state, and makes the first choices with these
            options.
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
            before = tuple(choice.option for choice in choices[:position])
            others = (n for n in range(choices[position].options) if n != choices[position].option)
            waiting += [(*before, option) for option in others]
    return Paths(journeys, bool(waiting))


def shared_steps(journey: Journey, other: Journey) -> set[int]:
    """The first steps (by ``id``) of a journey that another journey shares."""
    same = set()
    for step, others in zip(journey.steps, other.steps, strict=False):
        if step != others:
            break
        same.add(id(step))
    return same
