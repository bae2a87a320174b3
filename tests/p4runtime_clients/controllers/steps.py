"""Lets a controller of these tests and the test itself take turns, with lines of JSON."""

import json
import sys
from pathlib import Path

ADDRESS = sys.argv[1]
"""Where the server listens."""

FOLDER = Path(sys.argv[2])
"""Has the program for the server, in its forms: `program.p4`, `.json`, and `.p4info.txtpb`."""


def step(**seen: object) -> None:
    """Reports what the controller saw, and waits until the test continues."""
    print(json.dumps(seen), flush=True)
    if not sys.stdin.readline():
        sys.exit("the test has ended before its controller")
