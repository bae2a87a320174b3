"""The memory that controllers have filled returns to the system, and unused cells take none."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from attacks import attackers, scene
from weir.p4runtime import Client

PROGRAM = Path(__file__).parent / "attacks" / "forward.p4"

NOISE_MB = 20
"""More than what threads keep for good."""


@pytest.fixture
def switch() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A switch without interfaces, and the port of its controllers."""
    port = scene.free_port()
    command = [sys.executable, "-m", "weir", "switch", str(PROGRAM), "--p4runtime", f"127.0.0.1:{port}"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    while " ready" not in (line := process.stderr.readline()):
        assert line, "the switch has ended"
    yield process, port
    process.terminate()
    process.communicate(timeout=60)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_memory_of_unread_messages_returns(switch: tuple[subprocess.Popen[str], int]) -> None:
    """One thread allocates the messages, another frees them, and then both have nothing to do."""
    process, port = switch
    before, peak = scene.memory_mb(process.pid), 0.0
    # 138 bids with 64 KB each, for 16 backups that do not read, fill half of the budget.
    target = json.dumps({"p4runtime": port})
    attacker = subprocess.Popen([sys.executable, attackers.__file__, "unread-answers", "3", target])
    while attacker.poll() is None:
        peak = max(peak, scene.memory_mb(process.pid))
        time.sleep(0.02)
    assert attacker.returncode == 0
    assert peak >= before + 3 * NOISE_MB, "the messages fill memory"
    end = time.monotonic() + 10
    while (after := scene.memory_mb(process.pid)) > before + NOISE_MB and time.monotonic() < end:
        time.sleep(0.1)
    assert after <= before + NOISE_MB, f"{before}, {peak}, {after} MB"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_unused_cells_of_later_programs_take_no_memory(
    switch: tuple[subprocess.Popen[str], int], tmp_path: Path
) -> None:
    """Each program has an unused register of 160 MB, which takes no memory."""
    process, port = switch
    before = scene.memory_mb(process.pid)
    text, program = PROGRAM.read_text(), tmp_path / "cells.p4"
    with Client(f"127.0.0.1:{port}") as client:
        for number in range(3):
            register = f"    register<bit<64>>({20_000_000 + number}) cells;\n"
            program.write_text(text.replace("    action send(", f"{register}    action send(", 1))
            for action in ("verify", "verify_and_commit"):
                client.set_program(program, action)
                assert scene.memory_mb(process.pid) <= before + NOISE_MB, f"{action} of program {number}"
