"""Experiments whose networks share a computer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

from weir.errors import CommandError
from weir.experiments import Experiment
from weir.network.computer import shared_by_all

if TYPE_CHECKING:
    from weir.lab.lab import Lab, Part
    from weir.network.computer import Computer

_COMPUTER_PARAMETERS = ("computer", "profile")
"""The names of parameters that say which computer or profile a network has."""


class OnComputer:
    """Runs an experiment's function so that its networks share a computer."""

    def __init__(self, function: Callable[..., object], computer: Computer) -> None:
        self._function, self._computer = function, computer
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> object:
        """Calls the experiment's function; its networks share the computer."""
        with shared_by_all(self._computer):
            return self._function(*args, **kwargs)


def on_computer(experiment: Experiment, name: str, computer: Computer) -> Experiment:
    """Returns the experiment with networks that share a computer.

    A parameter ``computer`` or ``profile`` gets the computer's name as its only value.

    Args:
        experiment: the experiment.
        name: the computer's name, or its file.
        computer: the computer.
    """
    changed = Experiment(OnComputer(experiment.function, computer), experiment.space, experiment.seeds)
    computers: dict[str, Any] = {
        parameter: [name] for parameter in _COMPUTER_PARAMETERS if parameter in experiment.space.grid
    }
    return changed.replaced(**computers) if computers else changed


def refuse_own_times(lab: Lab, chosen: Mapping[str, Part], values: Mapping[str, object]) -> None:
    """Refuses labs and experiments whose switches cannot share a computer.

    Raises:
        CommandError: the lab measures real hosts, a chosen experiment sets times of its switches
            itself, or a value names a computer or profile, too.
    """
    if lab.real:
        raise CommandError(
            f"the lab {lab.name} measures real hosts, which are as fast as this computer: leave --computer out"
        )
    for name, part in chosen.items():
        if part.own_times:
            without_times = [one.name for one in lab.parts if not one.own_times]
            only = f", or name others: --only {','.join(without_times)}" if without_times else ""
            raise CommandError(
                f"{name} cannot share a computer, because {part.own_times}: leave --computer out{only}"
            )
    for name in _COMPUTER_PARAMETERS:
        if name in values:
            raise CommandError(
                f"--computer and --set {name}= both say how long a switch takes: leave one out"
            )
