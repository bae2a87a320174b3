"""Runtime commands, documents and calls of the Python API."""

from __future__ import annotations

import inspect
import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import weir
from torture.case import Case
from torture.control.words import VALUES, WORDS, document, spoilt, spoilt_text
from torture.switch import Watched, fresh, outcome
from weir.control import Switch
from weir.control.commands import COMMANDS

_REQUESTS = 30


def words(chance: random.Random, switch: Switch, wild: float = 0.1) -> list[str]:
    """A runtime command, with words that it knows and words that it does not know."""
    command = [chance.choice(list(COMMANDS))]
    for _ in range(COMMANDS[command[0]].least + chance.choice([-1, 0, 0, 0, 1, 3])):
        known = switch.runtime.choices(command) or ["1", "2", "=>", "1:1"]
        command.append(chance.choice(WORDS if chance.random() < wild else known))
    return command


def commands(chance: random.Random) -> Case:
    """Runtime commands in any order."""
    seed = chance.getrandbits(60)

    def run(folder: Path) -> str:
        own, switch = random.Random(seed), fresh()
        lines = (words(own, switch) for _ in range(_REQUESTS))
        return _done(switch, ((lambda line=line: switch.runtime.call(line), line) for line in lines))

    return Case("commands", run)


def command_files(chance: random.Random) -> Case:
    """Files of runtime commands with words and bytes that nobody would type."""
    switch = fresh()
    lines = [" ".join(words(chance, switch, 0.02)) for _ in range(chance.randrange(1, 30))]
    text = "\n".join(lines)
    content = text.encode("utf-8", "replace")
    if chance.random() < 0.7:
        content = spoilt_text(text, chance).encode("utf-8", "replace")
    if chance.random() < 0.05:
        content = chance.randbytes(chance.randrange(5000))

    def run(folder: Path) -> str:
        (folder / "commands.txt").write_bytes(content)
        try:
            fresh().run_commands("commands.txt")
        except weir.WeirError as error:
            assert len(str(error)) < 100_000
            return "refused"
        return "done"

    return Case("command-files", run, {"commands.txt": content})


def documents(chance: random.Random) -> Case:
    """Documents of runtime JSON with values of other types."""
    given = spoilt(document(), chance, chance.choice([0.003, 0.012, 0.05]))

    def run(folder: Path) -> str:
        switch = fresh()
        return outcome(*_count(Watched(switch).attempt(lambda: switch.load_entries(given), given)))

    if not isinstance(given, dict):
        return documents(chance)
    return Case("documents", run, {"entries.json": json.dumps(given)})


def document_files(chance: random.Random) -> Case:
    """Files of runtime JSON that are not JSON, or are too large or too deep."""
    form = chance.randrange(6)
    content: bytes
    if form < 3:
        content = spoilt_text(json.dumps(document(), indent=chance.choice([None, 1])), chance).encode(
            "utf-8", "replace"
        )
    elif form == 3:
        deep = chance.choice([10, 1000, 100_000, 1_000_000])
        content = (chance.choice(["[", '{"a":', '[{"table_entries":']) * deep).encode()
    elif form == 4:
        count = chance.choice([10, 1000, 100_000])
        content = json.dumps({**document(), "table_entries": document()["table_entries"] * count}).encode()[
            :5_000_000
        ]
    else:
        content = chance.choice(
            [b"", b"\xff\xfe", b"\xef\xbb\xbf{}", b"null", b'"', b"1e400", chance.randbytes(500)]
        )

    def run(folder: Path) -> str:
        (folder / "entries.json").write_bytes(content)
        switch = fresh()
        return outcome(*_count(Watched(switch).attempt(lambda: switch.load_entries("entries.json"), "")))

    return Case("document-files", run, {"entries.json": content})


def _count(done: bool) -> tuple[int, int]:
    return (1, 0) if done else (0, 1)


ODD: list[Any] = [
    *VALUES,
    b"",
    b"\xff" * 200,
    object(),
    print,
    float("nan"),
    float("-inf"),
    (),
    {1: 2},
    {"x"},
    range(3),
    10**5000,
    "\x00",
    "1ms",
]


def calls(chance: random.Random) -> Case:
    """Methods of the Python API with any arguments."""
    seed = chance.getrandbits(60)

    def run(folder: Path) -> str:
        own, switch = random.Random(seed), fresh()
        return _done(switch, ((_call(own, switch), "a call") for _ in range(_REQUESTS)))

    return Case("calls", run)


def _done(switch: Switch, requests: Iterable[tuple[Callable[[], object], object]]) -> str:
    """Makes requests, given with their descriptions, and counts successes and failures."""
    watched = Watched(switch)
    ends = [watched.attempt(act, what) for act, what in requests]
    return outcome(ends.count(True), ends.count(False))


def _call(chance: random.Random, switch: Switch) -> Callable[[], object]:
    names = switch.program
    kind = chance.randrange(6)
    target: Any
    if kind == 0:
        target = switch
    elif kind == 1:
        target = switch.action_profile(chance.choice(list(names.profiles)))
    elif kind == 2:
        target = switch.value_set(chance.choice(list(names.value_sets)))
    elif kind == 3:
        target = getattr(switch, own := chance.choice(["counter", "register", "meter"]))(
            chance.choice(list(names.objects(own)))
        )
    else:
        target = chance.choice(list(switch.tables.values()))
    methods = [
        name for name, _ in inspect.getmembers(type(target), inspect.isfunction) if not name.startswith("_")
    ]
    # `trace` and what prints tables are not about control.
    method = getattr(
        target, chance.choice([name for name in methods if name not in ("trace", "to_frame", "draw")])
    )
    arguments: dict[str, Any] = {}
    try:
        parameters = inspect.signature(method).parameters
    except (TypeError, ValueError):
        return lambda: None
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.default is parameter.empty or chance.random() < 0.4:
            arguments[name] = _argument(chance, switch, name)

    def call() -> object:
        return _positional(method, parameters, arguments)

    return call


def _positional(method: Callable[..., object], parameters: Any, arguments: dict[str, Any]) -> object:
    """Calls with positional arguments where names are not allowed."""
    positional = [arguments.pop(name) for name, own in parameters.items() if own.kind is own.POSITIONAL_ONLY]
    return method(*positional, **arguments)


def _argument(chance: random.Random, switch: Switch, name: str) -> Any:
    good: dict[str, Any] = {
        "action": chance.choice(["NoAction", "ways", "balance"]),
        "port": 1, "packets": 4, "rate": "1Mbit", "index": 1, "value": 1, "group": 1, "session": 1, "name": "x",
        "table": chance.choice(list(switch.tables)), "priority": 1, "member": 1, "replicas": [1, 2], "timeout": "1s",
    }  # fmt: skip
    return good[name] if name in good and chance.random() < 0.5 else chance.choice(ODD)
