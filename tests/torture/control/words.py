"""Words, values and documents for the control interface, most of them wrong."""

from __future__ import annotations

import functools
import json
import random
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]

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


@functools.cache
def document() -> dict[str, Any]:
    """A valid document for the program: the example of docs/reference/control.md, and more."""
    page = (ROOT / "docs" / "reference" / "control.md").read_text(encoding="utf-8")
    return {
        **json.loads(page.split("```json\n")[1].split("```")[0]),
        "target": "bmv2",
        "multicast_group_entries": [
            {"multicast_group_id": 1, "replicas": [{"egress_port": 1, "instance": 2}]}
        ],
        "clone_session_entries": [
            {
                "clone_session_id": 1,
                "replicas": [{"egress_port": 1}, {"egress_port": 2}],
                "packet_length_bytes": 9,
            }
        ],
    }


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


def spoilt_text(text: str, chance: random.Random) -> str:
    """The text with some characters deleted, inserted or repeated."""
    for _ in range(chance.choice([1, 1, 2, 5])):
        place, length = chance.randrange(len(text) + 1), chance.choice([1, 1, 1, 5, 100])
        match chance.randrange(4):
            case 0:
                text = text[:place] + text[place + length :]
            case 1:
                text = (
                    text[:place]
                    + chance.choice(
                        ["[", "{", "]", "}", '"', ",", ":", "\\", "9", "-", "\x00", "é", "null", "1e999"]
                    )
                    * length
                    + text[place:]
                )
            case 2:
                text = text[:place] + text[place : place + length] * 2 + text[place + length :]
            case _:
                text = (
                    text[:place]
                    + chr(chance.choice([0, 10, 34, 39, 92, 127, 0x202E, 0x1F600]))
                    + text[place:]
                )
    return text
