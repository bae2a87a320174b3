"""Fuzzes a decoder, guided by coverage: ``python tests/fuzz TARGET CORPUS|FILE [OPTION…]``.

TARGET is a module of this folder: ``netlink``, ``reports``, ``scrapes`` or ``thrift``. CORPUS is a
folder, to which the target's first inputs are added; an input in a FILE is run once. Options are
those of libFuzzer, such as ``-max_total_time=60``. Needs Atheris.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from pathlib import Path

import atheris

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "telemetry")]

TARGETS = ("netlink", "reports", "scrapes", "thrift")

INSTRUMENTED = ["weir", "fuzz", "struct_reader", "thriftpy2", "http"]
"""The packages whose branches guide the engine: decoders, and what they are compared with."""


def main() -> int:
    """Runs a target until its time is over; a failure is written as a file and ends the process."""
    if len(sys.argv) < 3 or sys.argv[1] not in TARGETS:
        print(f"usage: tests/fuzz {{{'|'.join(TARGETS)}}} CORPUS|FILE [OPTION…]", file=sys.stderr)
        return 2
    name, corpus, *options = sys.argv[1:]
    warnings.simplefilter("ignore")
    with atheris.instrument_imports(include=INSTRUMENTED):
        target = importlib.import_module(f"fuzz.{name}")
    if Path(corpus).is_dir():
        for number, seed in enumerate(target.seeds()):
            (Path(corpus) / f"first-{number}").write_bytes(seed)
    atheris.Setup([sys.argv[0], corpus, *options], target.run)
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
