"""Runs cases in this process: a number on standard input, an answer in JSON on standard output.

The runner starts it. Whatever a case writes to standard output or standard error goes to a file;
output that no case expects, such as a panic's message, is a failure.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from torture import classes
from torture.case import Class

MAX_OUTPUT = 4000
"""Characters of a failure that the runner gets."""

FREEZES = (1, 5, 20, 50, 100)
"""Cases after which all objects that live are left out of later collections.

They are mostly modules. Looking at them after each case took nine tenths of the time of cheap ones.
"""


def main() -> None:
    """Runs cases until standard input ends."""
    # Random entries name random ports.
    warnings.filterwarnings("ignore", message=".* no link is connected to ")
    # Jobs in the background of a shell ignore Ctrl-C, and so would all that the cases start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    name, seed, kind = sys.argv[1], int(sys.argv[2]), sys.argv[3] or None
    answers = os.fdopen(os.dup(1), "w")
    requests = os.fdopen(os.dup(0), "r")
    with tempfile.TemporaryFile() as output, tempfile.TemporaryDirectory(prefix="torture-") as folder:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for stream in (1, 2):
            os.dup2(output.fileno(), stream)
        tortured = classes.load(name)
        for cases, line in enumerate(requests, 1):
            answer = run(tortured, seed, int(line), kind, Path(folder), output.fileno())
            if cases in FREEZES:
                gc.freeze()
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


def run(
    tortured: Class, seed: int, number: int, kind: str | None, folder: Path, output: int
) -> dict[str, object]:
    """Runs a case in an empty folder. Returns its kind, and its outcome or its failure."""
    os.ftruncate(output, 0)
    os.lseek(output, 0, os.SEEK_SET)
    work = folder / str(number)
    work.mkdir()
    os.chdir(work)
    answer: dict[str, object] = {"number": number}
    try:
        case = tortured.make(seed, number, kind)
        answer["kind"] = case.kind
        answer["outcome"] = case.run(work)
    except BaseException:  # a panic of the core is not an Exception
        answer["failure"] = traceback.format_exc()[-MAX_OUTPUT:]
    os.chdir(folder)
    shutil.rmtree(work, ignore_errors=True)
    gc.collect()
    sys.stdout.flush()
    sys.stderr.flush()
    size = os.fstat(output).st_size
    if size:
        said = os.pread(output, MAX_OUTPUT, max(0, size - MAX_OUTPUT)).decode(errors="replace")
        answer.setdefault("failure", f"unexpected output:\n{said}")
    return answer


if __name__ == "__main__":
    main()
