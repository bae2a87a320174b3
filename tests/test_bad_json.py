"""Any value at any place of a topology or of entries is read, or refused with its place."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weir
from weir.errors import WeirError

NET = Path(__file__).parent / "net"

STRANGE: list[Any] = [
    None, True, 0, 1, -1, 1.5, -0.0, 10**400, float("inf"), 1e-300,
    "", " ", "x", "0", "1", "-1", "\x00", "é" * 300, "s1-p1", "h1", "10.0.0.0/8", "1ms", "10Mbit", "1e9999ms", "٣", "0x", "١٠ms",
    [], [[]], [1], ["h1", "s1-p1"], {}, {"": ""}, {"table": "MyIngress.acl"},
]  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a document."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for i in range(len(value)):
            yield from places(value[i], (*path, i))


def put(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The document with another value at a path."""
    if not path:
        return value
    document = copy.deepcopy(document)
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return document


def variants(file: Path) -> Iterator[str]:
    """The file is read, or refused with the place, with each strange value at each place."""
    document = json.loads(file.read_text())
    for path in places(document):
        for value in STRANGE:
            yield json.dumps(put(document, path, value)).replace("Infinity", "1e999")


def has_places(error: WeirError, path: Path) -> bool:
    """Whether each mistake is on a line with its file; the last line may count further mistakes."""
    first, *others = str(error).split("\n")
    return str(path) in first and all(line.startswith((f"{path}:", "and ")) for line in others)


def test_strange_topologies(tmp_path: Path):
    (tmp_path / "s1-runtime.json").write_text("{}")
    path = tmp_path / "topology.json"
    outcomes = {"read": 0, "refused": 0}
    for text in variants(NET / "topology.json"):
        path.write_text(text)
        try:
            weir.Topology.load(path)
            outcomes["read"] += 1
        except WeirError as error:
            assert has_places(error, path), f"{text}\n{error}"
            outcomes["refused"] += 1
    assert outcomes["read"] > 20
    assert outcomes["refused"] > 500


def test_strange_entries(s1: weir.Switch, tmp_path: Path):
    path = tmp_path / "s1-runtime.json"
    refused = 0
    for text in variants(NET / "s1-runtime.json"):
        path.write_text(text)
        for entry in s1.table("ipv4_lpm").entries():
            s1.table("ipv4_lpm").delete(entry.match)
        try:
            s1.load_entries(path)
        except WeirError as error:
            assert has_places(error, path), f"{text}\n{error}"
            refused += 1
    assert refused > 500


@pytest.mark.parametrize("file", ["topology.json", "s1-runtime.json"])
def test_files_cut_short(s1: weir.Switch, tmp_path: Path, file: str):
    whole = (NET / file).read_bytes()
    path = tmp_path / file
    for length in range(len(whole.rstrip())):
        path.write_bytes(whole[:length])
        with pytest.raises(WeirError) as caught:
            if file == "topology.json":
                weir.Topology.load(path)
            else:
                s1.load_entries(path)
        assert str(caught.value).startswith(f"{path}:")
