"""The processor time that large networks take to be built and to load their entries.

``make large-shapes`` runs it. Each network is made in a process of its own: from the import of
`weir` and the compilation of the router to a network that runs.
"""

from __future__ import annotations

import subprocess
import sys

SHAPES = {
    "fat_tree:8": 2.0,
    "leaf_spine:40,8,25": 10.0,
    "leaf_spine:20,20,50": 10.0,
    "fat_tree:16": 10.0,
}
"""Clos networks of 128, 1000, 1000 and 1024 hosts, each with the seconds that it may take."""

ONE = """
import sys, time

import weir
from weir.topology import shapes

topology = shapes.from_text(sys.argv[1])
net = weir.Network(topology)
seconds = time.process_time()
last = list(topology.hosts)[-1]
assert net.host("h1").ping(last, count=1).received == 1
entries = sum(len(switch.table(name)) for switch in net.switches for name in switch.program.tables)
print(len(topology.hosts), len(topology.switches), entries, seconds)
"""


def main() -> int:
    """Prints a line for each shape; the exit code is 1 if one takes too long."""
    print(f"{'shape':22}{'hosts':>7}{'switches':>10}{'entries':>10}{'CPU time':>10}{'limit':>8}")
    is_fast = True
    for shape, limit in SHAPES.items():
        ended = subprocess.run(
            [sys.executable, "-c", ONE, shape], stdout=subprocess.PIPE, text=True, check=True, timeout=600
        )
        hosts, switches, entries, seconds = ended.stdout.split()
        is_fast &= float(seconds) <= limit
        time = f"{float(seconds):.2f} s"
        print(f"{shape:22}{hosts:>7}{switches:>10}{entries:>10}{time:>10}{limit:>6g} s", flush=True)
    return 0 if is_fast else 1


if __name__ == "__main__":
    sys.exit(main())
