"""Every requirement on the page of P4Runtime names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "reference" / "p4runtime.md"
CRATE = ROOT / "crates" / "weir-p4runtime"

FOLDERS = [
    CRATE / "src",
    ROOT / "crates" / "weir-grpc" / "src",
    CRATE / "tests",
    CRATE / "tests" / "server",
    CRATE / "tests" / "entities",
    CRATE / "tests" / "entities" / "cases",
]
"""Folders of files that the page names without their path."""

TEST = re.compile(r"#\[(?:tokio::)?test\b[^\n]*\]\s*(?:#\[[^\n]*\]\s*)*(?:async )?fn (\w+)\(")
"""A Rust test."""

REFERENCE = re.compile(r"([\w./-]+): (.+)")
"""A file and a test in it, as the page writes them."""


def names_in(file: Path) -> set[str]:
    """The names of the tests in a file."""
    text = file.read_text(encoding="utf-8")
    match file.suffix:
        case ".rs":
            return set(TEST.findall(text))
        case ".py":
            return set(re.findall(r"^def (test_\w+)\(", text, re.MULTILINE))
        case _:
            return set(re.findall(r"^== (.+)$", text, re.MULTILINE))


def files_named(name: str) -> list[Path]:
    """The files that a name on the page may mean."""
    if Path(name).suffix:
        return [ROOT / name]
    paths = [folder / f"{name}{suffix}" for folder in FOLDERS for suffix in (".rs", ".txt")]
    return [file for file in paths if file.is_file()]


def mistake(reference: str) -> str | None:
    """The mistake in the page's reference to a test, if any."""
    named = REFERENCE.fullmatch(reference)
    if named is None:
        return f"`{reference}` is not a test: expected `file: test`"
    file, test = named.groups()
    files = [path for path in files_named(file) if path.is_file()]
    if not files:
        return f"`{reference}`: there is no file {file}"
    known = set().union(*(names_in(path) for path in files))
    return None if test in known else f"`{reference}`: there is no such test in {file}"


def spans(text: str) -> list[str]:
    """The code in a piece of Markdown, each on one line."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text)]


def rows(text: str) -> list[list[str]]:
    """The rows of the tables whose last column names tests."""
    found: list[list[str]] = []
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        head, _, *lines = (
            [cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()
        )
        found += lines if head[-1] == "test" else []
    return found


def test_every_requirement_has_tests_that_exist():
    text = PAGE.read_text(encoding="utf-8")
    mistakes = []
    for *requirement, tests in rows(text):
        named = [span for span in spans(tests) if not span.endswith(".p4")]
        if not named and not requirement[-1].startswith("see ["):
            mistakes.append(f"{': '.join(requirement)}: no test")
        mistakes += [problem for test in named if (problem := mistake(test))]
    prose = "\n".join(line for line in text.splitlines() if not line.startswith("| "))
    mistakes += [problem for span in spans(prose) if REFERENCE.fullmatch(span) and (problem := mistake(span))]
    assert not mistakes, "\n".join(mistakes)
    assert len(rows(text)) > 100


def test_wrong_names_are_found():
    assert mistake("cells: cells of counters") is None
    assert mistake("sessions/outbox: a_full_queue_loses_messages_and_counts_them") is None
    assert "no such test" in (mistake("cells: cells of nothing") or "")
    assert "no such test" in (mistake("arbitration: bid") or ""), "a function that is not a test"
    assert "no file" in (mistake("nothing: cells of counters") or "")
    assert "is not a test" in (mistake("others") or "")


def test_every_case_file_is_named():
    text = PAGE.read_text(encoding="utf-8")
    for file in (CRATE / "tests" / "entities" / "cases").glob("*.txt"):
        assert f"`{file.stem}: " in text, f"no row names a case of {file.name}"
