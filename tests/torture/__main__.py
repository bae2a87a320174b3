"""Gives Weir hostile input: ``python tests/torture --class programs --cases 10000 --seed 0``."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from torture import classes, runner


def main() -> int:
    """Runs cases, prints a summary, and returns 1 if a case failed."""
    parser = argparse.ArgumentParser(prog="tests/torture", description=__doc__)
    parser.add_argument("--class", dest="classes", action="append", choices=classes.NAMES, metavar="NAME",
                        help=f"one of {', '.join(classes.NAMES)}; may be repeated; all by default")  # fmt: skip
    parser.add_argument(
        "--cases", type=int, default=1000, help="cases of each class, of processes a hundredth (%(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, help="the seed of all cases (%(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case (%(default)s)")
    parser.add_argument("--case", type=int, help="run this case alone")
    parser.add_argument("--kind", help="make all cases with this generator of the class")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path("out/torture"),
                        help="where cases that fail are written (%(default)s)")  # fmt: skip
    parser.add_argument("--max-failures", type=int, default=100,
                        help="stop a class after so many failures (%(default)s)")  # fmt: skip
    parser.add_argument("--minutes", type=float, default=math.inf,
                        help="stop a class after so much time")  # fmt: skip
    given = parser.parse_args()
    failed = 0
    for name in given.classes or classes.NAMES:
        tortured = classes.load(name)
        cases = math.ceil(given.cases / tortured.cost)
        numbers = range(given.first, given.first + cases) if given.case is None else [given.case]
        if given.kind is not None and given.kind not in tortured.makers:
            parser.error(
                f"{name} has no generator {given.kind}: expected one of {', '.join(tortured.makers)}"
            )
        print(f"{name}, seed {given.seed}:", flush=True)
        outcome = runner.run(
            tortured,
            given.seed,
            numbers,
            given.out,
            kind=given.kind,
            jobs=given.jobs,
            max_failures=given.max_failures,
            minutes=given.minutes,
            progress=runner.counter(),
        )
        print("\n".join(outcome.lines()), flush=True)
        for number, failure in outcome.failures:
            last = failure.strip().splitlines()[-1][:300]
            print(f"  case {number}: {last} ({given.out}/{name}-{given.seed}-{number})", flush=True)
        failed += len(outcome.failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
