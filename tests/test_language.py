"""The texts have neither the words that docs/glossary.md retires nor German turns of phrase."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from phrases_to_avoid import PAGE_PATTERNS, PATTERNS

ROOT = Path(__file__).parent.parent

PLACES = [
    *("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "Makefile", "README.md", "benches", "crates"),
    *("docs", "fuzz", "labs", "p4include", "packaging", "peers", "python", "tests"),
]
KINDS = {
    *(".c", ".cpp", ".h", ".json", ".lua", ".md", ".p4", ".py", ".pyi", ".rs", ".sh"),
    *(".stf", ".toml", ".txt", ""),
}
EXEMPT = ["docs/glossary.md", "tests/phrases_to_avoid.py", "tests/test_language.py"]
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
    """A pattern that finds whole words, with their case; a phrase also across the lines of a
    comment."""
    one_space = r"(?:[\s*]|//[/!]?|#)+"
    alternatives = [
        one_space.join(map(re.escape, word.split(" "))) + ("" if word.endswith("_") else r"(?![A-Za-z0-9_])")
        for word in words
    ]
    return re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(alternatives)})")


def files() -> list[Path]:
    """The text files of the places where words are checked."""
    paths: list[Path] = []
    for place in PLACES:
        path = ROOT / place
        paths += [path] if path.is_file() else path.rglob("*")
    # The package links to docs/diagnostics and p4include.
    return [
        path
        for path in sorted({path.resolve() for path in paths})
        if path.suffix in KINDS
        and path.is_file()
        and not SKIPPED & set(path.relative_to(ROOT).parts)
        and str(path.relative_to(ROOT)) not in EXEMPT
    ]


def hits() -> list[str]:
    """``FILE:LINE: WORD`` for each retired word."""
    sought = pattern(retired())
    return [
        f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()!r}"
        for path in files()
        for text in [path.read_text(encoding="utf-8")]
        for match in sought.finditer(text)
    ]


@functools.cache
def phrases(page: bool) -> list[tuple[re.Pattern[str], str]]:
    """The patterns for a page or for other files, and what to write instead of what they find."""
    space = r"\s+(?:(?:\*|//[/!]?|#)\s+)?"
    patterns = PATTERNS + PAGE_PATTERNS if page else PATTERNS
    return [(re.compile(sought.replace(" ", space)), instead) for sought, instead, _, _ in patterns]


def prose(path: Path) -> str:
    """A file's text; code in Markdown is blank, so that lines keep their numbers."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".md":
        return text
    code = re.compile(r"^( *)```.*?^\1```$|^(?: {4}[^\n]*\n)+|`[^`]*`", re.MULTILINE | re.DOTALL)
    return code.sub(lambda found: re.sub(r"[^\n]", "x", found.group()), text)


def name(path: Path) -> str:
    """A file's path in the repository."""
    return str(path.relative_to(ROOT))


def phrase_hits(paths: list[Path]) -> Iterator[str]:
    """``FILE:LINE: PHRASE: write …`` for each turn of phrase in some files."""
    return (
        f"{name(path)}:{text.count(chr(10), 0, match.start()) + 1}: "
        f"{' '.join(match.group().split())!r}: write {instead!r}"
        for path in paths
        for text in [prose(path)]
        for sought, instead in phrases(page=path.suffix == ".md")
        for match in sought.finditer(text)
    )


def python_texts(code: str) -> Iterator[tuple[int, str]]:
    """Yields the line and text of each docstring and string in Python code. Values in f-strings
    are left out."""
    tree = ast.parse(code)
    formatted = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    parts = {id(part) for node in formatted for part in node.values}
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr(values=values):
                texts = (part.value if isinstance(part, ast.Constant) else "x" for part in values)
                yield node.lineno, "".join(map(str, texts))
            case ast.Constant(value=str(text)) if id(node) not in parts:
                yield node.lineno, text


def inside(hit: str, place: str) -> bool:
    """Whether a hit lies in a file or folder."""
    file = hit.partition(":")[0]
    return file == place or file.startswith(f"{place}/")


def test_retired_words_are_gone():
    open_hits = [hit for hit in hits() if not any(inside(hit, place) for place in OPEN)]
    assert not open_hits, "docs/glossary.md says what to write instead:\n" + "\n".join(open_hits)


def test_clean_places_are_not_open():
    all_hits = hits()
    clean = [place for place in OPEN if not any(inside(hit, place) for hit in all_hits)]
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


@pytest.mark.slow
def test_turns_of_phrase_are_gone():
    phrases_found = list(phrase_hits(files()))
    assert not phrases_found, "write so that nobody has to read a sentence twice:\n" + "\n".join(
        phrases_found
    )


@pytest.mark.parametrize("example", PATTERNS + PAGE_PATTERNS, ids=lambda example: example[2])
def test_a_pattern_finds_its_bad_example_and_not_the_good_one(example: tuple[str, str, str, str]):
    position = (PATTERNS + PAGE_PATTERNS).index(example)
    sought, _ = phrases(page=True)[position]
    _, _, bad, good = example
    assert sought.search(bad)
    assert sought.search(bad.replace(" ", "\n    /// "))
    assert not [found.group() for other, _ in phrases(page=True) for found in other.finditer(good)]


@pytest.mark.slow
def test_turns_of_phrase_are_gone_from_texts_in_python():
    problems = [
        f"{name(path)}:{line}: {' '.join(hit.group().split())!r}: write {instead!r}"
        for folder in ("labs", "python")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, text in python_texts(path.read_text(encoding="utf-8"))
        for sought, instead in phrases(page=True)
        for hit in sought.finditer(text)
    ]
    assert not problems, "write so that nobody has to read a sentence twice:\n" + "\n".join(problems)


def test_strings_in_python_are_found():
    code = 'def f(x):\n    """A docstring."""\n    return f"It has {x} of " "them."\n'
    assert sorted(python_texts(code)) == [(2, "A docstring."), (3, "It has x of them.")]


def test_code_in_markdown_is_no_prose(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("`it is no error`\n\n    it is no error\n\n```\nit is no error\n```\nit is no error\n")
    sought, _ = phrases(page=True)[0]
    assert [prose(page).count("\n", 0, match.start()) for match in sought.finditer(prose(page))] == [7]


def test_the_glossary_retires_words():
    assert len(retired()) > 10
