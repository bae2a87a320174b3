"""``docs/explanation/unsafe.md`` names every file with unsafe code, and no other."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
UNSAFE = re.compile(r"\bunsafe (?:\{|fn|impl|extern)")


def listed() -> list[str]:
    """Files and folders in the table's first column."""
    page = (ROOT / "docs/explanation/unsafe.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)


def unsafe_files() -> list[str]:
    """Rust files with unsafe code."""
    files = sorted(ROOT.glob("crates/**/*.rs"))
    unsafe = [file for file in files if UNSAFE.search(file.read_text(encoding="utf-8"))]
    return [file.relative_to(ROOT).as_posix() for file in unsafe]


def test_every_file_with_unsafe_code_is_listed():
    missing = [file for file in unsafe_files() if not any(file.startswith(place) for place in listed())]
    assert not missing, f"docs/explanation/unsafe.md does not say why these are sound: {missing}"


def test_listed_files_have_unsafe_code():
    idle = [place for place in listed() if not any(file.startswith(place) for file in unsafe_files())]
    assert not idle, f"docs/explanation/unsafe.md lists files without unsafe code: {idle}"
