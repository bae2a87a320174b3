"""Reads and writes JSON files that contain a hash of their contents, and hashes of other files.

A sealed file is a JSON object with ``kind``, ``format`` and ``sha256``, which is the hash of the
object without this member as :func:`_canonical` writes it. All formats have these three members, so
that each version of Weir can distinguish a damaged file from a file of another format.

Anybody can seal a file, so the hash protects against damage only. :func:`read_sealed` therefore
also checks the type and the range of each member, and no other code needs to do so.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from weir.errors import FileError
from weir.files import system_errors
from weir.files.jsontext import json_object
from weir.files.opening import open_inside
from weir.files.schema import Check, mistake

_HASH: Final = "sha256"
_MAX_BYTES: Final = 1 << 30


@dataclass(frozen=True)
class Kind:
    """A kind of sealed file.

    Attributes:
        name: the kind's name in messages and in the member ``kind``, such as ``telemetry store``.
        format: the number of the format that this version of Weir writes and reads.
        unsealed: the members of files of format 1, which were not sealed.
        members: the check of each member that the file must have, by its name.
        optional: the checks of members that the file may have; other members are not allowed.
    """

    name: str
    format: int
    unsealed: Collection[str] = ()
    members: Mapping[str, Check] = field(default_factory=dict)
    optional: Mapping[str, Check] = field(default_factory=dict)

    @property
    def described(self) -> str:
        """The name with its article, such as ``a telemetry store`` or ``results of a lab``."""
        return self.name if self.name.startswith("results ") else f"a {self.name}"


def sealed(kind: Kind, contents: Mapping[str, Any]) -> dict[str, Any]:
    """Adds the kind, the format and the hash to contents, which must be plain data with strings as
    keys."""
    content = {"kind": kind.name, "format": kind.format, **contents}
    return {**content, _HASH: _hash_of(content)}


def read_sealed(path: Path, kind: Kind) -> dict[str, Any]:
    """Reads a sealed file, and checks its hash and its members; returns its contents.

    Raises:
        FileError: the file cannot be read, is damaged, is of another kind or format, or a member is
            missing, unknown or wrong.
    """
    with system_errors(path, "cannot be read"), open_inside(path) as file:
        text = file.read(_MAX_BYTES + 1)
    try:
        members = json_object(text) if len(text) <= _MAX_BYTES else {}
    except ValueError:
        raise _damaged(path, kind) from None
    seal = members.pop(_HASH, None)
    if (
        seal is None
        and "format" not in members
        and kind.unsealed
        and all(name in members for name in kind.unsealed)
    ):
        raise other_format(path, kind, 1)
    if seal != _hash_of(members):
        raise _damaged(path, kind)
    if members.pop("kind", None) != kind.name:
        raise FileError(f"is not the description of {kind.described}", file=path)
    if (number := members.pop("format", None)) != kind.format:
        raise other_format(path, kind, number)
    if problem := mistake(members, kind.members, kind.optional):
        raise FileError(f"is not the description of {kind.described}: {problem}", file=path)
    return members


def other_format(path: Path, kind: Kind, number: object) -> FileError:
    """Creates the error for a file of an older or newer format."""
    return FileError(
        f"{kind.name} of format {number}, but this version of Weir reads format {kind.format}: "
        "use the version that wrote it, or make it again",
        file=path,
    )


@dataclass(frozen=True)
class FileHash:
    """The size and the SHA-256 of a file's contents."""

    size_bytes: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> FileHash:
        """Computes the size and hash of a file.

        Raises:
            OSError: the file cannot be read.
        """
        with open_inside(path) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            return cls(file.tell(), digest)

    @classmethod
    def read(cls, value: object) -> FileHash:
        """Reads the size and hash from a sealed file.

        Raises:
            ValueError: the value is not a size and a hash.
        """
        match value:
            case {"bytes": int(size), "sha256": str(digest)}:
                return cls(size, digest)
        raise ValueError("expected the size and the hash of a file")

    def json(self) -> dict[str, Any]:
        """Returns the size and the hash in the form that sealed files contain."""
        return {"bytes": self.size_bytes, "sha256": self.sha256}

    def check(self, path: Path) -> FileError | None:
        """Compares a file with its stored size and hash; returns an error if it differs or cannot
        be read, otherwise ``None``."""
        try:
            with open_inside(path) as file:
                size = os.fstat(file.fileno()).st_size
            if size != self.size_bytes:
                return FileError(
                    f"is damaged: it has {size} bytes, and was written with {self.size_bytes}", file=path
                )
            if FileHash.of(path) != self:
                return FileError("is damaged: its contents do not match their hash", file=path)
        except FileNotFoundError:
            return FileError("is missing", file=path)
        except OSError as error:
            return FileError(f"cannot be read: {error.strerror or error}", file=path)
        return None


def _damaged(path: Path, kind: Kind) -> FileError:
    return FileError(f"is damaged, or not the description of {kind.described}", file=path)


def _hash_of(contents: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(contents).encode()).hexdigest()


def _canonical(contents: Mapping[str, Any]) -> str:
    return json.dumps(contents, sort_keys=True, separators=(",", ":"))
