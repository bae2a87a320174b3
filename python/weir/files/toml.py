"""Reads TOML, and reports mistakes with their places."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from weir.errors import WeirError


def load_toml(text: str, file: Path, error: type[WeirError]) -> dict[str, Any]:
    """Reads a TOML document.

    Args:
        text: the document.
        file: the file with the document, for messages.
        error: the class of the error that is raised.

    Raises:
        WeirError: the text is not TOML; the error has the class ``error``, and the line and column
            unless the mistake is at the end of the document.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as mistake:
        # "What (at line 3, column 5)", or "(at end of document)".
        message, _, place = str(mistake).rpartition(" (at ")
        found = re.match(r"line (\d+), column (\d+)", place)
        raise error(message, file=file, where=f"{found[1]}:{found[2]}" if found else None) from None
    except RecursionError:
        raise error("is nested too deeply", file=file) from None
