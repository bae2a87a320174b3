"""The package in other people's processes: forks, threads, notebooks, pools."""

from __future__ import annotations

import random
from pathlib import Path

from torture.case import Case, Failed
from torture.processes import command
from torture.processes.command import NET

_HEAD = f"""
import os, sys, threading, signal, time
import weir
TOPOLOGY, P4 = {str(NET / "topology.json")!r}, {str(NET / "router.p4")!r}
program = weir.compile(P4, executor=EXECUTOR)
def ping(network=None):
    if network is not None:
        return network.host("h1").ping("h2", count=3).received
    with weir.Network.load(TOPOLOGY, program) as own:
        return own.host("h1").ping("h2", count=3).received
"""

_BODIES = {
    "fork": """
network = weir.Network.load(TOPOLOGY, program)
assert ping(network) == 3
child = os.fork()
if child == 0:
    code = 9
    try:
        code = 0 if ping(network) == 3 and ping() == 3 else 8
    finally:
        os._exit(code)
assert ping(network) == 3
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
""",
    "fork in a thread": """
done = []
def work():
    child = os.fork()
    if child == 0:
        os._exit(0 if ping() == 3 else 8)
    done.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
threads = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in threads]
for _ in range(5): assert ping() == 3
[t.join() for t in threads]
assert done == [0, 0, 0], done
""",
    "threads": """
done = []
def work():
    for _ in range(3): done.append(ping())
threads = [threading.Thread(target=work) for _ in range(6)]
[t.start() for t in threads]; [t.join() for t in threads]
assert done == [3] * 18, done
""",
    "one network in threads": """
network = weir.Network.load(TOPOLOGY, program)
done, refused = [], []
def work():
    for _ in range(5):
        try: network.run_for("10ms"); done.append(1)
        except weir.WeirError as error: refused.append(str(error))
threads = [threading.Thread(target=work) for _ in range(6)]
[t.start() for t in threads]; [t.join() for t in threads]
assert len(done) + len(refused) == 30 and done
assert ping(network) == 3
""",
    "daemon thread at the end": """
network = weir.Network.load(TOPOLOGY, program)
thread = threading.Thread(target=lambda: network.run_for("100000s"), daemon=True)
network.host("h1").start_ping("h2", count=10**9, interval="1ms")
thread.start()
time.sleep(DELAY)
""",
    "pool": """
import multiprocessing
context = multiprocessing.get_context(METHOD)
if __name__ == "__main__":
    with context.Pool(2) as pool:
        assert pool.map(len, ["abc"] * 5) == [3] * 5
    processes = [context.Process(target=exit_with_ping) for _ in range(2)] if METHOD == "fork" else []
    [p.start() for p in processes]; [p.join() for p in processes]
    assert all(p.exitcode == 0 for p in processes), [p.exitcode for p in processes]
""",
    "notebook": """
import asyncio, io
class Stream(io.StringIO):
    def fileno(self): raise io.UnsupportedOperation("fileno")
old = sys.stdout, sys.stderr
async def cell():
    assert ping() == 3
    with weir.Network.load(TOPOLOGY, program) as network:
        result = network.host("h1").iperf("h2", duration="20ms")
        result.plot("a.png"); repr(network); repr(result); result.to_frame()
        getattr(result, "_repr_html_", lambda: "")()
sys.stdout, sys.stderr, sys.stdin = Stream(), Stream(), None
try:
    asyncio.run(cell())
    thread = threading.Thread(target=lambda: asyncio.run(cell())); thread.start(); thread.join()
finally:
    text = sys.stderr.getvalue(); sys.stdout, sys.stderr = old
assert text == "", text
assert os.path.getsize("a.png") > 1000
""",
    "interrupt in a run": """
network = weir.Network.load(TOPOLOGY, program)
network.host("h1").start_ping("h2", count=10**9, interval="1ms")
threading.Timer(DELAY, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    network.run_for("1000000s")
    raise SystemExit("not interrupted")
except KeyboardInterrupt:
    pass
assert not network.audit().violations
network.run_for("1s")
""",
    "exception in an action": """
network = weir.Network.load(TOPOLOGY, program)
network.at("1ms", lambda: 1 / 0)
try: network.run_for("1s"); raise SystemExit("no exception")
except ZeroDivisionError: pass
assert ping(network) == 3
network.close(); network.close()
try: network.run_for("1s"); raise SystemExit("closed, and runs")
except weir.WeirError: pass
""",
    "garbage": """
import gc
for _ in range(20):
    network = weir.Network.load(TOPOLOGY, program)
    host, table = network.host("h1"), network.switch("s1").table("ipv4_lpm")
    flow = host.start_ping("h2", count=3)
    del network
    gc.collect()
    assert len(table) >= 0 and host.name == "h1"
    repr(flow); repr(table)
""",
    "small stack": """
threading.stack_size(256 * 1024)
failed = []
def work():
    try:
        assert ping() == 3
        text = open(P4).read().replace("apply {", "apply { " + "if (true) { " * DEPTH + "}" * DEPTH, 1)
        open("deep.p4", "w").write(text)
        weir.check("deep.p4")
    except BaseException as error: failed.append(error)
thread = threading.Thread(target=work); thread.start(); thread.join()
assert not failed, failed
""",
}


def embedded(chance: random.Random) -> Case:
    """A Python program that uses the package in an unusual way."""
    name = chance.choice(list(_BODIES))
    executor = chance.choice(["native", "interp"])
    text = "\n".join(
        [
            f"EXECUTOR, DELAY, DEPTH = {executor!r}, {chance.uniform(0.01, 0.5):.3f}, {chance.randrange(1, 100)}",
            f"METHOD = {chance.choice(['fork', 'spawn', 'forkserver'])!r}",
            "def exit_with_ping():\n    raise SystemExit(0 if ping() == 3 else 8)",
            _HEAD,
            _BODIES[name],
            "print('whole')",
        ]
    )

    def run(folder: Path) -> str:
        ended = command.python(text, folder).check(0)
        if ended.out != "whole\n":
            raise Failed(f"wrote {ended.out!r} {ended.err!r}")
        return "done"

    return Case("embedded", run, {"program.py": text})
