"""``weir grade`` and the exercises that come with Weir."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from command import weir
from weir.grade import EXERCISES, Exercise, find_exercise, grade, read_exercise, read_submission

MISTAKES = {
    "reflector": [
        (
            "hdr.frame.to = sender",
            "hdr.frame.to = hdr.frame.from",
            {"The addresses are swapped", "Any port, any addresses, any payload"},
        ),
        ("hdr.frame.kind == ECHO", "true", {"Packets of other types are dropped"}),
        ("std.egress_spec = std.ingress_port", "std.egress_spec = 1", {
            "A packet goes back out of its port", "Any port, any addresses, any payload",
        }),
    ],
    "ipv4": [
        ("hdr.ip.ttl > 1", "hdr.ip.ttl > 0", {"Packets whose TTL is used up are dropped"}),
        ("hdr.ip.service, ", "", {"The checksum is right"}),
        ("hdr.frame.from = hdr.frame.to;", "", {"A packet goes to its next hop"}),
        (": lpm", ": exact", None),
    ],
    "tags": [
        ("std.ingress_port != TRUNK && !hdr.tag.isValid()", "std.ingress_port != TRUNK", {"Hosts cannot choose a VLAN"}),
        ("hdr.frame.kind = hdr.tag.kind;", "", {
            "Frames from the trunk lose their tag", "Any VLAN, any priority, any payload",
        }),
    ],
    "quota": [
        ("count < LIMIT", "count <= LIMIT", {
            "The fourth frame is dropped", "The register counts the forwarded frames", "Each host has its own quota",
        }),
        ("(bit<32>) notes.host", "0", {"The register counts the forwarded frames", "Each host has its own quota"}),
        ("if (hosts.apply().hit) {", "hosts.apply(); {", {"Frames of unknown hosts count for nobody"}),
    ],
    "trail": [
        (" && hdr.trail.length < MOST", "", {"Full trails stay as they are, and longer ones are dropped"}),
        ("hdr.hops[0].setValid();", "", None),
        ("(bit<16>) std.ingress_port", "1", {"The first switch adds itself", "Any hops, any port, any payload"}),
    ],
}  # fmt: skip
"""By exercise: texts of the solution, what a student may write instead, and the tests that fail."""


def solution(name: str) -> str:
    exercise = find_exercise(name)
    return (exercise.folder / "solution" / exercise.template.name).read_text()


def graded(exercise: Exercise, text: str, folder: Path, student: str = "ada"):
    file = folder / f"{student}.p4"
    file.write_text(text)
    return grade(exercise, read_submission(file, exercise.template.name))


def failed(result) -> set[str]:
    return {outcome.test.title for outcome in result.outcomes if not outcome.passed}


@pytest.mark.parametrize("name", EXERCISES)
def test_solutions_get_all_points_and_templates_do_not(name: str, tmp_path: Path):
    exercise = find_exercise(name)
    for executor in ("native", "interp"):
        submission = read_submission(exercise.folder / "solution", exercise.template.name)
        result = grade(exercise, submission, executor)
        assert result.is_full and result.points == exercise.points == 10, [o.reasons for o in result.outcomes]
    template = graded(exercise, exercise.template.read_text(), tmp_path)
    assert not template.error and template.points <= 2
    assert any(test.hidden for test in exercise.tests) and exercise.text.is_file()


@pytest.mark.parametrize(("name", "right", "wrong", "tests"), [
    (name, *mistake) for name, mistakes in MISTAKES.items() for mistake in mistakes
])  # fmt: skip
def test_a_mistake_loses_the_points_of_its_tests(name, right, wrong, tests, tmp_path: Path):
    text = solution(name)
    assert right in text
    result = graded(find_exercise(name), text.replace(right, wrong), tmp_path)
    assert not result.error and failed(result)
    if tests is not None:
        assert failed(result) == tests
    assert all(outcome.passed or outcome.reasons for outcome in result.outcomes)


def test_each_student_gets_other_packets_and_always_the_same(tmp_path: Path):
    exercise = find_exercise("reflector")
    text = exercise.template.read_text()
    one, again, other = (graded(exercise, text, tmp_path, student) for student in ("ada", "ada", "bob"))
    assert one.outcomes == again.outcomes != other.outcomes
    visible = [outcome for outcome in one.outcomes if not outcome.test.hidden]
    assert visible == [outcome for outcome in other.outcomes if not outcome.test.hidden]


@pytest.mark.parametrize(("text", "error"), [
    ("control", "expected"),
    ('#include "tests/random.py"\n', "random.py"),
    ("#include </etc/passwd>\n", "passwd"),
    ("\0", "is not text (byte 0 is 0)"),
    ("x" * (1 << 20) + "x", "is larger than 1 MiB"),
])  # fmt: skip
def test_programs_that_do_not_run_get_no_points(text: str, error: str, tmp_path: Path):
    exercise = find_exercise("reflector")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "random.py").write_text("secret\n")
    result = graded(exercise, text, tmp_path)
    assert result.points == 0 and error in result.error
    assert "root:" not in result.error and "secret" not in result.error
    assert len(failed(result)) == len(exercise.tests)


def test_links_are_not_followed(tmp_path: Path):
    link = tmp_path / "ada.p4"
    link.symlink_to("/etc/passwd")
    submission = read_submission(link, "reflector.p4")
    assert submission.error and not submission.text


def exercise_of(folder: Path, lines: str, *, limit: str = "10s") -> Path:
    """Writes an exercise with the program of the reflector and a test in Python."""
    folder.mkdir()
    (folder / "README.md").write_text("Text\n")
    (folder / "p.p4").write_text(solution("reflector"))
    (folder / "t.py").write_text(f"def stf(random):\n{lines}\n")
    (folder / "exercise.toml").write_text(
        f'title = "T"\ntemplate = "p.p4"\ntime_limit = "{limit}"\n[[test]]\ntitle = "one"\nfile = "t.py"\npoints = 1\n'
    )
    return folder


def test_an_endless_program_loses_the_points_of_the_test(tmp_path: Path):
    folder = exercise_of(
        tmp_path / "e", '    return "packet 1 0a0000000001 0a0000000002 1234\\n" * 20000', limit="1s"
    )
    loops = solution("reflector").replace(
        "std.egress_spec = std.ingress_port;",
        "std.egress_spec = std.ingress_port; for (bit<32> i in 32w0 .. 32w60000) { hdr.frame.to = hdr.frame.to + 1; }",
    )
    result = graded(read_exercise(folder), loops, tmp_path)
    (outcome,) = result.outcomes
    assert not outcome.passed and outcome.reasons == ["the test did not end within 1s"]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("    import os; os.abort()", "the test ended abruptly (SIGABRT)"),
        ("    import os; os._exit(3)", "the test ended abruptly (exit code 3)"),
    ],
)
def test_a_crash_loses_the_points_of_its_test_only(lines: str, reason: str, tmp_path: Path):
    folder = exercise_of(tmp_path / "e", lines)
    with (folder / "exercise.toml").open("a") as description:
        description.write('[[test]]\ntitle = "two"\nfile = "u.stf"\npoints = 1\n')
    (folder / "u.stf").write_text("packet 1 00\n")
    result = graded(read_exercise(folder), solution("reflector"), tmp_path)
    crashed, other = result.outcomes
    assert not crashed.passed and crashed.reasons == [reason]
    assert other.passed


@pytest.mark.parametrize(("lines", "message"), [
    ("    return 5", "stf(random) returned 5, expected a text"),
    ("    return random.nothing", "nothing"),
    ("    return bytearray(5 << 30)", "MemoryError"),
    ("    print('noise'); return 'packet 1 zz'", "zz"),
])  # fmt: skip
def test_a_wrong_test_is_the_exercises_mistake_or_a_reason(lines: str, message: str, tmp_path: Path):
    folder = exercise_of(tmp_path / "e", lines)
    code, out, err = weir("grade", folder, folder)
    assert code == 1 and message in out + err and "Traceback" not in err


def test_mistakes_of_a_description_have_lines(tmp_path: Path):
    folder = exercise_of(tmp_path / "e", "    return ''")
    file = folder / "exercise.toml"
    file.write_text(
        'titel = "T"\ntemplate = "q.p4"\n[[test]]\ntitle = "one"\nfile = "../x.stf"\npoints = 0\n'
    )
    code, _, err = weir("grade", folder, folder)
    assert code == 1
    for part in ("exercise.toml:1", 'did you mean "title"', "exercise.toml:2", "q.p4", "exercise.toml:6"):
        assert part in err, err
    file.write_text("title = \n")
    code, _, err = weir("grade", folder, folder)
    assert code == 1 and "exercise.toml:1:" in err


def test_students_see_only_the_hint_of_hidden_tests(tmp_path: Path):
    folder = tmp_path / "ada"
    folder.mkdir()
    (folder / "reflector.p4").write_text(find_exercise("reflector").template.read_text())
    page, junit = tmp_path / "ada.html", tmp_path / "ada.xml"
    files = ("--page", page, "--junit", junit)
    hidden = find_exercise("reflector").tests[-1]
    code, own, err = weir("grade", "reflector", folder, "--student", "ada", *files)
    assert (code, err) == (1, "")
    shown = [
        own,
        page.read_text(),
        junit.read_text(),
        weir("grade", "reflector", folder, "--student", "ada", "--json")[1],
    ]
    for text in shown:
        assert hidden.hint in text
        assert "1234cafe" in text, "the reasons of visible tests are shown"
    (test,) = (test for test in json.loads(shown[-1])["submissions"][0]["tests"] if test["hidden"])
    assert test["reasons"] == [] and test["hint"] == hidden.hint
    teacher = json.loads(weir("grade", "reflector", folder, "--json")[1])
    assert teacher["submissions"][0]["tests"][-1]["reasons"]
    assert own.count("packet ") < json.dumps(teacher).count("packet ")


def test_several_submissions(tmp_path: Path):
    text = solution("reflector")
    for student, program in (("ada", text), ("bob", text.replace("ECHO)", "0)")), ("<b>&", "oh no")):
        (tmp_path / f"{student}.p4").write_text(program)
    page, junit = tmp_path / "grades.html", tmp_path / "grades.xml"
    files = sorted(tmp_path.glob("*.p4"))
    code, out, err = weir("grade", "reflector", *files, "--page", page, "--junit", junit)
    assert (code, err) == (1, "")
    assert re.search(r"ada +10 of 10", out) and re.search(r"<b>& +0 of 10 +all: ", out)
    assert out.endswith("1 of 3 submissions passed all tests\n")
    suites = {suite.get("name"): suite for suite in ElementTree.parse(junit).getroot()}
    assert set(suites) == {"ada", "bob", "<b>&"}
    assert [suites["ada"].get("failures"), suites["<b>&"].get("failures")] == ["0", "4"]
    assert "<b>&" not in page.read_text()
    again = page.read_bytes(), junit.read_bytes()
    weir("grade", "reflector", *files, "--page", page, "--junit", junit)
    assert (page.read_bytes(), junit.read_bytes()) == again


def test_usage(tmp_path: Path):
    code, _, err = weir("grade", "reflektor", tmp_path)
    assert code == 1 and 'did you mean "reflector"' in err
    code, out, err = weir("grade", "tags", "--copy", tmp_path / "own")
    assert (code, err) == (0, "") and (tmp_path / "own" / "exercise.toml").is_file()
    code, out, _ = weir("grade", tmp_path / "own", tmp_path / "own" / "solution")
    assert code == 0 and out.endswith("solution: 10 of 10 points\n")
    one = tmp_path / "own" / "tags.p4"
    assert weir("grade", "tags", one, one)[0] == 1
    assert weir("grade", "tags", one, tmp_path, "--student", "ada")[0] == 1
    assert weir("grade", "tags")[0] == 2
    assert weir("grade", "tags", tmp_path / "none.p4")[0] != 0
