"""Figures of the labs' reports: few in a section, each with a sentence that says what it shows."""

from __future__ import annotations

import html
import re

import pytest

LABS = [
    "delay",
    "firewall",
    "int_lab",
    "int_report",
    "load_balance",
    "pacing",
    "queue_occupancy",
    "shorternet",
]
"""Fixtures with results of labs."""


@pytest.mark.parametrize("lab", LABS)
def test_figures_are_few_and_say_what_to_see(lab: str, request: pytest.FixtureRequest) -> None:
    page = (request.getfixturevalue(lab) / "report.html").read_text()
    sections = re.split(r"<section[^>]*>", page)[1:]
    crowded = [section.partition("</h2>")[0] for section in sections if section.count("<figure") > 8]
    assert "<figure" in page and not crowded
    captions = [
        html.unescape(text) for text in re.findall(r"<figcaption>(.*?)</figcaption>", page, re.DOTALL)
    ]
    assert not [text for text in captions if not text.endswith(".") or len(text.split()) < 6]
    assert len(set(captions)) == len(captions)
