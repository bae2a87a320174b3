"""Labs in general: to run, resume, change and copy them, and refused arguments."""

from __future__ import annotations

import hashlib
import html
import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

from weir.cli.app import app
from weir.errors import CommandError, FileError, WeirError
from weir.experiments import Experiment
from weir.experiments.parameters import Space, as_text
from weir.files.sealed import Kind, sealed
from weir.lab import copy_lab, lab_folders, lab_title, load_lab, run_lab
from weir.lab.in_folder import InFolder
from weir.lab.page import write_page
from weir.lab.values import read_values

TINY = Path(__file__).parent / "tiny"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A copy of the small lab, to change."""
    copy_lab(str(TINY), tmp_path / "tiny")
    return tmp_path / "tiny"


def digests(out: Path) -> dict[str, str]:
    files = (path for path in out.rglob("*") if path.is_file())
    return {str(file.relative_to(out)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def run(lab: Path, out: Path, **options: object) -> dict[str, str]:
    outcome = run_lab(str(lab), out, **{"workers": 1, **options})  # type: ignore[arg-type]
    assert not outcome.failures
    return {name: found.answer for name, found in outcome.findings.items()}


def test_all_parts_are_in_the_report(tmp_path: Path) -> None:
    outcome = run(TINY, tmp_path / "out")
    assert outcome == {"product": "The largest is 12; 24 steps.", "words": "2 words."}
    page = (tmp_path / "out" / "report.html").read_text()
    assert all(answer in page for answer in outcome.values()) and "<td>12</td>" in page
    assert (tmp_path / "out" / "plots" / "product.svg").is_file()


def test_the_same_command_gives_the_same_bytes(tmp_path: Path) -> None:
    run(TINY, tmp_path / "one")
    run(TINY, tmp_path / "two")
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    again = digests(tmp_path / "one")
    run(TINY, tmp_path / "one")
    assert digests(tmp_path / "one") == again


def test_worker_processes_run_a_copied_lab(tiny: Path, tmp_path: Path) -> None:
    (tiny / "numbers.py").write_text("FACTOR = 10\n")
    outcome = run_lab(str(tiny), tmp_path / "out", workers=2)
    assert outcome.findings["product"].answer.startswith("The largest is 120;")


def test_worker_processes_run_modules_with_anything_in_them(tiny: Path, tmp_path: Path) -> None:
    (tiny / "numbers.py").write_text(
        "import functools, struct, threading\n"
        "LOCK, _FORMAT = threading.Lock(), struct.Struct('!I')\n"
        "@functools.cache\n"
        "def factor():\n"
        "    with LOCK:\n"
        "        return _FORMAT.unpack(_FORMAT.pack(100))[0]\n"
        "FACTOR = 1\n"
    )
    module = tiny / "experiments.py"
    text = module.read_text().replace("import FACTOR", "import factor").replace("FACTOR *", "factor() *")
    module.write_text(text)
    outcome = run_lab(str(tiny), tmp_path / "out", workers=2)
    assert not outcome.failures
    assert outcome.findings["product"].answer.startswith("The largest is 1200;")


@pytest.mark.slow
def test_worker_processes_run_copies_of_all_labs(tmp_path: Path) -> None:
    runs: dict[str, tuple[InFolder, dict[str, object]]] = {}
    for name in lab_folders():
        mine = tmp_path / name
        copy_lab(name, mine)
        lab = load_lab(str(mine))
        # tests/real runs the parts for real hosts.
        for part in lab.parts:
            experiment = part.experiment.replaced(**part.quick)
            point = {key: values[0] for key, values in experiment.space.grid.items()}
            if experiment._takes_seed:
                point["seed"] = 1
            function = InFolder(mine, None, part.name, experiment.function)
            runs[f"{name} {part.name}"] = (function, point)

    # It is sent as code; the functions of the labs are sent as the names of their folders and
    # parts.
    def run(part: str) -> object:
        function, point = runs[part]
        return function(**point)

    # All use one pool, because most of the time goes to the start of worker processes.
    result = Experiment(run, Space({"part": list(runs)}, [], [], None), 1).run(workers=2)
    assert len(result.records) == len(runs) and not result.failures, result.failures


def test_quick_sizes_and_values(tmp_path: Path) -> None:
    assert run(TINY, tmp_path / "a", quick=True)["product"] == "The largest is 6; 6 steps."
    outcome = run(TINY, tmp_path / "b", values={"x": ["7"]}, seeds=1, only=["product"])
    assert outcome == {"product": "The largest is 28; 4 steps."}


def test_parts_run_one_after_the_other_into_one_report(tmp_path: Path) -> None:
    assert list(run(TINY, tmp_path / "out", only=["words"])) == ["words"]
    assert list(run(TINY, tmp_path / "out", only=["product"])) == ["product", "words"]


def test_finished_runs_stay_and_changed_settings_start_again(tiny: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(tiny, out)
    record = next((out / "product" / "runs").glob("*.json"))
    written, when = record.read_bytes(), record.stat().st_mtime_ns
    run(tiny, out)
    assert record.stat().st_mtime_ns == when
    # A damaged record is not believed.
    record.write_text(record.read_text().replace("4", "8"))
    run(tiny, out)
    assert record.read_bytes() == written


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"quick": True}, "they have full sizes"),
        ({"values": {"x": ["7"]}}, "they have no values of --set"),
        ({"seed": 2}, "they have the master seed 1"),
        ({"seeds": 1}, "they have the declared number of seeds"),
        ({"computer": "bmv2-two-processors"}, "they have no --computer"),
        ({"changed": True}, "the lab's files have changed"),
    ],
)
def test_results_of_other_settings_are_refused(
    tiny: Path, tmp_path: Path, options: dict[str, object], reason: str
) -> None:
    out = tmp_path / "out"
    run(tiny, out)
    if options.pop("changed", False):
        (tiny / "numbers.py").write_text("FACTOR = 2\n")
    before = digests(out)
    with pytest.raises(FileError, match=f"contains earlier results, and {reason}.* --out, or .* --fresh"):
        run(tiny, out, **options)
    with pytest.raises(FileError, match=r"contains earlier results of words, and .* leave out --only"):
        run(tiny, out, only=["product"], fresh=True, **options)
    assert digests(out) == before
    run(tiny, out, fresh=True, **options)
    assert digests(out) != before


def test_fresh_removes_only_the_named_experiments(tiny: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(tiny, out)
    files = [next((out / part / "runs").glob("*.json")) for part in ("product", "words")]
    before = [file.stat().st_mtime_ns for file in files]
    assert list(run(tiny, out, only=["product"], fresh=True)) == ["product", "words"]
    after = [file.stat().st_mtime_ns for file in files]
    assert after[0] != before[0] and after[1] == before[1]


def test_the_command_to_repeat_a_run_is_complete_and_quoted(tiny: Path, tmp_path: Path) -> None:
    copy = tmp_path / "my lab"
    tiny.rename(copy)
    out = tmp_path / "out"
    run(copy, out, only=["product"], values={"x": ["7"]}, seed=2, seeds=1, quick=True)
    page = html.unescape((out / "report.html").read_text())
    options = "--only product --quick --set x=7 --seed 2 --seeds 1"
    assert f"Repeat it with: weir lab run '{copy}' {options}. The same command" in page


def test_the_report_needs_only_the_results(tmp_path: Path) -> None:
    out, alone = tmp_path / "out", tmp_path / "alone"
    run(TINY, out)
    for file in [*out.rglob("*.parquet"), *out.rglob("*.json")]:
        target = alone / file.relative_to(out)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    write_page(load_lab(str(TINY)), alone, f"weir lab run {TINY}", quick=False, seed=1)
    assert (alone / "report.html").read_bytes() == (out / "report.html").read_bytes()


def test_points_are_means_with_intervals(tmp_path: Path) -> None:
    from weir.lab import Tables

    (tmp_path / "t").mkdir()
    pl.DataFrame(
        {"run": [0, 1, 2], "x": [1, 1, 2], "repetition": [0, 1, 0], "seed": [5, 6, 5], "v": [1.0, 3.0, 7.0]}
    ).with_columns(never=None).write_parquet(tmp_path / "t" / "runs.parquet")
    rows = Tables(tmp_path / "t").points("x").to_dicts()
    assert [(row["x"], row["n"], row["v"], row["v_min"], row["v_max"]) for row in rows] == [
        (1, 2, 2.0, 1.0, 3.0),
        (2, 1, 7.0, 7.0, 7.0),
    ]
    # Student's factor for two values is 12.706; the standard error is 1.
    assert rows[0]["v_half"] == pytest.approx(12.706, rel=1e-4) and rows[1]["v_half"] is None
    # A number that no run has: pacing's time until rates are right, for hosts that do not pace.
    assert [rows[1][f"never{what}"] for what in ("", "_min", "_max")] == [None] * 3


def test_failed_runs_are_reported(tmp_path: Path) -> None:
    outcome = run_lab(str(TINY), tmp_path / "out", workers=1, values={"word": ["a", "c"]})
    (failure,) = outcome.failures
    error, run, log = failure.splitlines()
    assert error == "words: ValueError: c is not a word"
    assert run == f"  1 run: word=c seed={_seed(tmp_path)}"
    assert "c is not a word" in Path(log.removeprefix("  log: ")).read_text()
    assert list(outcome.findings) == ["product"]
    assert "c is not a word" in outcome.report.read_text()


def _seed(tmp_path: Path) -> int:
    return int(pl.read_parquet(tmp_path / "out" / "words" / "runs.parquet")["seed"][0])


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FileError, match="contains other files: name another folder"):
        run(TINY, tmp_path)
    (tmp_path / "lab.json").write_text(json.dumps(sealed(Kind("results of a lab", 2), {"lab": "other"})))
    with pytest.raises(FileError, match=r"is not the description of .*: version is missing"):
        run(TINY, tmp_path)
    with pytest.raises(FileError, match="is a file, expected a folder"):
        run(TINY, tmp_path / "mine.txt")
    assert (tmp_path / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"only": ["prodct"]}, 'has no experiment "prodct".*product'),
        ({"values": {"y": ["1"]}}, 'no experiment has a parameter "y": there are x, n'),
        ({"values": {"x": ["one"]}}, "x=one: expected a whole number such as 1, 2"),
        ({"values": {"word": ["c"]}, "only": ["product"]}, 'no experiment has a parameter "word"'),
        ({"seeds": 0}, "seeds = 0 is out of range"),
        ({"seed": -1}, "the seed -1 is out of range"),
        ({"workers": 0}, "workers = 0 is out of range"),
    ],
)
def test_mistakes(tmp_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(WeirError, match=message):
        run(TINY, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists(), "no run has begun"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"word": ["a", "bb"]}, "word=bb: expected a, b or c"),
        ({"x": ["2", "11"]}, "x=11: expected a number from 1 to 10"),
        ({"n": ["4", "5"]}, "5 is odd"),
    ],
)
def test_a_lab_says_what_parameters_may_be(
    tiny: Path, tmp_path: Path, values: dict[str, list[str]], message: str
) -> None:
    text = (tiny / "lab.py").read_text()
    allowed = '{"word": "abc", "x": range(1, 11), "n": report.even}'
    (tiny / "lab.py").write_text(text.replace("    parts=[", f"    allowed={allowed},\n    parts=["))
    package = tiny / "report" / "__init__.py"
    even = 'def even(n):\n    if int(n) % 2:\n        raise ValueError(f"{n} is odd")\n'
    package.write_text(package.read_text() + even)
    with pytest.raises(WeirError, match=message):
        run(tiny, tmp_path / "out", values=values)
    assert not (tmp_path / "out").exists(), "no run has begun"


def test_values_are_of_the_kind_of_the_declared_ones() -> None:
    def read(declared: list[str], *given: str) -> list[object]:
        return [*read_values("x", given, declared, {})]

    assert read(["10ms"], "5us", "1s") == ["5us", "1s"]
    assert read(["unlimited", "1Mbit"], "unlimited", "5Mbit") == ["unlimited", "5Mbit"]
    assert read(["16p"], "100p", "9000B") == ["100p", "9000B"]
    assert read(["a word"], "another") == ["another"]
    for declared, wrong in (["10ms"], "5Mbit"), (["1Mbit"], "unlimited"), (["16p"], "16"):
        with pytest.raises(WeirError, match=f"x={wrong}: expected a value such as {declared[0]}"):
            read(declared, wrong)


def test_unknown_labs(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match='there is no lab "dely"; did you mean "delay"'):
        load_lab("dely")
    with pytest.raises(CommandError, match=r"is not a lab: it has no lab\.py"):
        load_lab(str(tmp_path))
    file = tmp_path / "study.py"
    file.write_text("import weir\n\n@weir.experiment(a=[1])\ndef f(a): ...\n")
    for name in (tmp_path, file):
        with pytest.raises(CommandError, match=r'did you mean "weir experiment run .*study\.py"\?'):
            load_lab(str(name))


def test_mistakes_in_a_lab_name_the_place(tiny: Path) -> None:
    (tiny / "lab.py").write_text("from weir.lab import Lba\n")
    with pytest.raises(WeirError, match=r"lab\.py:1: the lab cannot be loaded: .*Lba"):
        load_lab(str(tiny))
    (tiny / "lab.py").write_text("x = (\n")
    with pytest.raises(WeirError, match=r"lab\.py:1: the lab cannot be loaded"):
        load_lab(str(tiny))
    (tiny / "lab.py").write_text("x = 1\n")
    with pytest.raises(WeirError, match="declares no lab"):
        load_lab(str(tiny))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("return tables['runs']", r"__init__\.py:5: no report of words: TypeError: .*not subscriptable"),
        ("return 5", r"__init__\.py: the report of words is int, expected Findings\(answer, sections\)"),
        (
            "return Findings('x', ['y'])",
            r"__init__\.py: the report of words has a section that is str, expected",
        ),
    ],
)
def test_mistakes_in_a_report_name_the_place(tiny: Path, tmp_path: Path, code: str, message: str) -> None:
    (tiny / "report" / "__init__.py").write_text(
        f"from weir.lab import Findings\nproduct = None\n\ndef words(tables, plots):\n    {code}\n"
    )
    with pytest.raises(WeirError, match=message):
        run(tiny, tmp_path / "out", only=["words"])


def test_a_copy_has_a_folder_of_its_own_for_results(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tiny.rename(tmp_path / "my-tiny")
    for name in ("my-tiny", "my-tiny/", str(tmp_path / "my-tiny")):
        outcome = run_lab(name, workers=1, only=["words"])
        assert outcome.report == Path("out/my-tiny/report.html")
    monkeypatch.chdir(tmp_path / "my-tiny")
    assert run_lab(".", workers=1, only=["words"]).report == Path("out/tiny/report.html")


def test_a_file_of_a_lab_is_no_lab(tiny: Path) -> None:
    with pytest.raises(CommandError, match=r'is a file, not a lab; did you mean "weir lab run .*tiny"\?'):
        load_lab(str(tiny / "lab.py"))


@pytest.mark.parametrize("name", lab_folders())
def test_every_lab_of_weir_is_whole(name: str, tmp_path: Path) -> None:
    lab = load_lab(name)
    assert lab.name == name and lab_title(lab_folders()[name])
    for part in lab.parts:
        part.experiment.replaced(part.quick_seeds, **part.quick)
    for part in (*lab.parts, *lab.linux):
        for parameter, declared in part.experiment.space.grid.items():
            given = [as_text(value) for value in (*declared, *part.quick.get(parameter, ()))]
            assert read_values(parameter, given, declared, lab.allowed_in(part))
            # Words are checked, too: rates are numbers with slashes.
            words = any(isinstance(value, str) and not value[0].isdecimal() for value in declared)
            assert not words or parameter in lab.allowed_in(part) or parameter in ("rate", "link", "links")
    copies = copy_lab(name, tmp_path / "deep" / "mine")
    assert {"lab.py", "__init__.py"} <= {path.name for path in copies}
    assert load_lab(str(tmp_path / "deep" / "mine")).question == lab.question
    guide = Path(__file__).parents[2] / "docs" / "labs" / f"{name}.md"
    text = guide.read_text()
    assert all(f"`{part.name}`" in text for part in lab.parts)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "delay.p4").write_text("mine")
    with pytest.raises(FileError, match="is not empty"):
        copy_lab("delay", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["delay.p4"]


def test_a_world_must_fit_the_lab_and_its_parts(tmp_path: Path) -> None:
    for options, message in (
        (
            {"name": "switch-comparison", "world": "virtual"},
            "always uses real Linux hosts: leave out --world",
        ),
        ({"name": "queue-occupancy", "world": "linux", "only": ["senders"]}, "in the virtual world only"),
        ({"name": "shared-computer", "values": {"switch": ["weir"]}}, '"switch": add --world linux'),
    ):
        with pytest.raises(CommandError, match=message):
            run_lab(out=tmp_path / "out", **options)  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists(), "no run has begun"


def test_a_copy_whose_name_looks_like_an_option_can_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    copied = runner.invoke(app, ["lab", "copy", "queue-occupancy", "--", "-rf"])
    assert copied.output.endswith("weir lab run ./-rf\n")
    refused = runner.invoke(app, ["lab", "run", "./-rf", "--only", ","])
    assert refused.exit_code == 2 and "--only names no experiment" in refused.output


def test_suggested_commands_are_quoted_for_a_shell(tmp_path: Path) -> None:
    folder = tmp_path / "my study"
    folder.mkdir()
    (folder / "study.py").write_text("import weir\n\n@weir.experiment(a=[1])\ndef f(a): ...\n")
    with pytest.raises(CommandError, match=r'weir experiment run \'.*my study/study.py\'"\?'):
        load_lab(str(folder))
