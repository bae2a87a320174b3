"""Prepares Python files of users to be loaded as modules."""

from __future__ import annotations

import importlib.util
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType


class _Loader(SourceFileLoader):
    """Compiles the file each time.

    Python takes the bytecode of an older version if the file was changed within a second and has
    the same size.
    """

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def module_spec(name: str, file: Path, folders: list[str] | None = None) -> ModuleSpec | None:
    """Returns the spec of a module that is always compiled from its file.

    Args:
        name: the module's name.
        file: the file.
        folders: where a package's submodules are, or ``None`` for a module that is not a package.

    Returns:
        ``None`` if the file's name is not that of a module.
    """
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=folders)
    if spec is not None and isinstance(spec.loader, SourceFileLoader):
        spec.loader = _Loader(name, str(file))
    return spec
