"""Functions of labs in folders that worker processes cannot import."""

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
    """The function of an experiment, which worker processes find by loading the lab's folder.

    So a lab's modules may contain any object: cached functions, compiled formats, locks. Code that
    is sent by itself could not refer to such objects.
    """

    def __init__(self, folder: Path, world: WorldName, part: str, function: Callable[..., object]) -> None:
        self._folder, self._world, self._part, self._function = folder, world, part, function
        update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> object:
        """Calls the function."""
        return self._function(*args, **kwargs)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str, WorldName, str]]:
        """The data that is sent to worker processes: the place of the function."""
        return _function, (str(self._folder), self._world, self._part)


def _function(folder: str, world: WorldName, part: str) -> Callable[..., object]:
    parts = _load_once(folder).in_world(world).parts
    (found,) = (one.experiment.function for one in parts if one.name == part)
    return found


@cache
def _load_once(folder: str) -> Lab:
    """A lab, loaded once in each worker process."""
    return load_lab(folder)
