"""The commands and code on the pages of the documentation work as shown."""

import re
import sys
from pathlib import Path

import click
import pytest

from weir.cli.app import app
from weir.cli.man import walk

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "build"))

import commands  # noqa: E402 - they are not part of a package
import pages  # noqa: E402
from pictures import networks  # noqa: E402

FOLDERS = ["tutorials", "how-to", "coming-from", "reference"]
"""Folders whose blocks are all run."""

PAGES = [
    ROOT / "README.md",
    DOCS / "index.md",
    DOCS / "labs" / "index.md",
    DOCS / "labs" / "firewall.md",
    DOCS / "labs" / "int.md",
    DOCS / "labs" / "int-report.md",
    DOCS / "labs" / "load-balance.md",
    DOCS / "labs" / "pacing.md",
    DOCS / "labs" / "queue-occupancy.md",
    DOCS / "labs" / "shorternet.md",
    *sorted(page for folder in FOLDERS for page in (DOCS / folder).glob("*.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_on_pages_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    pages.PageRun(page, tmp_path).run()


@pytest.mark.parametrize("page", sorted((DOCS / "tutorials").glob("*.md")), ids=lambda page: page.name)
def test_files_on_a_page_are_those_to_download(page: Path):
    text = page.read_text(encoding="utf-8")
    for block in pages.blocks(text):
        copies = list((DOCS / "tutorials").glob(f"*/{block.title}")) if block.title else []
        for copy in copies:
            assert block.text == copy.read_text(encoding="utf-8"), f"{copy} differs from {page}"


SESSION = """\
$ first \\
    argument
shown
$ weir run
weir> typed
…
"""


def test_sessions_are_split_into_commands():
    assert pages.commands(SESSION) == [("first argument", "", "shown\n"), ("weir run", "typed\n", "…\n")]


@pytest.mark.parametrize(
    ("expected", "got", "same"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\nb", "a\nc", False),
        ("a\n…\nd", "a\nb\nc\nd", True),
        ("a\n…\nd", "a\nd", True),
        ("a\n…", "b", False),
        ("took … s", "took 3 s", True),
        ("took … s", "took 3\n s", False),
        ("", "more", False),
    ],
)
def test_output_is_compared(expected: str, got: str, same: bool):
    if same:
        pages.assert_matches(expected, got, "here")
    else:
        with pytest.raises(AssertionError):
            pages.assert_matches(expected, got, "here")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("```console\n$ exit 3\n```\n", "failed"),
        ("```console\n$ echo a\nb\n```\n", "expected"),
        ("```python\nprint(1)\n```\n\n```output\n2\n```\n", "expected"),
        ("```pycon\n>>> 1 + 1\n3\n```\n", "Expected"),
        ("```p4\nparser {\n```\n", "error"),
        ("```\nno language\n```\n", "no language"),
        ("```sh\nmake nothing\n```\n", "there is no"),
    ],
)
def test_a_wrong_page_fails(page: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "page.md"
    file.write_text(page, encoding="utf-8")
    with pytest.raises(AssertionError, match=re.escape(message)):
        pages.PageRun(file, tmp_path).run()


def test_the_page_of_commands_has_each_command_and_option():
    page = commands.page()
    context = click.Context(app, info_name="weir")
    found = list(walk(context, app, ("weir",)))
    assert len(found) > 15
    for path, command, _ in found:
        assert f"`{' '.join(path)}`" in page
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert parameter.opts[0] in page, f"{path}: {parameter.opts}"


def test_pages_show_networks_as_pictures(tmp_path: Path):
    names = set()
    for page in DOCS.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"\w ?──+ ?\w", text), f"{page} draws a network with characters"
        folder = page.parent.relative_to(DOCS).as_posix()
        names |= {f"{folder}/{name}" for name in re.findall(r"\]\(([\w-]+-network\.svg)\)", text)}
    assert names == networks.draw(tmp_path).keys()
