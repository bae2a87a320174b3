"""The contents and metadata of the packages."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LABS = tomllib.loads((ROOT / "labs" / "pyproject.toml").read_text(encoding="utf-8"))["project"]


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
    assert {f"p4include/{name}.p4" for name in ("core", "v1model", "psa", "pna", "tna")} <= source_files
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


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_the_labs_are_whole_in_their_own_package(kind: str, tmp_path: Path):
    code = (
        "import sys; from flit_core import buildapi; getattr(buildapi, f'build_{sys.argv[1]}')(sys.argv[2])"
    )
    subprocess.run([sys.executable, "-c", code, kind, tmp_path], cwd=ROOT / "labs", check=True)
    (archive,) = tmp_path.iterdir()
    assert archive.name.startswith("p4weir_labs-")
    shutil.unpack_archive(archive, tmp_path / "out", "zip" if kind == "wheel" else "gztar")
    folder = tmp_path / "out" if kind == "wheel" else next((tmp_path / "out").iterdir())
    listed = subprocess.run(
        ["git", "ls-files", "weir_labs"], cwd=ROOT / "labs", capture_output=True, text=True, check=True
    ).stdout.split()
    for name in listed:
        assert (folder / name).read_bytes() == (ROOT / "labs" / name).read_bytes()
    assert len(listed) > 250
    others = (
        {"LICENSE", "entry_points.txt"} if kind == "wheel" else {"LICENSE", "README.md", "pyproject.toml"}
    )
    assert others <= {path.name for path in folder.rglob("*")}


def test_both_packages_have_one_version_and_licence():
    version = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"][
        "version"
    ]
    assert LABS["version"] == version
    assert LABS["dependencies"] == [f"p4weir[lab]=={version}"]
    assert f"p4weir-labs=={version}" in PROJECT["optional-dependencies"]["lab"]
    assert (ROOT / "labs" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_every_lab_has_an_entry_point():
    folders = sorted(path.parent.name for path in ROOT.glob("labs/weir_labs/*/lab.py"))
    assert LABS["entry-points"]["weir.labs"] == {
        name.replace("_", "-"): f"weir_labs.{name}.lab:LAB" for name in folders
    }


def test_the_text_about_the_package_needs_no_repository():
    text = (ROOT / PROJECT["readme"]).read_text(encoding="utf-8")
    text += (ROOT / "labs" / "README.md").read_text(encoding="utf-8")
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
