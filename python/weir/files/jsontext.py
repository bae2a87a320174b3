"""Reads JSON that other programs, or a crash, may have changed."""

from __future__ import annotations

import json
from typing import Any


def json_object(text: str | bytes) -> dict[str, Any]:
    """Parses a JSON text that must be an object.

    Raises:
        ValueError: the text is not JSON, is nested too deeply, or is not an object.
    """
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError(f"expected an object, found {type(value).__name__}")
    return value
