"""Random commands and documents, most of them wrong, succeed or fail with an error."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import weir
from weir.control import Switch
from weir.control.commands import COMMANDS
from weir.errors import WeirError
from weir.stf.bench import Bench

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "reference" / "control.md").read_text(encoding="utf-8")
DOCUMENT: dict[str, Any] = {
    **json.loads(PAGE.split("```json\n")[1].split("```")[0]),
    "target": "bmv2",
    "multicast_group_entries": [{"multicast_group_id": 1, "replicas": [{"egress_port": 1, "instance": 2}]}],
    "clone_session_entries": [
        {
            "clone_session_id": 1,
            "replicas": [{"egress_port": 1}, {"egress_port": 2}],
            "packet_length_bytes": 9,
        }
    ],
}
NUMBERS = [
    "0",
    "1",
    "2",
    "3",
    "9",
    "-1",
    "255",
    "256",
    "0x1ff",
    "0b2",
    "1e9",
    "4294967296",
    str(2**64),
    "9" * 5000,
]
WORDS = [
    *NUMBERS,
    *("=>", "|", "*", "", "#", "true", "1&&&3", "1&&&", "0->9", "9->0", "10.0.0.0/8", "10.0.0.0/99", "::1/64"),
    *("1:1", "0.1:5", "1Mbit:1", "5pps:5", "nan:1", "inf:1", "1:", ":", "fast", "1Mbit", "٣", "²", "\x00", "ä.b"),
]  # fmt: skip
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2**32, 2**64, 2**200, 1.5, "", "x", "10.0.0.1", "0x1", [], {}, [1], [1, 2]),
    *([[1]], {"a": 1}, "ways", "balance", "NoAction", [None], {"member_id": 1}, ["1", {}], "9" * 5000),
]  # fmt: skip


@pytest.fixture(scope="module")
def program() -> weir.Program:
    """The program with one of each thing."""
    return weir.compile(ROOT / "testdata" / "switch" / "control.p4")


def fresh(program: weir.Program) -> Switch:
    return Bench(program, [1, 2, 3]).switch


def state(switch: Switch) -> object:
    """All that can be read."""
    names = switch.program
    return (
        [(table.entries(), table.default) for table in switch.tables.values()],
        [switch.counter(name).cells() for name in names.objects("counter")],
        [switch.register(name).cells() for name in names.objects("register")],
        [switch.meter(name).cells() for name in names.objects("meter")],
        [
            (switch.action_profile(name).members(), switch.action_profile(name).groups())
            for name in names.profiles
        ],
        [switch.value_set(name).members() for name in names.value_sets],
        [switch.queues(port) for port in switch.ports],
        [switch.crc(name) for name in ("crc16_custom", "crc32_custom")],
        (switch.multicast_groups(), switch.clone_sessions()),
    )


def attempt(act: Callable[[Any], object], given: Any) -> bool:
    """Whether it was done; any other end than that and a mistake told is a failure of the test."""
    try:
        act(given)
    except WeirError as error:
        assert str(error) and "\n" not in str(error)
        return False
    return True


def test_commands(program: weir.Program):
    done = failed = 0
    for seed in range(25):
        chance = random.Random(seed)
        switch = fresh(program)
        runtime = switch.runtime
        for _ in range(120):
            words = [chance.choice(list(COMMANDS))]
            for _ in range(COMMANDS[words[0]].least + chance.choice([-1, 0, 0, 0, 1, 3])):
                known = runtime.choices(words) or ["1", "2", "=>", "1:1"]
                words.append(chance.choice(known if chance.random() < 0.9 else WORDS))
            before = state(switch)
            if attempt(runtime.call, words):
                done += 1
            else:
                failed += 1
                assert state(switch) == before, words
    assert done > 500 and failed > 1000


def spoilt(value: Any, chance: random.Random, rate: float) -> Any:
    """The document with some of its parts exchanged, omitted or doubled."""
    if chance.random() < rate:
        return chance.choice(VALUES)
    if isinstance(value, dict):
        return {key: spoilt(part, chance, rate) for key, part in value.items() if chance.random() > rate / 2}
    if isinstance(value, list):
        return [
            spoilt(part, chance, rate)
            for part in value
            for _ in range(2 if chance.random() < rate / 4 else 1)
        ]
    return value


def test_documents(program: weir.Program):
    done = failed = 0
    for seed in range(600):
        chance = random.Random(seed)
        switch = fresh(program)
        before = state(switch)
        document = spoilt(DOCUMENT, chance, 0.012)
        if not isinstance(document, dict):
            continue
        if attempt(switch.load_entries, document):
            done += 1
        else:
            failed += 1
            assert state(switch) == before, document
    assert done > 30 and failed > 200
