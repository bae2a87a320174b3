"""Rooms that read folders of other people open files only by the functions that guard this."""

from __future__ import annotations

import ast
from pathlib import Path

WEIR = Path(__file__).parents[1] / "python" / "weir"
ROOMS = ("ap", "control", "experiments", "files", "lab", "stf", "telemetry", "topology")
"""The packages that read or write files which a sender may have made."""

UNGUARDED = {
    "open", "read_text", "read_bytes", "write_text", "write_bytes", "read_parquet", "scan_parquet",
    "read_csv", "open_file",
}  # fmt: skip

KNOWN = {
    "ap/folder.py": "the package's own program; the partial file that was just created",
    "ap/machine.py": "files of the kernel and of installed programs, below /proc, /sys and /etc",
    "ap/stations.py": "a folder, opened with O_DIRECTORY",
    "ap/status.py": "files of the running access point, below /run and /var",
    "experiments/declaration.py": "a method of the store of an experiment",
    "files/lock.py": "opened with O_NOFOLLOW and O_NONBLOCK; /proc",
    "files/opening.py": "the guard itself",
    "files/whole_file.py": "partial files that were just created with O_EXCL",
    "lab/known.py": "the code of a lab, which runs",
    "lab/premises.py": "tables of a result whose files have been checked; see weir.lab.settings.complete",
    "lab/settings.py": "the code of a lab, which runs",
    "lab/tables.py": "tables of a result whose files have been checked; see weir.lab.settings.complete",
    "telemetry/listener.py": "/proc/net",
    "telemetry/segments.py": "a file in a folder that was just created",
}
"""The files that may still open files by themselves, with what they open."""


def unguarded(source: str) -> list[str]:
    """The calls in a text of Python that open a file without a guard."""
    calls = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            # The function of weir.files.textfile is a name, not a method of a path.
            is_guard = name == "read_text" and isinstance(called, ast.Name)
            if name in UNGUARDED and not is_guard:
                calls.append(ast.unparse(node))
    return calls


def test_an_unguarded_read_is_seen() -> None:
    text = "p.open()\nopen(p)\np.read_text()\nread_text(p)\nos.open(p)\npl.read_parquet(p)\nopen_inside(p)"
    assert unguarded(text) == ["p.open()", "open(p)", "p.read_text()", "os.open(p)", "pl.read_parquet(p)"]


def test_rooms_read_through_the_guard() -> None:
    found = {
        str(path.relative_to(WEIR)): calls
        for room in ROOMS
        for path in sorted((WEIR / room).rglob("*.py"))
        if (calls := unguarded(path.read_text(encoding="utf-8")))
    }
    new = {name: calls for name, calls in found.items() if name not in KNOWN}
    assert not new, "use weir.files.opening or weir.files.textfile, or say here why not"
    assert KNOWN.keys() <= found.keys(), "this list only has files that still need it"
