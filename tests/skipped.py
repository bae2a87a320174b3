"""Shows how many of Rust's tests were skipped, and why: ``python3 tests/skipped.py FILE``.

With ``--forget``, it only deletes the file.

Each skipped test appends its reason to the file. cargo hides what tests that pass print.
"""

import collections
import sys
from pathlib import Path

file = Path(sys.argv[1])
reasons = file.read_text().splitlines() if file.exists() else []
file.unlink(missing_ok=True)
if len(sys.argv) < 3:
    for reason, count in sorted(collections.Counter(reasons).items()):
        print(f"{count} of Rust's tests skipped: {reason}")
