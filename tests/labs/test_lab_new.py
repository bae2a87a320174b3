from pathlib import Path

import pytest

from weir.errors import FileError
from weir.labs import LABS, copy_lab


@pytest.mark.parametrize("lab", LABS.values(), ids=LABS)
def test_a_lab_is_copied_whole(lab, tmp_path: Path) -> None:
    copies = copy_lab(lab, tmp_path / "deep" / "mine")
    assert [path.name for path in copies] == list(lab.files)
    for path in copies:
        assert path.read_bytes() == (lab.folder / path.name).read_bytes()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "delay.p4").write_text("mine")
    with pytest.raises(FileError, match="is not empty"):
        copy_lab(LABS["delay"], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["delay.p4"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    with pytest.raises(FileError, match="is a file, expected a folder"):
        copy_lab(LABS["delay"], tmp_path / "mine")
