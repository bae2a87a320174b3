"""Sends the same packets to a program on both executors and compares the results."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import weir
from torture.case import Case, Failed
from torture.entries import insert, params
from torture.packet_bytes import packet
from torture.packets.programs import compiled, paths
from weir.errors import ControlError
from weir.stf.bench import Bench

_PORTS = [0, 1, 2, 3, 4, 5, 6, 7]

_SECONDS = 4.0
"""Processor time after which no further packet is sent: one that loops can take a second."""


def any_bytes(chance: random.Random) -> Case:
    """Any bytes on any port of any program, with random entries."""
    candidates, seed = chance.choices(paths(), k=20), chance.getrandbits(60)
    packets = [(chance.choice([*_PORTS, 511, 1 << 20]), packet(chance)) for _ in range(20)]
    text = "".join(f"{port} {octets.hex()}\n" for port, octets in packets)

    def run(folder: Path) -> str:
        # Some are for no switch, or are only included.
        programs = next(filter(None, map(compiled, candidates)))
        return compare(programs, seed, packets)

    return Case("any-bytes", run, {"packets.txt": text, "programs.txt": "\n".join(map(str, candidates))})


def compare(programs: Sequence[weir.Program], seed: int, packets: Sequence[tuple[int, bytes]]) -> str:
    """Whether packets leave the switch: ``forwarded`` or ``silent``."""
    benches = [Bench(program, _PORTS, seed=seed % 1000, passes=40, block_steps=False) for program in programs]
    for bench in benches:
        configure(bench, random.Random(seed))
    come_out, begin = 0, time.process_time()
    for number, (port, octets) in enumerate(packets):
        if time.process_time() - begin > _SECONDS:
            break
        results = []
        for bench in benches:
            if port not in _PORTS:
                continue
            journey = bench.send(port, octets)
            outputs = [(output.time_ns, output.port, output.packet) for output in bench.take_outputs()]
            results.append((outputs, journey.ended))
        if any(result != results[0] for result in results):
            raise Failed(f"executors differ on packet {number} ({octets.hex()} on {port}): {results}"[:3000])
        if results:
            come_out += len(results[0][0])
            if not results[0][1]:
                break  # A packet that loops forever would disturb later packets.
    _compare_states(benches)
    return "forwarded" if come_out else "silent"


def configure(bench: Bench, chance: random.Random) -> None:
    """Random entries, defaults, members, groups and sessions; the same for the same numbers."""
    switch = bench.switch
    switch.set_multicast_group(1, [1, 2, 3])
    switch.set_clone_session(1, port=4)
    for table in switch.tables.values():
        for _ in range(chance.randrange(8)):
            insert(table, chance)
        actions = [action for action in table.info.actions if not action.table_only]
        if actions and not table.info.const_default and table.info.profile is None and chance.random() < 0.3:
            action = chance.choice(actions)
            table.set_default(action.name, params(action, chance))
    for name in switch.program.objects("register"):
        register = switch.register(name)
        if register.info.size and register.info.width:
            with suppress(ControlError):  # Cells of several fields take no number.
                register.write(chance.randrange(register.info.size), chance.getrandbits(register.info.width))


def _compare_states(benches: Sequence[Bench]) -> None:
    states = []
    for bench in benches:
        names = bench.program
        states.append(
            (
                [bench.switch.register(name).cells() for name in names.objects("register")],
                [bench.switch.counter(name).cells() for name in names.objects("counter")],
                [(table.hits, table.misses) for table in bench.switch.tables.values()],
            )
        )
    if any(state != states[0] for state in states):
        raise Failed(f"executors leave different states: {states}"[:3000])
