"""A switch for hostile calls: its state, and calls that may fail only with a diagnosis."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import weir
from torture.case import Failed
from weir.control import Switch
from weir.errors import WeirError
from weir.stf.bench import Bench

ROOT = Path(__file__).parents[2]


@functools.cache
def program() -> weir.Program:
    """The program with one object of each kind."""
    return weir.compile(ROOT / "testdata" / "switch" / "control.p4")


def fresh() -> Switch:
    """A new switch with that program."""
    return Bench(program(), [1, 2, 3]).switch


def state(switch: Switch) -> object:
    """All state of the switch that can be read."""
    names = switch.program
    return (
        [(table.entries(), table.default) for table in switch.tables.values()],
        [switch.counter(name).cells() for name in names.objects("counter")],
        [switch.register(name).cells() for name in names.objects("register")],
        [switch.meter(name).cells() for name in names.objects("meter")],
        [
            (switch.action_profile(name).members(), switch.action_profile(name).groups())
            for name in names.profiles
        ],
        [switch.value_set(name).members() for name in names.value_sets],
        [switch.queues(port) for port in switch.ports],
        [switch.crc(name) for name in ("crc16_custom", "crc32_custom")],
        (switch.multicast_groups(), switch.clone_sessions()),
    )


def attempt(act: Callable[[], object]) -> bool:
    """Makes a call; returns whether it succeeded.

    It may fail only with an error that has a line for each mistake.
    """
    try:
        act()
    except WeirError as error:
        check_message(error)
        return False
    return True


def check_message(error: WeirError) -> None:
    """Checks that an error is one line of bounded length, or has a line for each mistake."""
    text = str(error)
    lines = text.split("\n")
    if not all(lines) or len(lines) > 21 or max(map(len, lines)) > 3000:
        raise Failed(f"a message of {len(text)} characters: {text[:1000]!r}") from error


class Watched:
    """A switch whose state is compared before and after requests that fail.

    Reading the state costs more than most requests, so it is read again only after a request that
    succeeded.
    """

    def __init__(self, switch: Switch) -> None:
        self.switch = switch
        self._state: object = None

    def attempt(self, act: Callable[[], object], what: object) -> bool:
        """Makes a request; returns whether it succeeded.

        A failed request must not change the switch.
        """
        return self.changed(lambda: attempt(act), what)

    def changed(self, act: Callable[[], bool], what: object) -> bool:
        """Like :meth:`attempt`, for a request that returns whether it succeeded."""
        before = state(self.switch) if self._state is None else self._state
        if act():
            self._state = None
            return True
        self._state = state(self.switch)
        if self._state != before:
            raise Failed(f"failed and changed the switch: {str(what)[:2000]}")
        return False


def outcome(done: int, failed: int) -> str:
    """A word about how many calls succeeded."""
    return "done" if not failed else "refused" if not done else "mixed"
