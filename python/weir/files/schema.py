"""The checks of members of sealed files: types, ranges, and names of files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

Check = Callable[[object], bool]
"""A function that returns whether a value may be the value of a member."""

INT64: Final = 1 << 63

FOLDERS: Final = 1
"""The maximum number of folders in the name of a file inside a received folder."""

_NAME: Final = re.compile(r"(?!\.\.?$)[^/\0]{1,255}")


def whole(least: int = 0, most: int = INT64 - 1) -> Check:
    """Returns a check for whole numbers in a range. A boolean is not a number."""
    return lambda value: type(value) is int and least <= value <= most


def instance_of(*kinds: type) -> Check:
    """Returns a check for values of one of these types. A boolean does not count as an integer."""
    return lambda value: type(value) in kinds


def mapping_of(check: Check) -> Check:
    """Returns a check for mappings whose values all pass ``check``."""
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def list_of(check: Check) -> Check:
    """Returns a check for lists whose values all pass ``check``."""
    return lambda value: isinstance(value, list) and all(map(check, value))


texts: Final = list_of(instance_of(str))
"""The check for lists of strings."""


def file_hash(value: object) -> bool:
    """Returns whether a value is the size and the SHA-256 of a file."""
    if not isinstance(value, dict) or value.keys() != {"bytes", "sha256"}:
        return False
    digest = value["sha256"]
    return (
        whole()(value["bytes"])
        and isinstance(digest, str)
        and re.fullmatch("[0-9a-f]{64}", digest) is not None
    )


def is_plain_name(name: object, folders: int = FOLDERS) -> bool:
    """Returns whether a name is a relative name inside a folder, without ``..``.

    Args:
        name: the name.
        folders: the maximum number of folders in the name.
    """
    if not isinstance(name, str):
        return False
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    parts = name.split("/")
    return len(parts) <= folders + 1 and all(map(_NAME.fullmatch, parts))


def file_hashes(value: object) -> bool:
    """Returns whether a value maps plain names of files to their hashes."""
    return isinstance(value, dict) and all(
        is_plain_name(name) and file_hash(entry) for name, entry in value.items()
    )


def mistake(found: Mapping[str, object], needed: Mapping[str, Check], optional: Mapping[str, Check]) -> str:
    """Describes the first member that is missing, unknown or wrong; returns an empty text if there
    is none."""
    for name, check in needed.items():
        if name not in found or not check(found[name]):
            return f"{name} is missing or has the wrong type"
    for name, value in found.items():
        if name not in needed and name not in optional:
            return f'"{name}" is not a member of it'
        if name in optional and not optional[name](value):
            return f"{name} has the wrong type"
    return ""
