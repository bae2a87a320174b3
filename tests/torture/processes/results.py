"""Whether result files are whole."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from torture.case import Failed
from weir import _core
from weir.errors import WeirError

OLD = b"an older result\n"


def prepare(paths: Iterable[Path]) -> None:
    """Writes older results."""
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(OLD)


def check(path: Path, rows: int | None = None) -> str:
    """``old``, ``new`` or ``none``; fails if the file is neither complete nor the older one."""
    if not path.exists():
        return "none"
    content = path.read_bytes()
    if content == OLD:
        return "old"
    try:
        whole = _whole(path, content, rows)
    except (ValueError, WeirError) as error:
        raise Failed(f"{path.name} is not whole: {error}") from None
    if not whole:
        raise Failed(f"{path.name} is not whole: {content[:100]!r} … {content[-100:]!r}")
    return "new"


def _whole(path: Path, content: bytes, rows: int | None) -> bool:
    match path.suffix:
        case ".csv":
            return content.endswith(b"\n") and (rows is None or content.count(b"\n") == rows + 1)
        case ".png":
            return content.startswith(b"\x89PNG") and content.endswith(b"IEND\xaeB`\x82")
        case ".svg":
            return content.rstrip().endswith(b"</svg>")
        case ".pdf":
            return content.rstrip().endswith(b"%%EOF")
        case ".pcapng":
            _core.read_capture(str(path), 1 << 30)
            return len(content) > 0
        case ".parquet":
            return content.startswith(b"PAR1") and content.endswith(b"PAR1")
        case ".html":
            return content.rstrip().endswith(b"</html>")
        case ".json":
            json.loads(content)
    return True


def check_no_partial(folder: Path) -> None:
    """Fails if a half-written file is left."""
    left = [path for path in folder.rglob("*") if "partial" in path.name or ".old-" in path.name]
    if left:
        raise Failed(f"left behind: {left}")
