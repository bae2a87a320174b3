"""Results identify the programs and topologies that ran, by their content alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import weir
from command import NET, weir as run_weir
from weir import programs

STUDY = """
from pathlib import Path

import weir

HERE = Path(__file__).parent


@weir.experiment(count=[1, 2])
def study(count):
    topology = weir.Topology.load(HERE / "topology.json")
    with weir.Network(topology, HERE / "router.p4", include=[HERE / "lib"]) as net:
        return {"replies": net.host("h1").ping("h2", count=count)}
"""


def clone(folder: Path) -> Path:
    """A study with a program that includes a file, and a topology that names one."""
    (folder / "lib").mkdir(parents=True)
    text = (NET / "router.p4").read_text(encoding="utf-8")
    head, end = text.index("\ncontrol MyIngress"), text.index("\ncontrol MyEgress")
    (folder / "lib" / "ingress.p4").write_text(text[head:end], encoding="utf-8")
    include = '\n#include "ingress.p4"\n'
    (folder / "router.p4").write_text(text[:head] + include + text[end:], encoding="utf-8")
    for name in ("topology.json", *(path.name for path in NET.glob("*runtime.json"))):
        (folder / name).write_bytes((NET / name).read_bytes())
    (folder / "study.py").write_text(STUDY, encoding="utf-8")
    return folder


def test_two_clones_give_the_same_bytes(tmp_path: Path) -> None:
    found = []
    for folder in (clone(tmp_path / "one"), clone(tmp_path / "elsewhere" / "a longer name")):
        code, _, problems = run_weir("experiment", "run", "study.py", "--workers", "1", cwd=folder)
        assert code == 0, problems
        out = folder / "out" / "study"
        files = [*out.glob("*.parquet"), *out.glob("frames/*.parquet"), out / "experiment.json"]
        found.append({path.name: path.read_bytes() for path in [*files, *out.glob("runs/*.json")]})
    assert len(found[0]) >= 5
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("change", "is_equal"),
    [
        (lambda text: "/* a comment\n that is long */\n" + text, True),
        (lambda text: text.replace("{\n", "{\n\n "), True),
        (lambda text: text.replace("ttl - 1", "ttl - 2"), False),
    ],
)
def test_a_digest_is_that_of_what_a_program_does(
    tmp_path: Path, change: Callable[[str], str], is_equal: bool
) -> None:
    text = programs.PROGRAMS["router"].read_text(encoding="utf-8")
    (tmp_path / "a.p4").write_text(text, encoding="utf-8")
    (tmp_path / "b.p4").write_text(change(text), encoding="utf-8")
    first, second = (weir.compile(tmp_path / name).digest for name in ("a.p4", "b.p4"))
    assert (first == second) is is_equal


def test_texts_that_look_like_places_count(tmp_path: Path) -> None:
    text = programs.PROGRAMS["router"].read_text(encoding="utf-8")
    apply = text.index("apply {", text.index("control RouterIngress")) + len("apply {")
    digests = set()
    for message in ("at @1:2", "at @1:3", 'a \\" quote @1:2', 'a \\" quote @1:3'):
        (tmp_path / "a.p4").write_text(
            f'{text[:apply]} log_msg("{message}"); {text[apply:]}', encoding="utf-8"
        )
        digests.add(weir.compile(tmp_path / "a.p4").digest)
    assert len(digests) == 4
