"""The locks of Python packages have what both pyproject.toml ask for, and nothing of a registry."""

from __future__ import annotations

import importlib.util
import re
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent


def writer() -> ModuleType:
    """The script that writes the locks."""
    loader = SourceFileLoader("audit_lock", str(ROOT / "packaging" / "audit-lock"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("audit_lock", loader))
    loader.exec_module(module)
    return module


WRITER = writer()


def versions(name: str) -> dict[str, list[str]]:
    """The versions of each package in a lock; other lines than those and hashes are mistakes."""
    versions_by_package: dict[str, list[str]] = {}
    text = (ROOT / "packaging" / "audit-locks" / f"{name}.lock").read_text(encoding="utf-8")
    for entry in text.replace("\\\n", " ").splitlines()[1:]:
        pinned = re.fullmatch(
            r"([a-z0-9-]+)==(\S+)( ; .*?)?((?:\s+--hash=sha256:[0-9a-f]{64})+)", entry.rstrip()
        )
        assert pinned, entry[:120]
        versions_by_package.setdefault(pinned[1], []).append(pinned[2])
    return versions_by_package


@pytest.mark.parametrize("name", list(WRITER.requirements()))
def test_a_lock_has_what_is_asked_for(name: str) -> None:
    """After a change of a pyproject.toml, run packaging/audit-lock."""
    locked = versions(name)
    for text in WRITER.requirements()[name]:
        requirement = Requirement(text)
        assert requirement.name.lower().replace("_", "-") in locked, text
        for version in locked[requirement.name.lower().replace("_", "-")]:
            assert Version(version) in requirement.specifier, (text, version)


def test_all_locks_have_the_same_versions() -> None:
    seen: dict[str, list[str]] = {}
    for name in WRITER.requirements():
        for package, found in versions(name).items():
            assert seen.setdefault(package, found) == found, (name, package)
    assert len(seen) > 100


def test_the_backends_are_locked_with_the_packages() -> None:
    """The installation needs nothing that is not in the locks."""
    assert {"maturin", "flit-core", "click", "polars"} <= versions("build").keys()
    assert {"pytest", "mypy", "ruff", "thriftpy2", "distributed"} <= versions("tools").keys()
    assert {"mkdocs-material"} <= versions("site").keys()
    assert {"pip-audit"} <= versions("audit").keys()
