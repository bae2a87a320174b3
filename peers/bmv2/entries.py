"""The numbers of entries, which the two switches choose differently after deletions."""

from __future__ import annotations

import re
from collections.abc import Callable

_MISSING = "99999"
"""A number that no entry has."""


class Entries:
    """The entries that commands have added on one switch.

    Attributes:
        handles: the handles of each table's entries, in the order in which they were added.
    """

    def __init__(self) -> None:
        self.handles: dict[str, list[int]] = {}

    def run(self, run: Callable[[str], tuple[bool, str]], line: str) -> tuple[bool, str]:
        """Runs a command, in which ``@3`` is the fourth entry that was added to its table."""
        words = line.split()
        known = self.handles.setdefault(words[1], []) if len(words) > 1 else []

        def number(found: re.Match[str]) -> str:
            at = int(found.group(1))
            return str(known[at]) if at < len(known) else _MISSING

        taken, said = run(re.sub(r"@(\d+)", number, line))
        added = re.search(r"(?:handle|entry) (\d+)", said)
        if taken and added and words[0].startswith(("table_add", "table_indirect_add")):
            known.append(int(added.group(1)))
        return taken, said
