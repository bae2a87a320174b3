"""``weir shims`` writes the stand-ins into a folder, and removes only its own files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import weir
from weir.dropin import shims


def test_stand_ins_come_and_go(tmp_path: Path):
    folder = tmp_path / "a folder" / "bin"
    paths = shims.install(folder)
    modules = ["python/p4/__init__.py", "python/p4/tmp/__init__.py", "python/p4/tmp/p4config_pb2.py"]
    assert sorted(str(path.relative_to(folder)) for path in paths) == sorted([*shims.SHIMS, *modules])
    assert shims.install(folder) == paths, "again, as after another version of Weir"
    ended = subprocess.run(
        [folder / "p4c", "--version"], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout.startswith("p4c stand-in of Weir")
    # Python writes files next to a module that it reads.
    load = "import p4.tmp as loaded; print(loaded.__file__)"
    found = subprocess.run(
        [sys.executable, "-c", load],
        env={**os.environ, "PYTHONPATH": str(folder / "python"), "PYTHONDONTWRITEBYTECODE": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert found.stdout.strip() == str(folder / "python/p4/tmp/__init__.py")
    assert list((folder / "python").rglob("*.pyc"))
    (folder / "mine").write_text("x")
    assert shims.uninstall(folder) == paths
    assert [path.name for path in folder.iterdir()] == ["mine"]
    assert shims.uninstall(folder) == []


@pytest.mark.parametrize("is_link", [False, True])
def test_files_of_others_stay(tmp_path: Path, is_link: bool):
    theirs = tmp_path / "simple_switch"
    if is_link:
        theirs.symlink_to(tmp_path / "gone")
    else:
        theirs.write_text("#!/bin/sh\n")
    with pytest.raises(weir.FileError, match="simple_switch: is not a stand-in of Weir"):
        shims.install(tmp_path)
    assert list(tmp_path.iterdir()) == [theirs]
    assert shims.uninstall(tmp_path) == []
    assert theirs.is_symlink() is is_link
