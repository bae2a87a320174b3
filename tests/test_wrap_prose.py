"""`make wrap` wraps each file once, and its check says which files it would change."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("wrap_prose.py")
LONG = "A sentence of some words that goes on until it has reached the end of the line, and a little more."
TEXTS = {
    "a.md": f"{LONG} {LONG}\n\n- {LONG}\n  more\n\n```\n{LONG} code\n```\n",
    "a.rs": f"/// {LONG} {LONG}\nfn f() {{}} // {LONG}\n",
    "a.py": f'"""{LONG}\n\n{LONG} {LONG}\n"""\n\n# {LONG} {LONG}\nTEXT = "{LONG} {LONG}"\n',
}


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    ended = subprocess.run(
        [sys.executable, SCRIPT, *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with a file of each kind, and one that needs no wrapping."""
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "short.md").write_text("short\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    return tmp_path


def test_a_wrapped_file_does_not_change_again(folder: Path):
    assert run(folder) == (0, "a.md\na.py\na.rs\n", "")
    for name, text in TEXTS.items():
        new = (folder / name).read_text()
        assert new != text and new.split() != [], name
        assert [word for word in new.split() if word not in ("///", "#")] == [
            word for word in text.split() if word not in ("///", "#")
        ]
    assert run(folder) == (0, "", "")
    assert run(folder, "--check") == (0, "", "")


def test_check_changes_nothing(folder: Path):
    code, out, err = run(folder, "--check", "a.rs", "short.md")
    assert (code, out) == (1, "a.rs\n")
    assert err == "1 of these files has prose over 100 columns: run make wrap\n"
    code, out, err = run(folder, "--check")
    assert (code, out) == (1, "a.md\na.py\na.rs\n")
    assert err == "3 of these files have prose over 100 columns: run make wrap\n"
    assert {name: (folder / name).read_text() for name in TEXTS} == TEXTS


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["--help"], 0, "Wraps comments"),
        (["--chek"], 2, "--chek"),
        (["none.md"], 2, "none.md: no such file"),
    ],
)
def test_options_are_no_files_to_rewrite(folder: Path, arguments: list[str], code: int, text: str):
    found, out, err = run(folder, *arguments)
    assert found == code and text in out + err
    assert {name: (folder / name).read_text() for name in TEXTS} == TEXTS
