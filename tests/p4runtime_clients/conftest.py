"""Fixtures: the clients' environments, and controllers in other processes."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from client_process import Controller, Start
from environments import REQUIREMENTS, python_with

import weir


@pytest.fixture(scope="session")
def interpreters() -> dict[str, Path]:
    """The Python interpreters with the packages of each client."""
    clients = sorted(path.stem for path in REQUIREMENTS.glob("*.txt"))
    with ThreadPoolExecutor(len(clients)) as pool:
        return dict(zip(clients, pool.map(python_with, clients), strict=True))


@pytest.fixture
def start(interpreters: dict[str, Path], tmp_path: Path) -> Iterator[Start]:
    """Starts a controller of s1, with a program in all the forms that clients send."""
    started: list[Controller] = []

    def begin(client: str, script: str, program: Path, net: weir.Network) -> Controller:
        (tmp_path / "program.p4").write_text(program.read_text())
        (tmp_path / "program.p4info.txtpb").write_bytes(weir.compile(program).p4info())
        # What our p4c writes into the JSON.
        carried = {"program": program.name, "files": {program.name: program.read_text()}, "folders": []}
        (tmp_path / "program.json").write_text(json.dumps({"weir": carried | {"defines": {}}}))
        started.append(Controller(interpreters[client], script, net.p4runtime.address("s1"), tmp_path))
        return started[-1]

    yield begin
    for controller in started:
        controller.close()
