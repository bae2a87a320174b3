"""p4c's JSON and the programs that it was made from: both run on Weir, and must do the same.

    .venv/bin/python peers/bmv2/p4c_json.py SOURCES JSON [--packets 40] [--only WORD]

Each ``JSON/NAME.json`` is compared with its source, ``SOURCES/NAME.p4``. Packets that follow the
parser's states, and entries for the tables, are made at random from the JSON. They run on the
program from the source, and on the program from the JSON with both executors. Output, accepted
commands, counters and registers must be equal. If there is a ``SOURCES/NAME.stf``, both programs
run that test, too. This needs no p4c, because the JSON already exists.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from weir_sides import BenchSide, EndlessCopies, run

import weir
from weir.errors import WeirError
from weir.program import EXECUTORS
from weir.stf import run_stf

PORTS = range(8)
Document = dict[str, Any]


@dataclass
class Inputs:
    """The inputs of a program.

    Attributes:
        commands: runtime commands.
        packets: the port and the bytes of each packet.
        reads: the commands that print counters and registers at the end.
    """

    commands: list[str] = field(default_factory=list)
    packets: list[tuple[int, bytes]] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)


class Maker:
    """Makes inputs for a program from its JSON. Packets and entries share a few values."""

    def __init__(self, document: Document, seed: str) -> None:
        self.document = document
        self.random = random.Random(seed)
        self.types = {one["name"]: one for one in document["header_types"]}
        self.headers = {one["name"]: self.types.get(one["header_type"]) for one in document["headers"]}
        by_id = {one["id"]: one["name"] for one in document["headers"]}
        for stack in document["header_stacks"]:
            first = by_id[stack["header_ids"][0]]
            self.headers[stack["name"]] = self.headers[first]
        self.states = {one["name"]: one for parser in document["parsers"] for one in parser["parse_states"]}
        self.actions = {one["id"]: one for one in document["actions"]}

    def value(self, width: int) -> int:
        """A number of this width: one of a few shared values, or any value."""
        few = (0, 1, 2, 3, 4, 0x0800, (1 << width) - 1, 1 << (width - 1), 0x0A000001)
        if self.random.random() < 0.75:
            return self.random.choice(few) & ((1 << width) - 1)
        return self.random.getrandbits(width)

    def packet(self) -> bytes:
        """Makes a packet: headers along the parser's states, and a payload."""
        name = self.document["parsers"][0]["init_state"]
        data = b""
        for _ in range(12):
            state = self.states.get(name)
            if state is None:
                break
            transition = self.random.choice(state["transitions"] or [{"next_state": None}])
            expected = self._key_values(state, transition)
            for op in state["parser_ops"]:
                data += self._read(op, expected)
            name = transition["next_state"]
        data += self.random.randbytes(self.random.choice((0, 4, 20, 60)))
        if self.random.random() < 0.1:
            data = data[: self.random.randrange(len(data) + 1)]
        return data or b"\0"

    def _key_values(self, state: Document, transition: Document) -> dict[str, int]:
        """The values of the key's fields with which a transition is taken."""
        if transition.get("type") != "hexstr":
            return {}
        value, wanted = int(transition["value"], 16), {}
        for key in reversed(state["transition_key"]):
            width = self._width(key)
            if key["type"] in ("field", "stack_field"):
                wanted[key["value"][1]] = value & ((1 << width) - 1)
            value >>= -(-width // 8) * 8
        return wanted

    def _width(self, key: Document) -> int:
        if key["type"] == "lookahead":
            return int(key["value"][1])
        header = self.headers.get(key["value"][0]) or {"fields": []}
        widths = {name: width for name, width, *_ in header["fields"]}
        width = widths.get(key["value"][1], 1)
        return width if isinstance(width, int) else 0

    def _read(self, op: Document, key_values: dict[str, int]) -> bytes:
        """Bytes for an operation of the parser."""
        if not op["op"].startswith("extract"):
            return b""
        target = op["parameters"][0]
        name = target["value"] if isinstance(target["value"], str) else target["value"][0]
        header = self.headers.get(name)
        value = width = 0
        for member, bits, *_ in header["fields"] if header else []:
            if isinstance(bits, int):
                one = key_values.get(member, self.value(bits) if bits else 0) & ((1 << bits) - 1)
                value, width = value << bits | one, width + bits
        return (value << -width % 8).to_bytes(-(-width // 8), "big")

    def inputs(self, packets: int) -> Inputs:
        """Makes the inputs: entries, packets, and the commands that read objects at the end."""
        made = Inputs()
        for pipeline in self.document["pipelines"]:
            for table in pipeline["tables"]:
                if table["type"] == "simple" and not table["name"].startswith("tbl_"):
                    made.commands += [line for _ in range(4) for line in self._entry(table)]
        made.packets = [(self.random.choice(PORTS), self.packet()) for _ in range(packets)]
        made.reads = [f"register_read {one['name']}" for one in self.document["register_arrays"]]
        for counter in self.document["counter_arrays"]:
            if not counter["is_direct"]:
                cells = range(min(4, counter["size"]))
                made.reads += [f"counter_read {counter['name']} {index}" for index in cells]
        return made

    def _entry(self, table: Document) -> Sequence[str]:
        if not table["key"] or "entries" in table or not table["action_ids"]:
            return []
        # The JSON does not say which actions are only for the default entry, and p4c adds
        # `NoAction` as such an action.
        actions = [self.actions[id] for id in table["action_ids"]]
        actions = [action for action in actions if action["name"] != "NoAction"]
        if not actions:
            return []
        action = self.random.choice(actions)
        data = [hex(self.value(one["bitwidth"])) for one in action["runtime_data"]]
        keys = []
        for key in table["key"]:
            width = (
                self._width({"type": "field", "value": key["target"]})
                if isinstance(key["target"], list)
                else 8
            )
            value = self.value(width) if width else 0
            match key["match_type"]:
                case "lpm":
                    length = self.random.randint(0, width)
                    keys.append(f"{value >> (width - length) << (width - length):#x}/{length}")
                case "ternary" | "optional":
                    mask = self.random.choice((0, (1 << width) - 1))
                    keys.append(f"{value & mask:#x}&&&{mask:#x}")
                case "range":
                    low, high = sorted((value, self.value(width)))
                    keys.append(f"{low:#x}->{high:#x}")
                case _:
                    keys.append(hex(value))
        ranked = any(one["match_type"] in ("ternary", "range", "optional") for one in table["key"])
        priority = [str(self.random.randint(1, 1 << 20))] if ranked else []
        words = ["table_add", table["name"], action["name"], *keys, "=>", *data, *priority]
        return [" ".join(words)]


def outcome(program: weir.Program, inputs: Inputs) -> list[object]:
    """The outcome of a program with these inputs: accepted commands, sent packets, counters and
    registers."""
    side = BenchSide(program, PORTS)
    answers: list[object] = [run(side, line)[0] for line in inputs.commands]
    try:
        for number, sent in enumerate(side.send(inputs.packets)):
            answers.append((number, sorted(sent)))
    except EndlessCopies as error:
        answers.append(f"endless: {error}")
    return answers + [run(side, line) for line in inputs.reads]


def is_unit(label: str, one: object, other: object) -> bool:
    """Whether two counts differ only because the JSON does not say whether a counter counts packets
    or bytes."""
    if not label.startswith("counter_read"):
        return False
    numbers = [re.findall(r"= (\d+) packets, (\d+) bytes", str(said)) for said in (one, other)]
    return all(a in ("0", b) for a, b in zip(*(found[0] for found in numbers), strict=True))


def compare(source: Path, p4c_json: Path, packets: int) -> tuple[str, str]:
    """Compares a program from its source with the program from its JSON; returns a word, and the
    differences."""
    try:
        programs = {executor: weir.compile(p4c_json, executor=executor) for executor in EXECUTORS}
    except WeirError as error:
        return "refused", str(error).splitlines()[0]
    try:
        original = weir.compile(source, executor="interp")
    except WeirError as error:
        return "source refused", str(error).splitlines()[0]
    inputs = Maker(json.loads(p4c_json.read_text()), p4c_json.stem).inputs(packets)
    expected = outcome(original, inputs)
    labels = inputs.commands + [f"packet {port} {data.hex()}" for port, data in inputs.packets] + inputs.reads
    for executor, program in programs.items():
        outcome_of_source = outcome(program, inputs)
        for label, one, other in zip(labels, expected, outcome_of_source, strict=False):
            if one != other and not is_unit(label, one, other):
                return "differs", f"{executor}: {label}: source {one}, JSON {other}"
        if len(expected) != len(outcome_of_source):
            return "differs", f"{executor}: {expected[-1]} and {outcome_of_source[-1]}"
    test = source.with_suffix(".stf")
    if test.exists():
        verdicts = []
        for program in (original, *programs.values()):
            try:
                verdicts.append(str(run_stf(program, test).passed))
            except WeirError as error:
                verdicts.append(str(error))
        if len(set(verdicts)) > 1:
            return "differs", f"{test.name}: {verdicts}"
        return f"same, and its test {'passes' if verdicts[0] == 'True' else 'fails on both'}", ""
    return "same", ""


def main() -> int:
    """Compares all programs; returns 1 if any differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sources", type=Path, help="the folder of the P4 programs")
    parser.add_argument("json", type=Path, help="the folder of p4c's JSON")
    parser.add_argument("--packets", type=int, default=40)
    parser.add_argument("--only", default="", help="only programs with this in their name")
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    for made in sorted(args.json.glob("*.json")):
        source = args.sources / f"{made.stem}.p4"
        if args.only not in made.stem or not source.exists():
            continue
        word, why = compare(source, made, args.packets)
        counts[word] += 1
        if why:
            print(f"{made.stem}: {word}: {why}", flush=True)
    for word, count in counts.most_common():
        print(f"{count:5} {word}")
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
