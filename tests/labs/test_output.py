from pathlib import Path

import pytest

from weir.errors import FileError, WeirError
from weir.labs.output import MARKER, result_folder


def write_result(out: Path, text: str, lab: str = "delay") -> None:
    with result_folder(out, lab) as work:
        (work / "results.csv").write_text(text)
        (work / "captures").mkdir()
        (work / "captures" / "h1-s1.pcapng").write_text(text)


def contents(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_result_appears_whole(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "delay"
    with result_folder(out, "delay") as work:
        (work / "results.csv").write_text("1")
        assert not out.exists()
    assert contents(tmp_path) == ["deep/delay/results.csv", f"deep/delay/{MARKER}"]


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    out = tmp_path / "delay"
    out.mkdir()
    write_result(out, "1")
    assert (out / "results.csv").read_text() == "1"


def test_a_new_result_replaces_the_old_one_whole(tmp_path: Path) -> None:
    out = tmp_path / "delay"
    write_result(out, "1")
    with result_folder(out, "delay") as work:
        (work / "other.csv").write_text("2")
        assert (out / "results.csv").read_text() == "1"
    assert contents(tmp_path) == ["delay/other.csv", f"delay/{MARKER}"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_run_that_fails_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    out = tmp_path / "delay"
    write_result(out, "1")
    before = contents(tmp_path)
    with pytest.raises(error), result_folder(out, "delay") as work:
        (work / "results.csv").write_text("half")
        raise error
    assert contents(tmp_path) == before
    assert (out / "results.csv").read_text() == "1"
    assert [path.name for path in tmp_path.iterdir()] == ["delay"]


def test_interrupted_first_run_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), result_folder(tmp_path / "delay", "delay"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "delay").write_text("mine")
    with pytest.raises(FileError, match="delay: is a file, expected a folder"):
        write_result(tmp_path / "delay", "1")
    assert (tmp_path / "delay").read_text() == "mine"


def test_a_file_on_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(FileError, match="cannot be"):
        write_result(tmp_path / "out" / "delay", "1")


def test_a_foreign_folder_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "delay"
    out.mkdir()
    (out / "thesis.tex").write_text("mine")
    with pytest.raises(FileError, match="is not empty and contains no results of a lab"):
        write_result(out, "1")
    assert contents(tmp_path) == ["delay/thesis.tex"]


def test_another_labs_result_is_refused(tmp_path: Path) -> None:
    write_result(tmp_path / "out", "1", lab="pacing")
    with pytest.raises(FileError, match='contains the results of the lab "pacing"'):
        write_result(tmp_path / "out", "2")


def test_a_result_with_notes_in_it_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "delay"
    write_result(out, "1")
    (out / "captures" / "notes.txt").write_text("mine")
    with pytest.raises(FileError, match=r"contains files that no run wrote, such as captures/notes\.txt"):
        write_result(out, "2")
    assert (out / "results.csv").read_text() == "1"


def test_a_broken_marker_is_no_marker(tmp_path: Path) -> None:
    out = tmp_path / "delay"
    write_result(out, "1")
    (out / MARKER).write_text("{")
    with pytest.raises(FileError, match="contains no results of a lab"):
        write_result(out, "2")


def test_the_current_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match="is or contains the current folder"):
        write_result(Path(), "1")


def test_errors_name_the_output_folder(tmp_path: Path) -> None:
    with (
        pytest.raises(FileError, match=r"^\S+/delay/captures/h1\.pcapng: cannot be written$"),
        result_folder(tmp_path / "delay", "delay") as work,
    ):
        raise FileError("cannot be written", file=work / "captures" / "h1.pcapng")


def test_messages_hide_the_work_folder(tmp_path: Path) -> None:
    with (
        pytest.raises(FileError, match=r"^cannot write \S+/delay/h1\.pcapng$"),
        result_folder(tmp_path / "delay", "delay") as work,
    ):
        raise WeirError(f"cannot write {work / 'h1.pcapng'}")


def test_a_full_disk_is_told_in_one_line(tmp_path: Path) -> None:
    with (
        pytest.raises(FileError, match="delay: cannot be written: no space left on the device"),
        result_folder(tmp_path / "delay", "delay"),
        Path("/dev/full").open("w") as full,
    ):
        full.write("x" * 100_000)
    assert list(tmp_path.iterdir()) == []
