"""The contents and metadata of the packages."""

import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def source_files(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The files of the source distribution, without its folder."""
    folder = tmp_path_factory.mktemp("sdist")
    maturin = Path(sys.executable).with_name("maturin")
    subprocess.run([maturin, "sdist", "--out", folder], cwd=ROOT, check=True)
    (archive,) = folder.iterdir()
    with tarfile.open(archive) as opened:
        return {name.partition("/")[2] for name in opened.getnames()}


def test_the_source_distribution_has_all_that_a_build_reads(source_files: set[str]):
    assert {"LICENSE", "Cargo.toml", "Cargo.lock", "pyproject.toml", "PKG-INFO"} <= source_files
    assert {f"p4include/{name}.p4" for name in ("core", "v1model", "psa", "pna")} <= source_files
    crates = {path.parent.name for path in ROOT.glob("crates/*/Cargo.toml")}
    assert {f"crates/{name}/Cargo.toml" for name in crates} <= source_files
    sources = [
        path for path in ROOT.glob("crates/*/src/**/*.rs") if "tests" not in (path.stem, path.parent.name)
    ]
    for source in sources:
        for name in re.findall(r'include_(?:str|bytes)!\("(.*?)"\)', source.read_text(encoding="utf-8")):
            included = (source.parent / name).resolve().relative_to(ROOT).as_posix()
            assert included in source_files, f"{source} includes {included}"


def test_the_source_distribution_has_the_whole_package_and_nothing_that_was_built(source_files: set[str]):
    listed = subprocess.run(
        ["git", "ls-files", "python/weir"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(listed) <= source_files
    assert not [name for name in source_files if name.endswith((".so", ".pyc")) or name.startswith("target")]


def test_the_text_about_the_package_needs_no_repository():
    text = (ROOT / PROJECT["readme"]).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert all(link.startswith("https://") for link in links)
    assert "pip install 'p4weir[lab]'" in text


def test_only_the_extra_lab_has_large_libraries():
    needed = {re.split(r"[<>=]", name)[0] for name in PROJECT["dependencies"]}
    assert needed == {"click", "prompt_toolkit", "rich"}
    assert {"matplotlib", "polars"} <= {
        re.split(r"[<>=]", name)[0] for name in PROJECT["optional-dependencies"]["lab"]
    }


def test_commands_in_the_text_about_the_package_exist():
    text = (ROOT / PROJECT["readme"]).read_text(encoding="utf-8")
    from weir.cli.app import app

    used = set(re.findall(r"^    weir (\w+)", text, re.MULTILINE))
    assert used and used <= set(app.list_commands(None))
