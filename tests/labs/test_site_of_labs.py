"""All labs at once: one page, and a failing lab does not lose the results of the others."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import weir.lab.known
import weir.lab.site
from weir.cli import main
from weir.errors import FileError
from weir.lab import run_all_labs
from weir.lab.installed import InstalledLab, OfferedLabs

TINY = Path(__file__).parent / "tiny"

PAPER = """
from weir.lab import Predicted, Published
NUMBERS = [
    Published(ids=["largest"], publication="Someone 2020", place="Table 1", experiment="products",
        quantity="largest", value=6, ours=Predicted(part="product", value=lambda t: 6.0, relative=0.1))
]
"""


Call = Callable[..., tuple[int, str, str]]


class Labs:
    """A package of labs that replaces all installed labs."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder / "site_labs"
        self._folder.mkdir()
        (self._folder / "__init__.py").write_text("")
        self._labs: dict[str, InstalledLab] = {}
        self.unusable: dict[str, str] = {}
        monkeypatch.syspath_prepend(folder)
        for module in (weir.lab.known, weir.lab.site):
            monkeypatch.setattr(module, "offers", lambda: OfferedLabs(self._labs, self.unusable, True))

    def add(self, name: str, *changes: tuple[str, str]) -> Path:
        """Adds a small lab, with changes of its ``lab.py``."""
        folder = self._folder / name
        shutil.copytree(TINY, folder, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "paper.py").write_text(PAPER)
        text = (folder / "lab.py").read_text()
        for old, new in (('name="tiny"', f'name="{name}"'), *changes):
            assert old in text
            text = text.replace(old, new)
        (folder / "lab.py").write_text(text)
        self._labs[name] = InstalledLab(f"site_labs.{name}", folder, "site-labs")
        return folder


@pytest.fixture
def labs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Labs]:
    yield Labs(tmp_path, monkeypatch)
    for name in [name for name in sys.modules if name.partition(".")[0] == "site_labs"]:
        del sys.modules[name]


WITH_NUMBERS = (
    ("    parts=[", '    source="The article.",\n    published=NUMBERS,\n    parts=['),
    ("from .exp", "from .paper import NUMBERS\nfrom .exp"),
)


@pytest.fixture
def call(capfd: pytest.CaptureFixture[str]) -> Call:
    """Runs all labs with small sizes: the exit code, and what is written."""

    def run(out: Path, *options: str) -> tuple[int, str, str]:
        code = main(["lab", "run", "all", "--quick", "--workers", "1", "--out", str(out), *options])
        return code, *capfd.readouterr()

    return run


def hash_of(script: str) -> str:
    """The source of a Content Security Policy that allows a script."""
    return f"&#39;sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}&#39;"


def test_one_page_leads_to_all_reports(labs: Labs, call: Call, tmp_path: Path) -> None:
    labs.add("one", *WITH_NUMBERS)
    labs.add("two", ("What is x times n?", "How long is a word?"))
    labs.add("three", ("    parts=[", "    real=True,\n    parts=["))
    out = tmp_path / "out"
    code, said, progress = call(out)
    assert code == 0 and "one: The largest is 6; 6 steps." in said and f"report: {out}/index.html" in said
    assert "three: skipped, because it measures this computer: weir lab run three" in said
    assert "lab 2 of 3: two" in progress and "two took " in progress
    page = (out / "index.html").read_text()
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert hash_of(script) in page.partition("<title>")[0]
    for text in (
        "<h2>Someone 2020</h2>",
        '<a href="one/report.html">What is x times n?</a>',
        '<a href="two/report.html">How long is a word?</a>',
        "The largest is 6; 6 steps.",
        "1 published number: 1 predicted.",
        "The article.",
        '<img alt="x·n" src="data:image/svg+xml;base64,',
        "Skipped, because it measures this computer: weir lab run three.",
        "2 of 3 labs ran without errors; skipped: three.",
        "Repeat it with: weir lab run all --quick.",
    ):
        assert text in page, text
    assert page.index("Someone 2020") < page.index("Labs of no single publication") < page.index("two/report")
    assert (out / "two" / "report.html").is_file() and not (out / "three").exists()
    # The same command gives the same bytes, and progress only if it is wanted.
    assert call(out, "--quiet")[2] == "" and (out / "index.html").read_text() == page


def test_a_lab_that_fails_does_not_lose_the_others(labs: Labs, call: Call, tmp_path: Path) -> None:
    report = labs.add("bad-report") / "report" / "__init__.py"
    report.write_text("def product(tables, plots):\n    return 1 / 0\n\nwords = product\n")
    module = labs.add("bad-run") / "experiments.py"
    module.write_text(module.read_text().replace('if word == "c"', 'if word == "a"'))
    (labs.add("broken") / "lab.py").write_text("raise OSError('no such device')\n")
    labs.add("fine")
    labs.unusable["twice"] = 'the lab "twice" is offered 2 times'
    code, text, errors = call(tmp_path / "out", "--quiet")
    assert code == 1 and "fine: The largest is 6" in text
    page = (tmp_path / "out" / "index.html").read_text()
    for wrong in (
        "no report of product: ZeroDivisionError",
        "words: ValueError: c is not a word",
        "OSError: no such device",
        "is offered 2 times",
    ):
        assert wrong in errors
        assert f"{wrong}".replace('"', "&#34;") in page
    assert "1 of 5 labs ran without errors; failed: bad-report, bad-run, broken, twice." in page
    # A lab of which only some runs failed has a report.
    assert '<a href="bad-run/report.html">' in page and '<a href="fine/report.html">' in page


@pytest.mark.parametrize(
    "option", [["--only", "x"], ["--set", "x=1"], ["--switch", "a"], ["--world", "linux"]]
)
def test_options_for_one_lab_are_refused(labs: Labs, call: Call, tmp_path: Path, option: list[str]) -> None:
    labs.add("fine")
    code, _, errors = call(tmp_path / "out", *option)
    assert code == 2 and f"{option[0]} is for one lab" in errors and not (tmp_path / "out").exists()


def test_files_of_others_stay(labs: Labs, tmp_path: Path) -> None:
    labs.add("fine")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "index.html").write_text("mine")
    with pytest.raises(FileError, match="contains other files"):
        run_all_labs(tmp_path / "out", workers=1)
    assert (tmp_path / "out" / "index.html").read_text() == "mine"
