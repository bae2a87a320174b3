"""The options of a network."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from weir.control.profile import Profile
    from weir.network.computer import Computer
    from weir.network.noise import Noise
    from weir.network.world import WorldName
    from weir.p4runtime import ServerOptions


class NetworkOptions(TypedDict, total=False):
    """The keyword options of :class:`weir.Network`."""

    world: WorldName
    switches: str
    offloads: bool | None
    as_root: bool | None
    seed: int
    threads: int
    profile: str | Profile
    computer: str | Path | Computer | None
    noise: str | Noise
    pcap: str | Path | None
    include: Iterable[str | Path]
    executor: str | None
    strict: bool
    p4runtime: bool | str | ServerOptions
    progress: bool | None


def check_options(method: str, options: Mapping[str, object]) -> None:
    """Refuses unknown options of a method before the method does anything else.

    Raises:
        TypeError: an option is unknown.
    """
    for name in options:
        if name not in NetworkOptions.__annotations__:
            raise TypeError(f"{method}() got an unexpected keyword argument {name!r}")


def show_options(method: Any, init: Callable[..., None]) -> None:
    """Changes the signature of a class method that takes ``**options``, so that it shows each
    keyword option of ``init``."""
    signature = inspect.signature(method.__func__)
    options = [
        parameter
        for parameter in inspect.signature(init).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    own_parameters = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not parameter.VAR_KEYWORD
    ]
    method.__func__.__signature__ = signature.replace(parameters=[*own_parameters, *options])
