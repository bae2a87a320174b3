"""Finds labs in installed packages, which are the entry points of the group ``weir.labs``.

Weir's own labs are the package ``weir_labs`` of the distribution ``p4weir-labs``, which the extra
``lab`` installs. Other distributions can also offer labs, with a line for each lab in
``pyproject.toml``::

    [project.entry-points."weir.labs"]
    queues = "my_labs.queues.lab:LAB"
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from weir.text.suggest import listing

GROUP: Final = "weir.labs"

OWN: Final = "p4weir-labs"
"""The name of the distribution with Weir's own labs."""

ALL: Final = "all"
"""The name that stands for all labs on the command line."""

MISSING: Final = "Weir's own labs are not installed: pip install 'p4weir[lab]'"


@dataclass(frozen=True)
class InstalledLab:
    """A lab in an installed package.

    Attributes:
        package: the package of the lab, such as ``weir_labs.delay``.
        folder: the folder of the lab.
        distribution: the distribution that offers the lab, such as ``p4weir-labs``.
    """

    package: str
    folder: Path
    distribution: str


@dataclass(frozen=True)
class OfferedLabs:
    """The labs that installed distributions offer.

    Attributes:
        labs: the labs by name.
        unusable: the reasons why other entries cannot be used, by name.
        has_weir_labs: whether Weir's own labs are installed.
    """

    labs: Mapping[str, InstalledLab]
    unusable: Mapping[str, str]
    has_weir_labs: bool


def offers() -> OfferedLabs:
    """Finds the labs that installed distributions offer, without importing them."""
    entries: dict[str, list[EntryPoint]] = defaultdict(list)
    for entry in entry_points(group=GROUP):
        entries[entry.name].append(entry)
    labs: dict[str, InstalledLab] = {}
    unusable: dict[str, str] = {}
    for name, same_name in sorted(entries.items()):
        lab_or_reason = _lab_or_reason(same_name)
        if isinstance(lab_or_reason, InstalledLab):
            labs[name] = lab_or_reason
        else:
            unusable[name] = lab_or_reason
    has_own_labs = any(_distribution(entry) == OWN for same_name in entries.values() for entry in same_name)
    return OfferedLabs(labs, unusable, has_own_labs)


def _lab_or_reason(entries: list[EntryPoint]) -> InstalledLab | str:
    """Returns the lab that the entry points of one name declare, or the reason why they declare
    none."""
    entry, *duplicates = entries
    name, by = entry.name, _distribution(entry)
    if duplicates:
        distributions = listing(sorted({by, *map(_distribution, duplicates)}))
        return f'the lab "{name}" is offered {len(entries)} times, by {distributions}: uninstall all but one'
    if name == ALL:
        return f'a lab of {by} is called "{ALL}", which stands for all labs'
    package, _, module = entry.module.rpartition(".")
    if not package or (module, entry.attr) != ("lab", "LAB"):
        return f'the lab "{name}" of {by} is declared as "{entry.value}": expected "PACKAGE.lab:LAB"'
    folder = _folder(package)
    if folder is None:
        return f'the lab "{name}" of {by} cannot be found: there is no package {package}'
    if not (folder / "lab.py").is_file():
        return f'the lab "{name}" of {by} cannot be found: {folder} has no lab.py'
    return InstalledLab(package, folder, by)


def _distribution(entry: EntryPoint) -> str:
    return "an unknown package" if entry.dist is None else entry.dist.name


def _folder(package: str) -> Path | None:
    """Finds the folder of a package, without importing it or the packages that contain it."""
    first, *rest = package.split(".")
    try:
        spec = find_spec(first)
    except ValueError:
        return None  # Code has created a module with this name.
    name = first
    for part in rest:
        if spec is None or spec.submodule_search_locations is None:
            return None
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, list(spec.submodule_search_locations))
    if spec is None or spec.origin is None or spec.submodule_search_locations is None:
        return None
    return Path(spec.origin).parent
