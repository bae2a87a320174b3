"""Labs of other packages, and entry points that cannot be used."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from command import WEIR
from weir.errors import CommandError, WeirError
from weir.lab import copy_lab, lab_folders, lab_title, load_lab, run_lab
from weir.lab.installed import offers

TINY = Path(__file__).parent / "tiny"


class Site:
    """A folder in which Python finds packages and the declarations of distributions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def distribution(self, name: str, *entries: str) -> None:
        """Adds a distribution with these entry points."""
        info = self.folder / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("\n".join(["[weir.labs]", *entries, ""]))

    def package(self, name: str, lab: str = "tiny") -> Path:
        """Adds a package of that name with a small lab in the package ``tiny``."""
        folder = self.folder / name / "tiny"
        shutil.copytree(TINY, folder, ignore=shutil.ignore_patterns("__pycache__"))
        (self.folder / name / "__init__.py").write_text("")
        text = (folder / "lab.py").read_text()
        (folder / "lab.py").write_text(text.replace('name="tiny"', f'name="{lab}"'))
        return folder

    def weir(self, *args: str) -> tuple[int, str, str]:
        """Calls the command; it finds the packages."""
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(self.folder), os.environ.get("PYTHONPATH", "")]),
        }
        ended = subprocess.run(
            [WEIR, *args], env=env, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False
        )
        assert "Traceback" not in ended.stderr, ended.stderr
        return ended.returncode, ended.stdout, ended.stderr


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """An empty site, which this process searches, too."""
    empty_site = Site(tmp_path / "site")
    empty_site.folder.mkdir()
    monkeypatch.syspath_prepend(empty_site.folder)
    before = set(sys.modules)
    yield empty_site
    for name in set(sys.modules) - before:
        if name.startswith(("others_", "weir_lab_")):
            del sys.modules[name]


def test_a_lab_of_another_package_is_like_one_of_weir(site: Site, tmp_path: Path) -> None:
    site.package("others_one")
    site.distribution("others-one", "tiny = others_one.tiny.lab:LAB")
    code, out, errors = site.weir("lab", "list")
    assert (code, errors) == (0, "")
    rows = dict(line.split(maxsplit=1) for line in out.splitlines()[1:])
    assert rows["tiny"] == lab_title(TINY) and {"delay", "pacing"} < set(rows)
    assert "product" in site.weir("lab", "list", "tiny")[1]
    outcome = run_lab("tiny", tmp_path / "out", workers=2)
    assert not outcome.failures and outcome.findings["words"].answer == "2 words."
    copies = copy_lab("tiny", tmp_path / "mine")
    assert load_lab(str(tmp_path / "mine")).name == "tiny" and len(copies) == 5


def test_worker_processes_of_the_command_find_a_lab_of_another_package(site: Site) -> None:
    site.package("others_two")
    site.distribution("others-two", "tiny = others_two.tiny.lab:LAB")
    code, out, errors = site.weir("lab", "run", "tiny", "--workers", "2", "--quiet")
    assert (code, errors) == (0, "") and "words: 2 words." in out


def test_labs_are_listed_without_being_imported(site: Site) -> None:
    folder = site.package("others_bad")
    (folder.parent / "__init__.py").write_text("raise OSError('no such device')\n")
    site.distribution("others-bad", "tiny = others_bad.tiny.lab:LAB")
    code, out, errors = site.weir("lab", "list")
    assert (code, errors) == (0, "") and lab_title(TINY) in out and "delay " in out
    code, out, errors = site.weir("lab", "run", "tiny")
    assert (code, out) == (1, "")
    assert errors.startswith("error: ")
    assert errors.endswith('the lab "tiny" of others-bad cannot be loaded: OSError: no such device\n')


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("others_wrong.tiny.lab", 'is declared as "others_wrong.tiny.lab": expected "PACKAGE.lab:LAB"'),
        ("others_wrong.tiny.numbers:LAB", 'is declared as "others_wrong.tiny.numbers:LAB": expected "PACK'),
        ("lab:LAB", 'is declared as "lab:LAB": expected "PACKAGE.lab:LAB"'),
        ("others_gone.lab:LAB", "cannot be found: there is no package others_gone"),
        ("others_wrong.gone.lab:LAB", "cannot be found: there is no package others_wrong.gone"),
        ("others_wrong.tiny.lab.lab:LAB", "cannot be found: there is no package others_wrong.tiny.lab"),
        ("others_wrong.lab:LAB", "cannot be found: {site}/others_wrong has no lab.py"),
    ],
)
def test_a_broken_entry_is_a_warning_and_an_error_where_it_is_used(
    site: Site, entry: str, message: str
) -> None:
    site.package("others_wrong")
    site.distribution("others-wrong", f"broken = {entry}", "tiny = others_wrong.tiny.lab:LAB")
    whole = f'the lab "broken" of others-wrong {message.format(site=site.folder)}'
    assert offers().unusable["broken"].startswith(whole)
    assert {"delay", "tiny"} < set(lab_folders()) and "broken" not in lab_folders()
    code, out, errors = site.weir("lab", "list")
    assert code == 0 and lab_title(TINY) in out and errors.startswith(f"warning: {whole}")
    code, out, errors = site.weir("lab", "run", "broken")
    assert (code, out) == (1, "") and errors.startswith(f"error: {whole}")
    assert errors.count("\n") == 1


def test_two_labs_of_one_name_are_refused_and_the_others_stay(site: Site) -> None:
    site.package("others_same", "delay")
    site.distribution("others-same", "delay = others_same.tiny.lab:LAB")
    with pytest.raises(
        CommandError, match=r'"delay" is offered 2 times, by others-same, p4weir-labs: uninstall all but one'
    ):
        load_lab("delay")
    code, out, errors = site.weir("lab", "list")
    assert code == 0 and "firewall" in out and 'warning: the lab "delay" is offered 2 times' in errors


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("lab.py", "import no_such_module\n", "lab.py:1: the lab .* No module named 'no_such_module'"),
        ("lab.py", "LAB = (\n", "lab.py:1: the lab .* cannot be loaded: '\\(' was never closed"),
        ("lab.py", "LAB = 5\n", r"lab\.py declares no lab: expected LAB = Lab\(…\)"),
        ("lab.py", "raise SystemExit\n", "the file ends the process"),
        ("numbers.py", "1 / 0\n", "numbers.py:1: the lab .* ZeroDivisionError"),
    ],
)
def test_a_lab_that_cannot_be_loaded_says_why(site: Site, file: str, text: str, message: str) -> None:
    folder = site.package("others_code")
    (folder / file).write_text(text)
    site.distribution("others-code", "tiny = others_code.tiny.lab:LAB")
    with pytest.raises(WeirError, match=message):
        load_lab("tiny")
    # Commands that look at all labs still work.
    with pytest.raises(CommandError, match=r"\(in both: .*compare-worlds|delay"):
        run_lab(str(Path(__file__).parent / "tiny"), world="linux")


def test_a_lab_without_a_title_is_a_warning(site: Site) -> None:
    folder = site.package("others_title")
    (folder / "__init__.py").write_text("x = (\n")
    site.distribution("others-title", "tiny = others_title.tiny.lab:LAB")
    code, out, errors = site.weir("lab", "list")
    assert code == 0 and "delay " in out
    assert errors == f"warning: {folder}/__init__.py:1: the lab has no title: '(' was never closed\n"


def test_a_lab_has_the_name_of_its_entry(site: Site) -> None:
    folder = site.package("others_name")
    site.distribution("others-name", "other = others_name.tiny.lab:LAB")
    with pytest.raises(
        WeirError, match=f'{folder}/lab.py: is installed as the lab "other", but its name is "tiny"'
    ):
        load_lab("other")


def test_the_old_module_of_the_labs_names_the_new_ones() -> None:
    for code in ("import weir.labs", "from weir.labs import Lab", "from weir.labs.delay import chain"):
        with pytest.raises(ImportError, match=r"weir\.labs is now two modules: .*weir\.lab .*weir_labs"):
            exec(code)
