"""Builds the text of ``weir --version``, and of ``--version --verbose`` for bug reports."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import weir
from weir import _core
from weir.program import EXECUTORS

_PACKAGE = Path(weir.__file__).parent


def version_text(verbose: bool) -> str:
    """Builds the line with the version; if verbose, also lines on how Weir was built and on the
    computer."""
    first = f"weir {weir.__version__}"
    if not verbose:
        return first
    target, profile, features = _core.build_info()
    lines = {
        "build": f"{profile}, for {target}",
        "commit": _commit() or "unknown",
        "executors": ", ".join(name for name in EXECUTORS if name != "native" or features is not None),
        "cpu": f"{platform.machine()}, machine code uses {_list_features(features)}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.release()}",
        "installed": str(_PACKAGE),
    }
    return "\n".join([first, *(f"{name + ':':<10} {value}" for name, value in lines.items())])


def _list_features(features: list[str] | None) -> str:
    """Lists the names of processor features, without the prefixes that Cranelift gives them."""
    if features is None:
        return "no features, because it does not support this processor"
    names = [feature.removeprefix("has_").removeprefix("use_") for feature in features]
    return " ".join(names) or "no optional features"


def _commit() -> str | None:
    """Finds the commit of the wheel's source or of the working copy; returns ``None`` if it is
    unknown."""
    recorded = _PACKAGE / "commit.txt"
    if recorded.exists():
        return recorded.read_text(encoding="utf-8").strip()
    command = ["git", "-C", str(_PACKAGE), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        # Ask git only in Weir's working copy, because elsewhere it may find an unrelated
        # repository.
        if not (_PACKAGE.parents[1] / "crates" / "weir-python").is_dir():
            return None
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
