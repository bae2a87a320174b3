"""Where Weir's repository and the pages of the documentation are."""

from __future__ import annotations

import re
from typing import Final

OWNER: Final = ""
"""The account of Weir's repository on GitHub; empty while Weir is not published.

This is the only place that a release changes: the site shows it where pages say ``OWNER``, and
``project.urls`` in pyproject.toml must agree.
"""

REPOSITORY: Final = f"https://github.com/{OWNER}/weir" if OWNER else ""
"""The address of the repository."""

SITE: Final = f"https://{OWNER}.github.io/weir/" if OWNER else ""
"""The address of the site, with a slash at its end."""

URLS: Final = {"Documentation": SITE, "Repository": REPOSITORY} if OWNER else {}
"""The addresses that pyproject.toml lists as ``project.urls``."""


def page(name: str) -> str:
    """Returns the address of a page such as ``reference/p4info``, or its file in the repository."""
    return f"{SITE}{name}.html" if SITE else f"docs/{name}.md in Weir's repository"


def with_owner(text: str) -> str:
    """Puts the account of the repository in place of ``OWNER``, once there is one."""
    return re.sub(r"\bOWNER\b", OWNER, text) if OWNER else text


def with_pages(text: str) -> str:
    """Adds addresses to the names of pages in a text, such as ``docs/reference/p4info.md``."""
    return re.sub(r"\bdocs/([\w/-]+)\.md\b(?! in Weir's repository)", lambda found: page(found[1]), text)
