"""Writes cases with their outcome on ``simple_switch`` to files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from generator.program import Case
from outcome import Outcome


def write(folder: Path, case: Case, outcome: Outcome, rows: Sequence[str] = ()) -> None:
    """Writes ``bSEED.p4`` and ``bSEED.json``, which ``tests/test_bmv2_cases.py`` reads.

    Counters are name, index, kind, value; direct counters name, table, number of the entry among
    those that commands add to the table, value; registers name, index, value. ``rows`` are the rows
    of the rules that explain why Weir's outcome differs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"b{case.seed}.p4").write_text(case.program)
    state = outcome.state
    document: dict[str, list[object]] = {
        "features": list(case.features),
        "rules": list(rows),
        "commands": [line for line, taken in zip(case.commands, outcome.taken, strict=False) if taken],
        "later": [
            [number, line]
            for (number, line), taken in zip(case.later, outcome.taken[len(case.commands) :], strict=True)
            if taken
        ],
        "packets": [
            [port, data.hex(), [[out, sent.hex()] for out, sent in sorted(outputs)]]
            for (port, data), outputs in zip(case.packets, outcome.sent, strict=True)
        ],
        "counters": [
            [name, index, kind, state[f"{name}[{index}]"]]
            for name, cells, kind in case.counters
            for index in range(cells)
        ],
        "direct": [
            [name, table, int(cell.rpartition(" ")[2]), value]
            for name, table in case.direct
            for cell, value in state.items()
            if cell.startswith(f"{name} entry ")
        ],
        "registers": [
            [name, int(cell[len(name) + 1 : -1]), value]
            for name, _ in case.registers
            for cell, value in state.items()
            if cell.startswith(f"{name}[") and value
        ],
    }
    lines = ",\n".join(f"{json.dumps(name)}: {_rows(rows)}" for name, rows in document.items())
    (folder / f"b{case.seed}.json").write_text(f"{{\n{lines}\n}}\n")


def _rows(rows: list[object]) -> str:
    return "[\n  " + ",\n  ".join(json.dumps(one) for one in rows) + "\n]" if rows else "[]"
