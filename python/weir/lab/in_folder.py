"""Functions of labs in folders from which worker processes cannot import."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir.lab.known import load_lab

if TYPE_CHECKING:
    from weir.lab.lab import Lab
    from weir.network.world import WorldName


class InFolder:
    """An experiment's function that worker processes find by loading the lab's folder.

    A lab's modules may therefore contain any object, such as cached functions and locks. Functions
    that are sent as code cannot refer to such objects.
    """

    def __init__(
        self, folder: Path, world: WorldName | None, part: str, function: Callable[..., object]
    ) -> None:
        self._folder, self._world, self._part, self._function = folder, world, part, function
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> object:
        """Calls the experiment's function."""
        return self._function(*args, **kwargs)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, WorldName | None, str]]:
        """Returns what worker processes need to find the function: the lab's folder, the world and
        the experiment's name."""
        return _function, (str(self._folder), self._world, self._part)


def _function(folder: str, world: WorldName | None, part: str) -> Callable[..., object]:
    parts = _load_once(folder).in_world(world).parts
    (function,) = (candidate.experiment.function for candidate in parts if candidate.name == part)
    return function


@cache
def _load_once(folder: str) -> Lab:
    """Loads a lab; each worker process loads it only once."""
    return load_lab(folder)
