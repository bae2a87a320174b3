"""Gives matplotlib a temporary folder for its settings if the user's home cannot be written.

Otherwise matplotlib would warn on standard error. The package imports this module before
matplotlib.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path


def _is_writable(variable: str, usual: str) -> bool:
    """Returns whether matplotlib can write into its folder below the folder that a variable
    names."""
    try:
        folder = Path(os.environ.get(variable) or Path.home() / usual) / "matplotlib"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # There is no home.
        return False
    return os.access(folder, os.W_OK | os.X_OK)


if "MPLCONFIGDIR" not in os.environ and not (
    _is_writable("XDG_CONFIG_HOME", ".config") and _is_writable("XDG_CACHE_HOME", ".cache")
):
    os.environ["MPLCONFIGDIR"] = tempfile.mkdtemp(prefix="weir-matplotlib-")
    atexit.register(shutil.rmtree, os.environ["MPLCONFIGDIR"], ignore_errors=True)
