"""Many requests: very many entries, and threads while packets pass."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import weir
from torture.case import Case, Failed
from torture.entries import insert
from torture.packet_bytes import packet
from torture.switch import ROOT, check_message, fresh
from weir.errors import WeirError
from weir.stf.bench import Bench

_MILLION = 1_000_000
NET = ROOT / "tests" / "net"


def flood(chance: random.Random) -> Case:
    """Inserts far more entries into a table than it has room for, and deletes all in another
    order."""
    seed, count = chance.getrandbits(60), chance.choice([100, 1000, 5000])

    def run(folder: Path) -> str:
        own, switch = random.Random(seed), fresh()
        tables = [
            table for table in switch.tables.values() if not table.info.const_entries and table.info.keys
        ]
        table = own.choice(tables)
        present = len(table)
        for _ in range(count):
            present += insert(table, own)
            if len(table) != present:
                raise Failed(f"{present} entries were taken, the table has {len(table)}")
        entries = table.entries()
        handles = {entry.handle for entry in entries}
        if len(handles) != present or len(entries) != present:
            raise Failed(f"{len(handles)} handles, {len(entries)} entries, {present} were taken")
        for entry in own.sample(entries, len(entries)):
            table.delete(own.choice([entry, entry.handle]))
        if len(table) or table.entries():
            raise Failed(f"{len(table)} entries are left")
        return "full" if present < count else "done"

    return Case("flood", run)


def threads(chance: random.Random) -> Case:
    """Threads that change a network's switch while another one runs it."""
    seed, executor = chance.getrandbits(60), chance.choice(["native", "interp"])

    def run(folder: Path) -> str:
        errors: list[BaseException] = []
        with weir.Network.load(NET / "topology.json", NET / "router.p4", executor=executor) as network:
            table = network.switch("s1").table("ipv4_lpm")
            size = len(table)

            def change(number: int) -> None:
                own = random.Random(seed + number)
                try:
                    for _ in range(100):
                        key = {"hdr.ipv4.dstAddr": f"10.{number}.{own.randrange(4)}.0/24"}
                        try:
                            table.insert(key, "ipv4_forward", {"dstAddr": "08:00:00:00:02:22", "port": 2})
                            table.delete(key)
                        except WeirError as error:
                            check_message(error)
                except BaseException as error:
                    errors.append(error)

            flow = network.host("h1").start_ping("h2", count=200, interval="1ms")
            workers = [threading.Thread(target=change, args=(100 + number,)) for number in range(3)]
            for worker in workers:
                worker.start()
            refused = 0
            for _ in range(20):
                try:
                    network.run_for("20ms")
                except WeirError as error:
                    check_message(error)
                    refused += 1
            for worker in workers:
                worker.join()
            network.run_for("1s")
            if errors:
                raise errors[0]
            if len(table) != size:
                raise Failed(f"{size} entries became {len(table)}")
            if network.audit().violations:
                raise Failed(str(network.audit().violations))
            if flow.result().received != 200:
                raise Failed(f"{flow.result().received} of 200 replies")
        return "done"

    return Case("threads", run)


def million(chance: random.Random) -> Case:
    """A million entries come and go from four threads, while a fifth one sends packets."""
    seed, executor = chance.getrandbits(60), chance.choice(["native", "interp"])

    def run(folder: Path) -> str:
        bench = Bench(weir.compile(NET / "router.p4", executor=executor), [1, 2, 3], block_steps=False)
        table = bench.switch.table("ipv4_lpm")
        errors: list[BaseException] = []

        def change(number: int) -> None:
            own = random.Random(seed + number)
            try:
                for count in range(_MILLION // 8):
                    low = own.randrange(1 << 8)
                    handle = table.insert(
                        {"hdr.ipv4.dstAddr": [10 << 24 | number << 16 | count % 256 << 8 | low, 32]},
                        "ipv4_forward",
                        {"dstAddr": 0x080000000222, "port": 2},
                    )
                    table.delete(handle)
            except BaseException as error:
                errors.append(error)

        workers = [threading.Thread(target=change, args=(number,)) for number in range(4)]
        for worker in workers:
            worker.start()
        own = random.Random(seed)
        while any(worker.is_alive() for worker in workers):
            bench.send(1, packet(own))
            bench.take_outputs()
            bench.forget()
        if errors:
            raise errors[0]
        if len(table) or table.entries():
            raise Failed(f"{len(table)} entries are left")
        return "done"

    return Case("million", run)
