"""The Content Security Policy of pages, which allows only the scripts of the template."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from typing import Final

_SCRIPT: Final = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def policy(template: str) -> str:
    """Returns the Content Security Policy for pages from a template of this package.

    The policy has the hashes of the template's scripts, so a script that is inserted into a page
    does not run. A page loads no other files, because it contains its pictures as data.
    """
    text = (files("weir.report") / template).read_text(encoding="utf-8")
    scripts = " ".join(f"'sha256-{_hash(script)}'" for script in _SCRIPT.findall(text)) or "'none'"
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
