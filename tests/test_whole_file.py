"""Files are replaced only when the new ones are complete."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import weir
from weir.errors import FileError
from weir.files.whole_file import WholeFile, write_whole


def test_a_file_is_replaced_when_it_is_whole(tmp_path: Path):
    target = tmp_path / "a.csv"
    target.write_text("old")
    file = WholeFile(target)
    file.partial.write_text("new")
    assert target.read_text() == "old"
    assert file.partial.parent == tmp_path and file.partial.suffix == ".partial"
    file.commit()
    assert target.read_text() == "new" and list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), ValueError("x"), KeyboardInterrupt()]
)
def test_a_failure_leaves_the_old_file(tmp_path: Path, error: BaseException):
    target = tmp_path / "a.csv"
    target.write_text("old")

    def write(file):
        file.write(b"half")
        raise error

    with pytest.raises(BaseException) as raised:
        write_whole(target, write)
    assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]
    if isinstance(error, OSError):
        assert str(raised.value) == f"{target}: cannot be written: no space left on the device"


ENDS_EARLY = """
import os
from pathlib import Path
from weir.files.whole_file import WholeFile

file = WholeFile(Path("a.csv"))
if os.fork() == 0:
    raise SystemExit  # This process has no files.
os.wait()
assert file.partial.exists()
raise KeyboardInterrupt
"""


def test_a_process_that_ends_early_leaves_nothing(tmp_path: Path):
    ended = subprocess.run([sys.executable, "-c", ENDS_EARLY], cwd=tmp_path, capture_output=True, text=True)
    assert ended.stderr.splitlines()[-1] == "KeyboardInterrupt"
    assert list(tmp_path.iterdir()) == []


def test_modes_and_links_stay(tmp_path: Path):
    target, link = tmp_path / "a.csv", tmp_path / "link.csv"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to("a.csv")
    write_whole(link, lambda file: file.write(b"new"), follow=True)
    assert link.is_symlink() and target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    other = tmp_path / "b.csv"
    write_whole(other, lambda file: file.write(b"new"))
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(other.stat().st_mode) == 0o666 & ~umask


def test_a_link_in_a_folder_is_replaced(tmp_path: Path):
    target, link = tmp_path / "a.csv", tmp_path / "link.csv"
    target.write_text("old")
    link.symlink_to("a.csv")
    write_whole(link, lambda file: file.write(b"new"))
    assert target.read_text() == "old" and link.read_text() == "new" and not link.is_symlink()


def test_devices_and_pipes_are_written_directly(tmp_path: Path):
    before = set(Path("/dev").glob(".weir-*"))
    write_whole(Path("/dev/null"), lambda file: file.write(b"new"), follow=True)
    with pytest.raises(FileError, match="no space left on the device"):
        write_whole(Path("/dev/full"), lambda file: file.write(b"new"), follow=True)
    assert set(Path("/dev").glob(".weir-*")) == before


@pytest.mark.parametrize("name", ["no/where.csv", "folder", "a\0b.csv", "x" * 300 + ".csv"])
def test_files_that_cannot_be_written(tmp_path: Path, name: str):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot be written"):
        write_whole(tmp_path / name, lambda file: file.write(b"new"))
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_two_captures_of_one_file_do_not_mix(network: weir.Network, router: weir.Program, tmp_path: Path):
    net = Path(__file__).parent / "net"
    target = tmp_path / "a.pcapng"
    with weir.Network.load(net / "topology.json", router) as other:
        first, second = network.capture(target, "h1"), other.capture(target, "h1")
        network.host("h1").ping("h2", count=5)
        other.host("h1").ping("h2", count=1)
        small = second.close().stat().st_size
        large = first.close().stat().st_size
    assert small < large
    assert list(tmp_path.iterdir()) == [target]


def test_nobody_opens_a_secret_before_it_has_its_mode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A file that was opened before its mode was set can still be read afterwards."""
    modes = []
    create = os.open

    def watched(path: Path, *arguments: int) -> int:
        descriptor = create(path, *arguments)
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return descriptor

    monkeypatch.setattr(os, "open", watched)
    old = tmp_path / "old"
    old.write_text("secret")
    old.chmod(0o640)
    before = os.umask(0)
    try:
        kept, new = WholeFile(old), WholeFile(tmp_path / "new", mode=0o600)
    finally:
        os.umask(before)
    assert modes == [0o600, 0o600]
    for file, mode in ((kept, 0o640), (new, 0o600)):
        assert stat.S_IMODE(file.partial.stat().st_mode) == mode
        file.commit()
        assert stat.S_IMODE(file.path.stat().st_mode) == mode
