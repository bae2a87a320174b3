"""Mistakes in experiments: each names its place and the right name."""

import os
import sys

import polars as pl
import pytest

import needed
import weir
from command import weir as command
from experiment_file import FILE, load
from weir.errors import ExperimentError, FileError
from weir.experiments import Result, compare


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "study.py"
    path.write_text(FILE)
    return path


def declared(**parameters):
    return lambda: weir.experiment(**parameters)(lambda a, seed=0: 1)


def good():
    return weir.experiment(rate=["1Mbit", "10Mbit"], n=[1, 2])(
        lambda rate, n, seed=0: {"rtt_ms": n, "name": "x"}
    )


def generating(a):
    yield a


async def waiting(a):
    return a


def returning(value):
    return weir.experiment(a=[1])(lambda a: value).run(workers=1, warn=False).failures[0]["error"]


@pytest.mark.parametrize(
    ("call", "message", "suggestion"),
    [
        (declared(a=[]), "the parameter a has no values", None),
        (declared(a="1Mbit"), "the parameter a needs a list of values, such as a=['1Mbit']", None),
        (declared(a=5), "the parameter a needs a list of values, such as a=[5]", None),
        (declared(a=[1, 1]), "the parameter a has the value 1 twice", None),
        (declared(a=[1, "x"]), "the values of a are of different kinds", None),
        (declared(a=[True, 2]), "the values of a are of different kinds", None),
        (declared(a=[None]), "a[0] = None: expected a text, a number or a boolean", None),
        (declared(a=[1.0, float("nan")]), "a[1] = nan: expected a text, a number or a boolean", None),
        (declared(a=[[1]]), "a[0] = [1]: expected a text, a number or a boolean", None),
        (declared(b=[1]), '<lambda> has no parameter "b", which the experiment declares', None),
        (declared(aa=[1]), '<lambda> has no parameter "aa"', None),
        (declared(a=[1], seeds=0), "seeds = 0 is out of range", None),
        (declared(a=[1], seeds="3"), "seeds = '3' is out of range", None),
        (declared(a=[1], seeds=2.5), "seeds = 2.5 is out of range", None),
        (declared(a=[1], seed=[1]), '"seed" is not a parameter', None),
        (declared(run=[1]), 'the parameter "run" has the name of a column of results: rename it', None),
        (declared(unit=[1]), 'the parameter "unit" has the name of a column of results', None),
        (lambda: weir.experiment(a=[1])(lambda a, b: 1), '<lambda> needs the parameter "b"', None),
        (lambda: weir.experiment(a=[1], seeds=2)(lambda a: 1), "has 2 seeds but no parameter seed", None),
        (lambda: weir.experiment(lambda a: 1), "not @weir.experiment alone", None),
        (lambda: weir.experiment({"a": [1]})(lambda a: 1), "expected parameters by name", None),
        (lambda: weir.experiment(a=[1])(generating), "generating is a generator: expected a function", None),
        (lambda: weir.experiment(a=[1])(waiting), "waiting is async: expected a function", None),
        (lambda: weir.zipped(a=[1, 2], b=[1]), "the same number of values: a has 2, b has 1", None),
        (lambda: weir.zipped(), "the same number of values: there is none", None),
        (lambda: weir.zipped(a="xy"), "the parameter a needs a list of values", None),
        (lambda: weir.when({}, a=[1]), "when() needs a condition first", None),
        (lambda: weir.when("q", a=[1]), "when() needs a condition first", None),
        (lambda: weir.when({"q": 1}), "has a condition but no parameters", None),
        (
            lambda: weir.experiment(weir.when({"que": 1}, a=[1]), queue=[1]),
            '"que", which is not declared',
            "queue",
        ),
        (
            lambda: weir.experiment(weir.when({"q": "codell"}, a=[1]), q=["codel"]),
            "has no value codell",
            "codel",
        ),
        (lambda: weir.experiment(weir.zipped(a=[1]), a=[2]), 'the parameter "a" is declared twice', None),
        (
            lambda: weir.experiment(weir.when({"q": 1}, t=[1]), q=[1])(lambda q, t: 1),
            'needs a default for "t"',
            None,
        ),
        (lambda: good().run(only={"rat": "1Mbit"}), 'there is no parameter "rat"', "rate"),
        (lambda: good().run(only={"rate": "1Mbi"}), "has no value 1Mbi", "1Mbit"),
        (lambda: good().run(only={"n": 3}), "has no value 3", None),
        (lambda: good().run(seeds=0), "seeds = 0 is out of range", None),
        (lambda: good().run(workers=0), "workers = 0 is out of range", None),
        (lambda: good().run(workers=True), "workers = True is out of range", None),
        (lambda: good().run(seed=-1), "the seed -1 is out of range", None),
        (lambda: good().run(seed="x"), "the seed 'x' is out of range", None),
        (
            lambda: weir.experiment(a=[1], where=lambda a: False)(lambda a: 1).run(),
            "has no points to run",
            None,
        ),
        (lambda: good().run(on="localhost"), '"localhost" is not an address of a Dask scheduler', None),
        (
            lambda: good().run(on="tcp://127.0.0.1:1"),
            "the Dask scheduler tcp://127.0.0.1:1 cannot be reached",
            None,
        ),
        (lambda: good().run(workers=1).plot(x="rats"), 'there is no parameter "rats"', "rate"),
        (lambda: good().run(workers=1).plot(y="rtt"), 'there is no measurement "rtt"', "rtt_ms"),
        (
            lambda: weir.experiment(a=[1, 2])(lambda a: a.b).run(workers=1, warn=False).plot(y="b"),
            "all runs failed: AttributeError: 'int' object has no attribute 'b'",
            None,
        ),
        (lambda: good().run(workers=1).plot(y="name"), 'there is no measurement "name" with numbers', None),
        (lambda: good().run(workers=1).plot(hue="raet"), 'there is no parameter "raet"', "rate"),
        (lambda: good().run(workers=1).plot(kind="lines"), 'there is no kind of plot "lines"', "line"),
        (
            lambda: good().run(workers=1).plot(kind="time"),
            'there are no series: return some from the function, such as {"throughput": flow.throughput}',
            None,
        ),
        (lambda: good().run(workers=1).plot(kind="gantt"), "there are no series: return some", None),
        (
            lambda: weir.experiment(a=[1, 2])(lambda a: {"name": "x"}).run(workers=1).plot(),
            "there are no measurements with numbers: return some",
            None,
        ),
        (
            lambda: weir.experiment(a=[1, 2])(lambda a: {"name": "x"}).run(workers=1).plot(kind="cdf"),
            "there are no series: return some",
            None,
        ),
        (lambda: good().run(workers=1).estimates("rtt_m"), 'there is no measurement "rtt_m"', "rtt_ms"),
        (lambda: good().run(workers=1).report(), "the result has no folder", None),
        (lambda: compare("/nowhere", "/nowhere"), "has no results of an experiment", None),
        (lambda: Result.load("/nowhere"), "has no results of an experiment", None),
    ],
)
def test_mistakes(call, message, suggestion):
    with pytest.raises(ExperimentError) as caught:
        call()
    assert message in str(caught.value)
    if suggestion is not None:
        assert caught.value.suggestion == suggestion


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "the function returned NoneType None: expected a dictionary"),
        ([1, 2], "the function returned list [1, 2]: expected a dictionary"),
        ({1: 2}, "the function returned the name 1: expected a text"),
        ({"b": object}, 'the measurement "b" is type'),
        ({"b": 1j}, 'the measurement "b" is complex'),
        ({"a": 1}, 'the measurement "a" has the name of a column of all results'),
        ({"error": 1}, 'the measurement "error" has the name of a column of all results'),
        ({"../b": pl.DataFrame({"x": [1]})}, "the measurement '../b' is stored in a file of that name"),
        (
            {"b": pl.DataFrame({"a": [1]})},
            'the data frame "b" has the column "a", which is the name of a parameter: rename the column, '
            'such as with .rename({"a": "own_a"})',
        ),
        (
            {"b": pl.DataFrame({"seed": [1]})},
            'the column "seed", which is the name of a column of all results',
        ),
        ({"é" * 101: pl.DataFrame({"x": [1]})}, "is stored in a file of that name"),
        ({"\udc80": 1}, "the function returned the name '\\udc80', which is not UTF-8"),
        ({"b": "\udc80"}, "the measurement \"b\" is '\\udc80', which is not UTF-8"),
        ({"b": 2**70}, "expected less than 2**63"),
    ],
)
def test_wrong_results_of_a_function_are_refused(value, message):
    assert message in returning(value)


def test_a_parameter_that_is_not_text():
    with pytest.raises(weir.ExperimentError, match=r"x\[1\] = '\\udc80': the text is not UTF-8"):
        weir.experiment(x=["a", "\udc80"])(lambda x: {"y": 1})


def test_a_report_is_html(file, tmp_path):
    result = load(file, "noisy").run(workers=1)
    with pytest.raises(
        FileError, match=r"report\.pdf: a report is HTML: expected a name that ends in \.html"
    ):
        result.report(tmp_path / "report.pdf")


def test_a_file_that_was_just_changed_is_read_again(file, monkeypatch):
    """Python's own cache would give the old module: the file's size and time are the same."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert load(file, "failing").function(1, 1) == {"double": 2}
    times = file.stat()
    file.write_text(FILE.replace("2 * x", "3 * x"))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert load(file, "failing").function(1, 1) == {"double": 3}


def test_folders_of_other_experiments_and_functions(file, tmp_path):
    out = tmp_path / "out"
    load(file, "failing").run(out=out, workers=1, warn=False)
    with pytest.raises(ExperimentError, match='contains results of the experiment "failing"'):
        load(file, "dying").run(out=out, workers=1)
    file.write_text(FILE.replace("2 * x", "3 * x"))
    with pytest.raises(ExperimentError, match="the function has changed"):
        load(file, "failing").run(out=out, workers=1)
    again = load(file, "failing").run(out=out, workers=1, fresh=True, warn=False)
    assert again.runs["double"].to_list()[-1] == 9
    with pytest.raises(ExperimentError, match="they have the master seed 1"):
        load(file, "failing").run(out=out, workers=1, seed=2)
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    with pytest.raises(ExperimentError, match=r"there is no file experiment\.json"):
        load(file, "failing").run(out=other, workers=1)
    assert (other / "notes.txt").read_text() == "mine"
    with pytest.raises(FileError, match="is a file"):
        load(file, "failing").run(out=file, workers=1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nowhere.py"], "nowhere.py: no such file"),
        (["run", "stduy.py"], 'stduy.py: no such file; did you mean "study.py"?'),
        (["run", "."], '.: is a folder, expected a Python file with an experiment; did you mean "study.py"?'),
        (["run", "study.py"], "has several experiments: name one with FILE.py:NAME"),
        (["run", "study.py:nosy"], 'did you mean "noisy"?'),
        (["run", "study.py:noisy", "--only", "rate"], "expected NAME=VALUE"),
        (["run", "study.py:noisy", "--only", "rate="], "there is no value after ="),
        (["run", "empty.py"], "declares no experiment"),
        (["diff", "a", "b"], "a: has no results of an experiment"),
        (["report", "a"], "a: has no results of an experiment"),
        (["rn", "study.py"], 'Did you mean "run"?'),
    ],
)
def test_mistakes_on_the_command_line(file, tmp_path, arguments, message):
    (tmp_path / "empty.py").write_text("x = 1\n")
    code, _, problems = command("experiment", *arguments, cwd=tmp_path)
    assert code != 0
    assert message in problems


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("def f(:\n", 1, "invalid syntax"),
        ("\nx = 1 / 0\n", 2, "ZeroDivisionError: division by zero"),
        ("import nowhere_to_be\n", 1, "ModuleNotFoundError: No module named 'nowhere_to_be'"),
        ("\n\nwier.run()\n", 3, "NameError: name 'wier' is not defined"),
        ("import weir\nweir.Topology().add_host('h1', '10.0.0.1/33')\n", 2, '"33" is not a prefix length'),
        ("import weir\n\n@weir.experiment(aa=[1])\ndef f(ab): ...\n", 3, 'did you mean "ab"?'),
        ("import sys\nsys.exit()\n", 2, 'code to run belongs under if __name__ == "__main__":'),
    ],
)
def test_mistakes_in_a_file_name_the_line(tmp_path, text, place, message):
    (tmp_path / "study.py").write_text(text)
    code, _, problems = command("experiment", "run", "study.py", cwd=tmp_path)
    assert code == 1
    assert problems.startswith(f"error: study.py:{place}: ")
    assert message in problems


def test_mistakes_in_a_module_of_the_same_folder_name_it(tmp_path):
    (tmp_path / "study.py").write_text("import helper_of_study\n")
    (tmp_path / "helper_of_study.py").write_text("\n\nraise ValueError('no')\n")
    _, _, problems = command("experiment", "run", "study.py", cwd=tmp_path)
    assert problems == f"error: {tmp_path / 'helper_of_study.py'}:3: ValueError: no\n"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_that_ends_the_process_is_a_failure(tmp_path, workers):
    (tmp_path / "study.py").write_text(
        "import sys, weir\n\n@weir.experiment(a=[1, 2])\ndef f(a):\n    return sys.exit(3) if a == 1 else a\n"
    )
    code, out, problems = command("experiment", "run", "study.py", "--workers", workers, cwd=tmp_path)
    assert code == 1
    assert "SystemExit: 3\n  1 run: a=1" in problems
    assert "\n1  –\n2  2\n" in out


def test_numbers_of_numpy_are_numbers():
    numpy = needed.module("numpy")
    measure = weir.experiment(a=numpy.arange(3), b=numpy.linspace(0, 1, 3))(
        lambda a, b: {"whole": numpy.int64(a), "part": numpy.float64(b), "is": numpy.bool_(a)}
    )
    runs = measure.run(workers=1).runs
    assert runs["a"].to_list() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert runs["part"].to_list() == [0, 0.5, 1] * 3
    assert runs["is"].to_list() == [False] * 3 + [True] * 6


def test_a_run_that_asks_for_a_wrong_attribute_names_the_right_one(tmp_path):
    (tmp_path / "study.py").write_text(
        "import weir\n\n@weir.experiment(a=[1])\ndef f(a):\n    return {'x': weir.Topology().add_hots}\n"
    )
    code, _, problems = command("experiment", "run", "study.py", "--quiet", cwd=tmp_path)
    assert code == 1
    assert "has no attribute 'add_hots'; did you mean \"add_host\"?" in problems
