"""Files of the simple test framework."""

from __future__ import annotations

import functools
import random
from pathlib import Path

import weir
from torture.case import Case, Failed
from torture.control.words import WORDS, spoilt_text
from torture.switch import ROOT, check_message
from weir.errors import P4Error, WeirError
from weir.program import EXECUTORS
from weir.stf import run_stf

_LINES = [
    "packet 1 ff", "packet 511 00", "packet 99999999999 00", "packet 1 0", "packet 1 zz", "packet 1", "expect 2 ** $",
    "expect 2 f", "expect 2 " + "*" * 5000, "no_packet", "wait", "add t 1 h.x:1 a(1)", "add t h.x:0b*** a()", "setdefault t a(x:1)",
    "check_counter c(0) packets == 1", "check_counter c == 1", "mirroring_add 1 2", "mc_mgrp_create 1", "# x", "packet 1 " + "00" * 20_000,
    "expect", "add", "set_queue_rate 1 1", "time 9999999999999999999s", "wait 1e9s",
]  # fmt: skip


@functools.cache
def _paths() -> list[Path]:
    return sorted(path for path in ROOT.glob("testdata/stf/**/*.stf") if path.with_suffix(".p4").exists())


@functools.cache
def _programs(path: Path) -> tuple[weir.Program, ...]:
    try:
        return tuple(weir.compile(path.with_suffix(".p4"), executor=executor) for executor in EXECUTORS)
    except P4Error:
        return ()


def tests(chance: random.Random) -> Case:
    """A test with lines deleted, repeated, damaged or added, on both executors."""
    path, other = chance.choice(_paths()), chance.choice(_paths())
    lines, others = path.read_text().splitlines(), other.read_text().splitlines()
    for _ in range(chance.choice([1, 1, 2, 5])):
        place = chance.randrange(len(lines) + 1)
        match chance.randrange(5):
            case 0:
                del lines[place : place + chance.choice([1, 1, 5])]
            case 1:
                lines[place:place] = lines[place : place + 3] * chance.choice([1, 1, 30])
            case 2:
                lines.insert(place, chance.choice([*_LINES, *others]))
            case 3 if place < len(lines):
                words = lines[place].split(" ")
                words[chance.randrange(len(words))] = chance.choice(WORDS)
                lines[place] = " ".join(words)
            case _:
                lines = spoilt_text("\n".join(lines), chance).splitlines()
    content = "\n".join(lines).encode("utf-8", "replace")

    def run(folder: Path) -> str:
        (folder / "a.stf").write_bytes(content)
        results = []
        for program in _programs(path):
            try:
                result = run_stf(program, "a.stf")
                results.append(
                    (
                        result.checks,
                        result.packets,
                        [(one.line, one.message) for one in result.failures],
                        result.printed,
                    )
                )
            except WeirError as error:
                check_message(error)
                results.append(str(error))
        if any(result != results[0] for result in results):
            raise Failed(f"executors differ: {results}"[:3000])
        return (
            "refused"
            if not results or isinstance(results[0], str)
            else "failed"
            if results[0][2]
            else "passed"
        )

    return Case("tests", run, {"a.stf": content, "program.txt": str(path.with_suffix(".p4"))})
