"""Compiles Weir's own P4 programs with p4lang's ``p4c-bm2-ss``.

``python peers/bmv2/compile_ours.py [WORD…]`` takes the programs of the labs, the examples and
:mod:`weir.programs`; with words, only those whose path contains one. A program counts as portable
to BMv2 only if BMv2's own compiler accepts it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]

FOLDERS: Final = ("labs/weir_labs", "python/weir/examples", "python/weir/programs")

COMPILER: Final = "p4c-bm2-ss"


def programs(words: Sequence[str] = ()) -> list[Path]:
    """The whole programs for v1model, without the files that they include."""
    found = sorted({path.resolve() for folder in FOLDERS for path in (ROOT / folder).rglob("*.p4")})
    whole = [path for path in found if "V1Switch(" in path.read_text(encoding="utf-8")]
    return [path for path in whole if not words or any(word in str(path) for word in words)]


def compile_one(compiler: str, program: Path) -> tuple[str, float]:
    """The compiler's messages if it refuses a program, otherwise an empty text; and the seconds
    that it took."""
    begin = time.monotonic()
    includes = os.environ.get("P4C_INCLUDE")
    options = ["--arch", "v1model", *(["-I", includes] if includes else [])]
    with tempfile.TemporaryDirectory() as folder:
        command = [compiler, *options, "-o", f"{folder}/made.json", str(program)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    said = "" if ended.returncode == 0 else ended.stderr.strip() or f"ended with {ended.returncode}"
    return said, time.monotonic() - begin


def main(words: Sequence[str]) -> int:
    """Compiles the programs, and prints a line for each; the exit code is 1 if one is refused, 2
    without p4c."""
    compiler = shutil.which(COMPILER)
    if compiler is None:
        print(f"there is no {COMPILER} on the PATH: install p4lang's package p4lang-p4c", file=sys.stderr)
        return 2
    chosen, refused = programs(words), 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda program: compile_one(compiler, program), chosen)
        for program, (said, seconds) in zip(chosen, results, strict=True):
            print(f"{program.relative_to(ROOT)}: {'refused' if said else 'compiled'} in {seconds:.0f} s")
            sys.stdout.flush()
            if said:
                print(said)
                refused += 1
    print(f"{len(chosen) - refused} of {len(chosen)} programs compiled")
    return 1 if refused or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
