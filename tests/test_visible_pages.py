"""Pages show control characters and characters without width of names as text."""

from __future__ import annotations

import re
from pathlib import Path

from weir.display.markup import escape
from weir.errors import WeirError
from weir.report import Page, Section, Table
from weir.text.visible import visible_line

EVIL = "\x1b[2J\u200b\u200e\u202e\u2066\ufeff"
SENT = re.compile("[\x1b\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
SHOWN = r"\x1b[2J\u200b\u200e\u202e\u2066\ufeff"


def test_names_in_pages_and_errors(tmp_path: Path) -> None:
    assert visible_line(EVIL) == escape(EVIL) == SHOWN
    assert str(WeirError(EVIL, file=EVIL)) == f"{SHOWN}: {SHOWN}"
    table = Table([EVIL], [[EVIL]], EVIL, words=(0,))
    page = Page(EVIL, EVIL, [(EVIL, EVIL)], [Section(EVIL, [EVIL], [table], notes=[EVIL])], footer=EVIL)
    page.write(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert not SENT.search(text) and text.count(SHOWN) >= 9
