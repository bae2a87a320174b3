"""What the delay lab writes, from a bench that needs no network."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
from matplotlib import image
from rich.console import Console

from weir.errors import FileError, WeirError
from weir.labs import LABS, Options, Outcome
from weir.labs.delay import lab
from weir.labs.delay.cells import DATA_BYTES, Cell
from weir.labs.delay.profiles import PROFILES, Machine
from weir.labs.delay.theory import Theory, wire_bytes
from weir.measure import PingReply, PingResult
from weir.report import COLOURS

PLOTS = (
    "rtt-by-rate",
    "rtt-overview",
    "rtt-published",
    *(f"rtt-{r}" for r in ("unlimited", "1Gbit", "1Mbit", "100kbit", "10kbit")),
)


PASS_NS = 340_000
PROCESSING_NS = 300_000


class TheoreticalBench:
    """Answers every ping after the theoretical round trip; the last of each cell 30 us later."""

    pass_ns = PASS_NS
    processing_ns = PROCESSING_NS

    def __init__(self, machine: Machine, executor: str | None = None) -> None:
        self._theory = Theory(PASS_NS, PROCESSING_NS, wire_bytes(DATA_BYTES))

    def ping(self, cell: Cell, expected_ms: float, captures: Path | None) -> PingResult:
        rtt = round(1e6 * self._theory.rtt_ms(cell.recirculations, cell.rate_bps))
        if captures is not None:
            captures.mkdir(parents=True)
            (captures / "h1-s1.pcapng").write_bytes(b"packets")
        times = [number * cell.interval_ms * 1_000_000 for number in range(cell.pings)]
        rtts = [rtt] * (cell.pings - 1) + [rtt + 30_000]
        replies = [
            PingReply(seq, at, rtt, 63, 1208)
            for seq, (at, rtt) in enumerate(zip(times, rtts, strict=True), 1)
        ]
        return PingResult("h1", "h2", "10.0.2.2", DATA_BYTES, replies)


def run(out: Path, **options: object) -> tuple[Outcome, str]:
    text = io.StringIO()
    given = Options(out=out, console=Console(file=text, width=40), quiet=True, **options)  # type: ignore[arg-type]
    return LABS["delay"].run(given), text.getvalue()


@pytest.fixture(scope="module", autouse=True)
def theoretical() -> Iterator[None]:
    """The delay lab without a network."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lab, "Bench", TheoreticalBench)
        yield


@pytest.fixture(scope="module")
def result(theoretical: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    outcome, text = run(tmp_path_factory.mktemp("run") / "delay", quick=True, profile="bmv2-vm")
    return outcome.out, text


def test_summary_has_the_promised_shape(result: tuple[Path, str]) -> None:
    summary = json.loads((result[0] / "summary.json").read_text())
    assert summary["lab"] == "delay"
    assert summary["seed"] == 1
    assert len(summary["cells"]) == 25
    for cell in summary["cells"]:
        assert {"recirculations", "rate_bps", "sent", "received"} < set(cell)
        assert cell["sent"] == cell["received"] == 40
        assert cell["rtt_min_ms"] <= cell["rtt_avg_ms"] <= cell["rtt_max_ms"]
        assert cell["rtt_theory_ms"] == pytest.approx(cell["rtt_min_ms"], abs=1e-6)
    assert [fit["rate_bps"] for fit in summary["fits"]] == [None, 10**9, 10**6, 10**5, 10**4]
    for fit in summary["fits"]:
        assert fit["b_ms"] == pytest.approx(0.68)
        assert 0.9999 < fit["r2"] <= 1
    # The mean of 39 pings as theory says and one 30 us late.
    assert summary["fits"][0]["a_ms"] == pytest.approx(0.98 + 0.030 / 40)


def test_results_have_a_row_for_each_ping(result: tuple[Path, str]) -> None:
    rows = list(csv.DictReader((result[0] / "results.csv").read_text().splitlines()))
    assert len(rows) == 25 * 40
    assert rows[0] == {
        "recirculations": "0", "rate_bps": "", "seq": "1", "time_s": "0.000000000", "rtt_ms": "0.980000", "ttl": "63"
    }  # fmt: skip
    frame = pl.read_parquet(result[0] / "results.parquet")
    assert frame.height == 25 * 40
    assert frame["rtt_ms"].to_list() == pytest.approx([float(row["rtt_ms"]) for row in rows])
    assert frame.filter(pl.col("rate_bps").is_null()).height == 5 * 40


@pytest.mark.parametrize("name", PLOTS)
def test_plots_show_something(result: tuple[Path, str], name: str) -> None:
    pixels = image.imread(result[0] / f"{name}.png")
    height, width = pixels.shape[:2]
    assert width > 800
    assert height > 500
    inked = (pixels[:, :, :3].min(axis=2) < 0.8).mean()
    assert 0.01 < inked < 0.3
    svg = (result[0] / f"{name}.svg").read_text()
    assert svg.count("<path") > 20
    assert "<dc:date>" not in svg


class References(HTMLParser):
    """All that a page refers to, and all text in it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.found += [
            value or "" for name, value in attrs if name in ("src", "href", "srcset", "data", "poster")
        ]


def test_report_holds_all_it_shows(result: tuple[Path, str]) -> None:
    text = (result[0] / "report.html").read_text()
    page = References()
    page.feed(text)
    assert page.tags.count("img") == len(page.found) == len(PLOTS)
    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    assert not re.search(r"https?://|url\(|@import", text)
    for source in page.found:
        assert source.startswith("data:image/svg+xml;base64,")
        picture = base64.b64decode(source.partition(",")[2], validate=True).decode()
        assert picture.startswith("<?xml")
        assert not re.findall(r"href=\"(?!#)", picture)


def test_report_content(result: tuple[Path, str]) -> None:
    text = (result[0] / "report.html").read_text()
    assert "0.98075 ms + 0.68 ms" in text
    assert "The configured times predict 0.98 ms + 0.68 ms" in text
    assert "Round trips vary from ping to ping in 25 of 25 cells." in text
    assert "thesis, virtual machine, unlimited" in text
    assert "1242" in text
    assert "1228" in text
    assert "1.1 round trips" in text
    assert "weir lab run delay --quick --seed 1 --profile bmv2-vm" in text


def test_the_report_compares_with_the_published_numbers(result: tuple[Path, str]) -> None:
    text = (result[0] / "report.html").read_text()
    assert "Farhad Fathi, Delay Control with Programmable Data Planes" in text
    assert "The thesis published 0.98 ms + 0.68 ms · X on its virtual machine." in text
    # 1 Mbit/s, X = 1: 40.724 ms of theory at X = 0, 0.68 ms more; the thesis measured 42.63 ms.
    row = r"1 Mbit/s</td>\s*<td>1</td>\s*<td[^>]*>41\.404</td>\s*<td>42\.63</td>\s*<td>−1\.226 ms \(−2\.9\u00a0%\)"
    assert re.search(row, text)
    assert "<svg" in text and "h1: 10.0.1.1/24" in text


def test_the_report_has_a_dark_form(result: tuple[Path, str]) -> None:
    text = (result[0] / "report.html").read_text()
    assert "prefers-color-scheme: dark" in text and "@media print" in text
    page = References()
    page.feed(text)
    for source in page.found:
        picture = base64.b64decode(source.partition(",")[2]).decode()
        assert "prefers-color-scheme:dark" in picture
        for colour in COLOURS.values():
            assert f"fill: {colour}" not in picture and f"stroke: {colour}" not in picture
        assert set(re.findall(r"var\((--\w+)\)", picture)) <= set(re.findall(r"(--\w+):#", picture))
    # Files of their own stay readable for programs that know no variables.
    assert "var(" not in (result[0] / "rtt-overview.svg").read_text()


def test_tables_are_not_truncated(result: tuple[Path, str]) -> None:
    lines = result[1].splitlines()
    assert lines[0].split()[:4] == ["X", "link", "rate", "sent"]
    assert lines[25].split() == [
        "15", "10", "kbit/s", "40", "40", "3985.580000", "3985.580750", "3985.610000", "3985.580000"
    ]  # fmt: skip
    assert lines[-1] == f"report: {result[0] / 'report.html'}"


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    def digests(out: Path) -> dict[str, str]:
        run(out, quick=True, seed=7)
        files = (path for path in out.rglob("*") if path.is_file())
        return {str(f.relative_to(out)): hashlib.sha256(f.read_bytes()).hexdigest() for f in files}

    first, second = digests(tmp_path / "a"), digests(tmp_path / "b")
    assert first == second
    assert {f"{name}.png" for name in PLOTS} < set(first)


def test_the_default_profile_shows_both_machines(tmp_path: Path) -> None:
    outcome, _ = run(tmp_path / "out", quick=True)
    text = outcome.report.read_text()
    assert "thesis, virtual machine, unlimited" in text
    assert "thesis, server, unlimited" in text


def test_profiles_are_registered() -> None:
    assert tuple(PROFILES) == LABS["delay"].profiles


def test_an_unknown_profile_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WeirError, match=r'no profile "bmv2".*did you mean "bmv2-vm"'):
        run(tmp_path / "out", profile="bmv2")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seed", [-1, 1 << 63])
def test_a_seed_out_of_range_is_refused(tmp_path: Path, seed: int) -> None:
    with pytest.raises(WeirError, match=f"the seed {seed} is out of range"):
        run(tmp_path / "out", seed=seed)


def test_bad_output_folders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab, "_measure", lambda *_, **__: pytest.fail("it has run"))
    (tmp_path / "out").write_text("")
    with pytest.raises(FileError, match="is a file"):
        run(tmp_path / "out")


def test_progress_in_a_pipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    LABS["delay"].run(Options(out=tmp_path / "out", quick=True))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "delay: 5 of 25: links unlimited, 15 recirculations"
    assert lines[-1] == "delay: 25 of 25: links 10 kbit/s, 15 recirculations"
    assert len(lines) == 5
