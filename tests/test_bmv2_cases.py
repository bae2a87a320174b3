"""Random programs give what `simple_switch` gave: cases that `peers/bmv2 --record` wrote."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from weir.program import EXECUTORS, compile
from weir.stf.bench import Bench

FOLDER = Path(__file__).parent.parent / "testdata" / "bmv2"
CASES = sorted(FOLDER.glob("*.json"))
PORTS = range(6)


def test_there_are_cases() -> None:
    assert len(CASES) >= 28
    # They stay small enough to be read and kept.
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 450_000


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_outcome(path: Path, executor: str) -> None:
    case = json.loads(path.read_text())
    bench = Bench(compile(path.with_suffix(".p4"), executor=executor), PORTS, within=False)
    switch = bench.switch
    handles: dict[str, list[int]] = {}

    def run(line: str) -> None:
        """Runs a command, in which ``@3`` is the fourth entry that was added to its table."""
        entries = handles.setdefault(line.split()[1], [])
        said = "\n".join(
            switch.runtime.run(re.sub(r"@(\d+)", lambda found: str(entries[int(found.group(1))]), line))
        )
        if line.startswith(("table_add ", "table_indirect_add")):
            entries.append(int(re.findall(r"entry (\d+)", said)[0]))

    for line in case["commands"]:
        run(line)

    def change(packet: int) -> None:
        for line in (line for before, line in case["later"] if before == packet):
            run(line)

    for number, (port, data, expected) in enumerate(case["packets"]):
        change(number)
        journey = bench.send(port, bytes.fromhex(data))
        sent = [[output.port, output.packet.hex()] for _, output in bench.take_outputs()]
        assert journey.ended
        assert sorted(sent) == sorted(expected), f"packet {number}: {data} on port {port}"
        bench.forget()
    change(len(case["packets"]))
    for name, index, kind, expected in case["counters"]:
        count = switch.counter(name).read(index)
        found = {"packets": count.packets, "bytes": count.bytes}.get(kind, [count.packets, count.bytes])
        assert found == expected, f"{name}[{index}]"
    for name, table, number, expected in case["direct"]:
        count = switch.counter(name).read(handles[table][number])
        assert [count.packets, count.bytes] == expected, f"{name}, entry {number}"
    found = {(name, index): switch.register(name).cells()[index] for name, index, _ in case["registers"]}
    assert found == {(name, index): value for name, index, value in case["registers"]}
