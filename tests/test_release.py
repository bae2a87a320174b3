"""The scripts of a release (packaging/) report mistakes, and each step of a workflow is one."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import needed

ROOT = Path(__file__).resolve().parent.parent
FILES = [
    *("Cargo.toml", "pyproject.toml", "labs/pyproject.toml", "CITATION.cff", "CHANGELOG.md", "Makefile"),
    *("packaging/conda/meta.yaml", "binder/requirements.txt", "docs/how-to/continuous-integration.md"),
]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files that the steps versions and commands read."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "python/weir/text").mkdir(parents=True)
    shutil.copy(ROOT / "python/weir/text/site.py", tmp_path / "python/weir/text")
    shutil.copytree(ROOT / ".github", tmp_path / ".github")
    for script in (ROOT / "packaging").iterdir():
        if script.is_file():
            shutil.copy(script, tmp_path / "packaging")
    return tmp_path


def check(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, copy / "packaging" / "release-check", *words],
        capture_output=True,
        text=True,
        timeout=60,
    )


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_all_files_name_one_version(copy: Path):
    ended = check(copy, "versions")
    assert ended.returncode == 0, ended.stdout
    assert re.match(r"versions +done .* in 8 files\n", ended.stdout)


@pytest.mark.parametrize("name", [name for name in FILES if name not in {"Cargo.toml", "Makefile"}])
def test_another_version_in_any_file_is_found(copy: Path, name: str):
    change(copy / name, "0.1.0", "0.1.9")
    ended = check(copy, "versions")
    assert ended.returncode == 1
    assert f"{name} has 0.1.9" in ended.stdout


def test_a_tag_needs_a_release_that_is_dated(copy: Path):
    ended = check(copy, "versions", "--tag", "v0.2.0")
    assert "the tag is v0.2.0" in ended.stdout
    assert "CITATION.cff has no date-released" in ended.stdout
    change(copy / "CHANGELOG.md", "## 0.1.0, not yet published", "## 0.1.0 (2027-01-04)")
    change(copy / "CITATION.cff", "version: 0.1.0", "version: 0.1.0\ndate-released: 2027-01-04")
    ended = check(copy, "versions", "--tag", "v0.1.0")
    assert ended.returncode == 1
    assert "python/weir/text/site.py has no OWNER" in ended.stdout
    change(copy / "python/weir/text/site.py", 'OWNER: Final = ""', 'OWNER: Final = "weir-p4"')
    ended = check(copy, "versions", "--tag", "v0.1.0")
    lines = [
        'Documentation = "https://weir-p4.github.io/weir/"',
        'Repository = "https://github.com/weir-p4/weir"',
    ]
    for line in lines:
        assert f"pyproject.toml lacks in [project.urls]: {line}" in ended.stdout
    table = "\n".join(["[project.urls]", *lines, "", "[project.scripts]"])
    change(copy / "pyproject.toml", "[project.scripts]", table)
    assert check(copy, "versions", "--tag", "v0.1.0").returncode == 0


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("run: make test\n", "run: make tests\n", "test.yml: no target tests"),
        ("packaging/elsewhere\n", "packaging/nowhere\n", "test.yml: no script packaging/nowhere"),
        ("run: make lint\n", "run: curl example\n", "test.yml: `curl example` is not a script"),
        (
            "3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1",
            "v7",
            "test.yml: actions/checkout@v7 is not a commit",
        ),
    ],
)
def test_each_step_of_a_workflow_is_a_script_or_a_commit(copy: Path, old: str, new: str, found: str):
    assert check(copy, "commands").returncode == 0
    change(copy / ".github" / "workflows" / "test.yml", old, new)
    ended = check(copy, "commands")
    assert ended.returncode == 1
    assert found in ended.stdout


def test_a_step_says_what_it_needs(copy: Path):
    ended = check(copy, "install", "elsewhere")
    assert ended.returncode == 0
    assert "install    not here" in ended.stdout
    assert "`make wheel` compiles one" in ended.stdout
    unknown = check(copy, "wheels")
    assert unknown.returncode == 2
    assert 'no step is called "wheels"' in unknown.stderr


def test_sums_are_those_of_all_files(tmp_path: Path):
    (tmp_path / "a").write_text("a\n")
    (tmp_path / "SHA256SUMS").write_text("old")
    script = ROOT / "packaging" / "sums"
    subprocess.run([script, tmp_path], check=True, timeout=20)
    assert (tmp_path / "SHA256SUMS").read_text().split()[1:] == ["a"]
    subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=tmp_path, check=True, timeout=20)


def test_a_machine_that_is_not_githubs_is_left_alone():
    environment = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
    ended = subprocess.run(
        [ROOT / "packaging" / "runner"], env=environment, capture_output=True, text=True, timeout=20
    )
    assert (ended.returncode, ended.stdout) == (2, "")


def test_the_debian_package_is_the_same_twice(tmp_path: Path):
    needed.need("dpkg-deb")
    for program in ("weir-switchd", "weir-link"):
        (tmp_path / f"{program}-x86_64").write_text("#!/bin/sh\n")
        (tmp_path / f"{program}-x86_64").chmod(0o755)
        (tmp_path / f"{program}-x86_64.licences.txt").write_text("licence\n")
        (tmp_path / f"{program}-x86_64.cdx.json").write_text("{}\n")
    # A stub replaces lintian, which would report that the programs are scripts.
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "lintian").write_text("#!/bin/sh\n")
    (tools / "lintian").chmod(0o755)
    environment = os.environ | {
        "OUT": str(tmp_path),
        "SOURCE_DATE_EPOCH": "1700000000",
        "PATH": f"{tools}:{os.environ['PATH']}",
    }
    packages = []
    for _ in range(2):
        subprocess.run([ROOT / "packaging" / "deb", "x86_64"], env=environment, check=True, timeout=60)
        (file,) = tmp_path.glob("*.deb")
        packages.append(file.read_bytes())
    assert packages[0] == packages[1]
    listed = subprocess.run(
        ["dpkg-deb", "--contents", file], capture_output=True, text=True, check=True
    ).stdout
    assert "./lib/systemd/system/weir-switchd@.service" in listed
    assert "root/root" in listed
    unit = (ROOT / "packaging" / "debian" / "weir-switchd@.service").read_text()
    assert "CapabilityBoundingSet=CAP_NET_RAW\n" in unit
    missing = subprocess.run(
        [ROOT / "packaging" / "deb", "aarch64"], env=environment, capture_output=True, text=True, timeout=60
    )
    assert missing.returncode == 1
    assert "make switchd FOR=aarch64" in missing.stderr


PUBLISHES = (
    "packaging/image push",
    "gh release create",
    "pypa/gh-action-pypi-publish",
    "actions/deploy-pages",
)


def test_a_release_publishes_nothing_before_all_checks_pass():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))[
        "jobs"
    ]

    def waits_for(name: str) -> set[str]:
        needs = jobs[name].get("needs", [])
        direct = {needs} if isinstance(needs, str) else set(needs)
        return direct.union(*(waits_for(other) for other in direct))

    builds = {"check", "linux", "elsewhere", "sources", "image"}
    publishing = {
        name
        for name, job in jobs.items()
        if any(
            word in str(step.get("run") or step.get("uses")) for step in job["steps"] for word in PUBLISHES
        )
    }
    assert {"registry", "index", "page"} <= publishing
    for name in publishing:
        assert builds <= waits_for(name), f"{name} does not wait for {builds - waits_for(name)}"
        assert jobs[name]["if"] == "github.ref_type == 'tag'"


@pytest.mark.parametrize(
    ("file", "old", "new", "found"),
    [
        (
            "Containerfile",
            "COPY . .",
            "COPY . .\nCOPY nowhere /nowhere",
            "copies nowhere, which does not exist",
        ),
        (".dockerignore", "\n.venv\n", "\n", ".dockerignore lacks .venv"),
    ],
)
def test_a_container_file_that_cannot_build_is_found(
    tmp_path: Path, file: str, old: str, new: str, found: str
):
    (tmp_path / "packaging").mkdir()
    for name in ("Containerfile", ".dockerignore", "packaging/image"):
        shutil.copy(ROOT / name, tmp_path / name)
    right = subprocess.run(
        [tmp_path / "packaging" / "image", "check"], capture_output=True, text=True, timeout=60
    )
    assert (right.returncode, right.stderr) == (0, "")
    change(tmp_path / file, old, new)
    wrong = subprocess.run(
        [tmp_path / "packaging" / "image", "check"], capture_output=True, text=True, timeout=60
    )
    assert wrong.returncode == 1
    assert found in wrong.stderr


def test_the_image_is_built_from_all_committed_files():
    # Otherwise git calls the version in the image "dirty".
    words = ["git", "ls-files", "--cached", "--ignored", "--exclude-from=.dockerignore"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=20)
    if listed.returncode:
        needed.skip("a git repository: this is a copy of the files")
    assert listed.stdout == ""


def test_sources_are_packed_in_a_fresh_clone(tmp_path: Path):
    """A runner has the files, but nothing that `make` has installed or built."""
    clone = tmp_path / "clone"
    shutil.copytree(ROOT / "labs", clone / "labs", ignore=shutil.ignore_patterns("__pycache__"))
    (clone / "packaging").mkdir()
    shutil.copy(ROOT / "packaging" / "sources", clone / "packaging")
    # In place of the real one, which would fetch packages.
    fake = tmp_path / "make"
    fake.write_text(f'#!/bin/sh\n[ "$*" = "--silent .venv/made" ] && ln -s "{Path(sys.prefix)}" .venv\n')
    fake.chmod(0o755)
    subprocess.run(
        [clone / "packaging" / "sources", tmp_path / "out", "labs"],
        check=True,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        timeout=60,
    )
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["p4weir_labs-0.1.0-py3-none-any.whl"]
