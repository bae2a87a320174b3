"""Where the pages of the documentation are."""

from __future__ import annotations

import re
from typing import Final

SITE: Final = ""
"""The address of the site, with a slash at its end: that of ``Documentation`` in pyproject.toml's
``project.urls``. Empty while the site is not published."""


def page(name: str) -> str:
    """Says where to read a page, such as ``reference/p4info``: its address, or its file in the
    repository."""
    return f"{SITE}{name}.html" if SITE else f"docs/{name}.md in Weir's repository"


def with_pages(text: str) -> str:
    """Adds addresses to the names of pages in a text, such as ``docs/reference/p4info.md``."""
    return re.sub(r"\bdocs/([\w/-]+)\.md\b(?! in Weir's repository)", lambda found: page(found[1]), text)
