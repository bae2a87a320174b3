"""Values of labs that the documentation keeps: which results are accepted and recorded."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from weir.lab import copy_lab, lab_folders, load_lab, run_lab

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "build"))

import published as page_of_all


def test_values_are_kept_with_the_number_of_their_runs(
    repeating: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(page_of_all, "VALUES", tmp_path / "kept")
    run_lab(str(repeating), tmp_path / "full", workers=1)
    page_of_all.keep(tmp_path / "full", lab=load_lab(str(repeating)))
    assert page_of_all.values("tiny") == {"met": 12.0, "off": 12.0, "set": 12.0, "words": True}
    assert [tuple(row.values()) for row in page_of_all.kept_sizes()] == [
        ("tiny", "product", "3", "2"),
        ("tiny", "words", "2", "1"),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quick": True}, "made with --quick;"),
        ({"values": {"x": ["1"]}}, "made with --set;"),
        ({"seeds": 1}, "made with --seeds;"),
        ({"seed": 2}, "made with --seed;"),
        ({"only": ["product"]}, "has no words, from which values are kept"),
    ],
)
def test_values_of_other_runs_than_the_labs_own_are_refused(
    options: dict[str, Any], message: str, repeating: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(page_of_all, "VALUES", tmp_path / "kept")
    run_lab(str(repeating), tmp_path / "out", workers=1, **options)
    with pytest.raises(ValueError, match=message):
        page_of_all.keep(tmp_path / "out", lab=load_lab(str(repeating)))
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    ("declared", "changed", "message"),
    [
        ("seeds=2", "seeds=3", "has 2 seeds, and the lab declares 3"),
        ("n=[4]", "n=[5]", "has other parameters"),
    ],
)
def test_values_are_refused_if_the_lab_has_changed_its_runs(
    declared: str, changed: str, message: str, repeating: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(page_of_all, "VALUES", tmp_path / "kept")
    run_lab(str(repeating), tmp_path / "out", workers=1)
    other = tmp_path / "other"
    copy_lab(str(repeating), other)
    file = other / "experiments.py"
    file.write_text(file.read_text().replace(declared, changed))
    with pytest.raises(ValueError, match=message):
        page_of_all.keep(tmp_path / "out", lab=load_lab(str(other)))


def test_results_of_several_folders_are_kept_together(
    repeating: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(page_of_all, "VALUES", tmp_path / "kept")
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, part in zip(folders, ("words", "product"), strict=True):
        run_lab(str(repeating), folder, workers=1, only=[part])
    page_of_all.keep(*folders, lab=load_lab(str(repeating)))
    assert list(page_of_all.values("tiny").items()) == [
        ("met", 12),
        ("off", 12),
        ("set", 12),
        ("words", True),
    ]
    with pytest.raises(ValueError, match="one: each has words, from"):
        page_of_all.keep(folders[0], *folders, lab=load_lab(str(repeating)))


def test_only_a_lab_that_measures_a_computer_may_leave_points_out(
    repeating: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(page_of_all, "VALUES", tmp_path / "kept")
    run_lab(str(repeating), tmp_path / "less", workers=1, only=["product"], values={"x": ["1", "3"]})
    run_lab(str(repeating), tmp_path / "words", workers=1, only=["words"])
    run_lab(str(repeating), tmp_path / "more", workers=1, only=["product"], values={"x": ["1", "4"]})
    lab = load_lab(str(repeating))
    with pytest.raises(ValueError, match="made with --set;"):
        page_of_all.keep(tmp_path / "less", tmp_path / "words", lab=lab)
    real = replace(lab, real=True)
    page_of_all.keep(tmp_path / "words", lab=real)
    assert page_of_all.values("tiny") == {"words": True}
    with pytest.raises(ValueError, match="has other parameters"):
        page_of_all.keep(tmp_path / "more", tmp_path / "words", lab=real)
    # The results of another experiment leave the kept values of the first one.
    page_of_all.keep(tmp_path / "less", lab=real)
    assert page_of_all.values("tiny")["words"] is True
    assert {row["experiment"] for row in page_of_all.kept_sizes()} == {"product", "words"}
    page_of_all.keep(tmp_path / "less", tmp_path / "words", lab=real)
    assert len(page_of_all.kept_sizes()) == 2
    assert page_of_all.kept_sizes()[0] == {
        "lab": "tiny",
        "experiment": "product",
        "points": "2",
        "seeds": "2",
    }


def test_the_kept_values_have_the_runs_that_the_labs_declare() -> None:
    stored = {
        (row["lab"], row["experiment"]): (int(row["points"]), int(row["seeds"]))
        for row in page_of_all.kept_sizes()
    }
    for lab in map(load_lab, lab_folders()):
        for part in page_of_all.parts_with_values(lab):
            if lab.real and (lab.name, part.name) not in stored:
                continue
            points, seeds = stored.pop((lab.name, part.name))
            declared = len(part.experiment.points())
            again = f"{lab.name}: run it again, and keep its values: python docs/build/published.py out/LAB"
            # A lab that measures a computer may leave points out.
            assert 0 < points <= declared if lab.real else points == declared, again
            assert seeds == part.experiment.seeds, again
    assert not stored
