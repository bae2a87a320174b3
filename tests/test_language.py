"""The words that docs/glossary.md retires are gone from code, messages and docs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

PLACES = [
    "Makefile",
    "README.md",
    "benches",
    "crates",
    "docs",
    "fuzz",
    "p4include",
    "python",
    "tests",
]
KINDS = {
    *(".c", ".cpp", ".h", ".json", ".lua", ".md", ".p4", ".py", ".pyi", ".rs", ".sh"),
    *(".stf", ".toml", ".txt", ""),
}
EXEMPT = ["docs/glossary.md", "tests/test_language.py"]
# fuzz/corpus and fuzz/target are not committed.
SKIPPED = {"corpus", "artifacts", "target", "__pycache__"}

# Folders and files that still use retired words. This list only shrinks: whoever cleans one removes
# its line.
OPEN: list[str] = []


def retired() -> list[str]:
    """The words in backquotes of the second column of the glossary's second table."""
    page = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
    table = page.partition("## Words we do not use")[2]
    rows = re.findall(r"^\|[^|]*\|([^|]*)\|$", table, re.MULTILINE)
    return [word for row in rows for word in re.findall(r"`([^`]+)`", row)]


def pattern(words: list[str]) -> re.Pattern[str]:
    """Finds whole words, as they are written; a phrase also across the lines of a comment."""
    one_space = r"(?:[\s*]|//[/!]?|#)+"
    alternatives = [
        one_space.join(map(re.escape, word.split(" "))) + ("" if word.endswith("_") else r"(?![A-Za-z0-9_])")
        for word in words
    ]
    return re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(alternatives)})")


def files() -> list[Path]:
    """The text files of the places where words are checked."""
    found: list[Path] = []
    for place in PLACES:
        path = ROOT / place
        found += [path] if path.is_file() else path.rglob("*")
    # The package links to docs/diagnostics and p4include.
    return [
        path
        for path in sorted({path.resolve() for path in found})
        if path.suffix in KINDS
        and path.is_file()
        and not SKIPPED & set(path.relative_to(ROOT).parts)
        and str(path.relative_to(ROOT)) not in EXEMPT
    ]


def hits() -> list[str]:
    """``FILE:LINE: WORD`` for each retired word."""
    sought = pattern(retired())
    return [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}: {found.group()!r}"
        for path in files()
        for text in [path.read_text(encoding="utf-8")]
        for found in sought.finditer(text)
    ]


def inside(hit: str, place: str) -> bool:
    """Whether a hit lies in a file or folder."""
    file = hit.partition(":")[0]
    return file == place or file.startswith(f"{place}/")


def test_retired_words_are_gone():
    found = [hit for hit in hits() if not any(inside(hit, place) for place in OPEN)]
    assert not found, "docs/glossary.md says what to write instead:\n" + "\n".join(found)


def test_clean_places_are_not_open():
    found = hits()
    clean = [place for place in OPEN if not any(inside(hit, place) for hit in found)]
    assert not clean, f"remove from OPEN, where retired words would pass unseen: {clean}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/// which is\n    /// told", True),
        ("# which is\n# told", True),
        ("beside the point", True),
        ("besides", False),
        ("const _MOST_STILL", True),
        ("ALMOST_ALL", False),
    ],
)
def test_the_pattern_finds_words_and_phrases(text: str, found: bool):
    assert bool(pattern(["is told", "beside", "MOST_"]).search(text)) == found


def test_the_glossary_retires_words():
    assert len(retired()) > 10
