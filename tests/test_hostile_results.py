"""A result from somebody else puts text into a report, and neither elements nor scripts."""

from __future__ import annotations

import base64
import copy
import hashlib
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import weir
from weir.experiments import Result
from weir.experiments.store import Store
from weir.experiments.stored import read_declaration, read_record, write_declaration, write_record
from weir.files.sealed import FileHash
from weir.topology import shapes

EVIL = "</title></style></script></svg>'\"><script>steal()</script><img src=x onerror=steal()>&lt;\x1b[31m"

ELEMENTS = {
    *[
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "main",
        "nav",
        "details",
        "summary",
        "ol",
        "li",
        "a",
        "h1",
        "h2",
        "p",
        "dl",
        "div",
        "dt",
        "dd",
        "section",
    ],
    *[
        "figure",
        "img",
        "figcaption",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "ul",
        "footer",
        "script",
    ],
    *["svg", "g", "path", "rect", "text"],
}


@weir.experiment(x=["a", "b"], z=[1, 2])
def study(x: str, z: int, seed: int) -> dict[str, object]:
    """How?

    In detail.
    """
    with weir.Network(shapes.dumbbell(1), seed=seed) as net:
        if x == "b" and z == 2:
            raise ValueError("no")
        rtt = net.host("h1").ping("h2", count=3).rtts
    return {"rtt": rtt.mean, "word": x, "series": rtt}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "result"
    study.run(out=folder, seeds=2, workers=1, progress=False, warn=False)
    return folder


class Reader(HTMLParser):
    """The elements, attributes and scripts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.scripts: list[str] = []
        self.policy = ""
        self._in_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self._in_script = tag == "script"
        attributes = dict(attrs)
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"] or ""

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False


def check_page(path: Path) -> Reader:
    text = path.read_text(encoding="utf-8")
    read = Reader()
    read.feed(text)
    assert read.elements <= ELEMENTS, read.elements - ELEMENTS
    for name, value in read.attributes:
        assert not name.startswith("on"), name
        if name in ("src", "href"):
            assert value.startswith(("data:image/svg+xml;base64,", "#")), value
    (script,) = read.scripts
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert read.policy == (
        f"default-src 'none'; script-src 'sha256-{hashed}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    # The policy comes before everything that it must stop.
    assert text.index("Content-Security-Policy") < text.index("<title>") < text.index("<script>")
    for value in re.findall(r"data:image/svg\+xml;base64,([^\"]*)", text):
        picture = base64.b64decode(value).decode()
        assert "<script>steal" not in picture and "<img" not in picture
    return read


def test_a_report_has_a_policy(whole: Path, tmp_path: Path) -> None:
    read = check_page(Result.load(whole).report(tmp_path / "report.html"))
    assert "svg" in read.elements


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of texts, and of keys whose names are free."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, one in value.items():
            yield (*path, key, "key")
            yield from leaves(one, (*path, key))
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from leaves(one, (*path, number))


def changed(value: Any, path: tuple[Any, ...], evil: str) -> Any:
    """The value with another text at a place."""
    copied = copy.deepcopy(value)
    at = copied
    *way, last = path
    if last == "key":
        *way, key = way
        for step in way:
            at = at[step]
        items = [(evil if name == key else name, one) for name, one in at.items()]
        at.clear()
        at.update(items)
        return copied
    if not way and not path:
        return evil
    for step in way:
        at = at[step]
    at[last] = evil
    return copied


def sealed_again(folder: Path, declaration: dict[str, Any]) -> None:
    """Writes matching hashes, as the author of the files could."""
    files = {name: FileHash.of(folder / name).json() for name in declaration["files"]}
    write_declaration(folder / "experiment.json", {**declaration, "files": files})


def reported(folder: Path, tmp_path: Path) -> bool:
    """Whether a report can be written, which is then checked; else the result is refused."""
    try:
        path = Result.load(folder).report(tmp_path / "report.html")
    except weir.WeirError as error:
        assert "\x1b" not in str(error) and len(str(error)) < 3000
        return False
    check_page(path)
    return True


@pytest.fixture
def without_plots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plots take a second each; one test has them."""
    for name in ("plots_of_means", "plots_of_series"):
        monkeypatch.setattr(f"weir.experiments.report.{name}", lambda *_: ([], []))


def test_plots_of_hostile_texts(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "EVIL", "--><script>steal()</script>")
    folder = Path(shutil.copytree(whole, tmp_path / "result"))
    declaration = read_declaration(folder / "experiment.json")
    values = {EVIL: ["a", EVIL], "z": [1, 2]}
    for key in declaration["runs"]:
        path = folder / "runs" / f"{key}.json"
        record = read_record(path)
        x, z = record["parameters"]["x"], record["parameters"]["z"]
        record["parameters"] = {EVIL: EVIL if x == "b" else x, "z": z}
        record["scalars"] = {f"{name}{EVIL}": value for name, value in record["scalars"].items()}
        record["series"] = {f"{name}{EVIL}": [EVIL, *rest] for name, (_, *rest) in record["series"].items()}
        write_record(path, record)
    sealed_again(folder, {**declaration, "names": [EVIL, "z"], "values": values})
    assert reported(folder, tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert page.count("data:image/svg+xml") >= 2 and "steal()" in page


@pytest.mark.usefixtures("without_plots")
def test_hostile_texts_in_the_description(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "result"))
    declaration = read_declaration(folder / "experiment.json")
    reports = 0
    for path in leaves(declaration):
        if path[0] in ("files", "runs"):
            continue
        try:
            write_declaration(folder / "experiment.json", changed(declaration, path, EVIL))
        except TypeError:
            continue
        reports += reported(folder, tmp_path)
    assert reports >= 7


@pytest.mark.usefixtures("without_plots")
def test_hostile_texts_in_runs(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "result"))
    declaration = read_declaration(folder / "experiment.json")
    keys = declaration["runs"]
    records = {key: read_record(folder / "runs" / f"{key}.json") for key in keys}
    first = keys[0]
    failed = next(key for key in keys if records[key]["error"] is not None)
    reports = 0
    for key in (first, failed):
        for path in leaves(records[key]):
            write_record(folder / "runs" / f"{key}.json", changed(records[key], path, EVIL))
            sealed_again(folder, declaration)
            reports += reported(folder, tmp_path)
        write_record(folder / "runs" / f"{key}.json", records[key])
    assert reports >= 12


@pytest.mark.parametrize(
    "drawing",
    [
        EVIL,
        f"<svg>{EVIL}</svg>",
        [],
        {"hosts": {}, "switches": {}},
        {"hosts": {}, "switches": {}, "links": [["h1", "s1", "", "", "", True]]},
        {"hosts": {"h1": ""}, "switches": {"h1": ""}, "links": []},
        {"hosts": {"h1": 1}, "switches": {}, "links": []},
        {"hosts": {"h1": ""}, "switches": {"s1": ""}, "links": [["h1", "s1", 1, "", "", True]]},
        {"hosts": {}, "switches": {f"s{n}": "" for n in range(101)}, "links": []},
    ],
)
def test_drawings_that_are_no_network_are_refused(drawing: object, whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "result"))
    declaration = read_declaration(folder / "experiment.json")
    path = folder / "runs" / f"{declaration['runs'][0]}.json"
    write_record(path, {**read_record(path), "drawing": drawing})
    sealed_again(folder, declaration)
    with pytest.raises(weir.ExperimentError, match="drawing is missing or has the wrong type"):
        Result.load(folder)


@pytest.mark.usefixtures("without_plots")
def test_the_command_to_repeat_is_safe_to_copy(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "result"))
    declaration = read_declaration(folder / "experiment.json")
    evil = "x; touch owned #"
    write_declaration(
        folder / "experiment.json",
        {**declaration, "experiment": evil, "file": "$(touch owned).py", "only": {"x": ["`touch owned`"]}},
    )
    text = Result.load(folder).report(tmp_path / "report.html").read_text()
    expected = "weir experiment run '$(touch owned).py:x; touch owned #' --seed=1 --seeds=2 '--only=x=`touch owned`'."
    assert expected in text.replace("&#39;", "'")


def test_notebooks_show_hostile_texts(whole: Path) -> None:
    declaration = read_declaration(whole / "experiment.json")
    records = Store(whole).records()
    evil = Result({**declaration, "experiment": EVIL, "question": EVIL}, records, None)
    for record in evil.records:
        record["error"] = EVIL
    page = evil._repr_html_()
    assert "<script" not in page and "<img src=x" not in page
