"""The page of ``weir ui`` under axe, which finds many faults of accessibility."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import needed
from look_at_reports import Chromium, chromium
from test_ui_server import need_page
from ui_page import Page, served

AXE = Path(__file__).parents[1] / "web" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    need_page()
    needed.need("chromium", required="WEIR_REQUIRE_CHROMIUM")
    if not AXE.is_file():
        needed.skip("needs axe-core; make build installs it with npm", "WEIR_REQUIRE_UI")
    with chromium() as opened:
        yield opened


def faults(page: Page) -> list[str]:
    """What axe finds in the page as it is now: for each rule, its impact and the elements."""
    page.value(AXE.read_text(encoding="utf-8") + ";true")
    found = page.value(
        "axe.run(document).then((all) => JSON.stringify(all.violations.map((one) =>"
        " `${one.id} (${one.impact}): ` + one.nodes.map((node) => node.html.slice(0, 120)).join(' | '))))"
    )
    return list(json.loads(found))


def test_axe_would_find_a_fault(browser: Chromium):
    with served("--shape", "dumbbell:2") as address:
        page = Page(browser, address)
        page.value("document.body.append(document.createElement('button'))")
        assert [one.partition(" ")[0] for one in faults(page)] == ["button-name"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_axe_finds_no_fault(browser: Chromium, width: int, scheme: str):
    net = Path(__file__).parent / "net"
    with served(net / "topology.json", "--p4", net / "router.p4") as address:
        page = Page(browser, address, width, scheme)
        assert faults(page) == []
        page.click("#nodes button[data-of='n h1']")
        page.value("document.querySelector('#line').focus()")
        page.type("ping -c 1 h2")
        page.key("Enter")
        page.value("document.activeElement.blur()")
        page.key(".")
        page.wait("document.querySelectorAll('#rows tr').length > 0")
        assert faults(page) == []
        page.click("#nodes button[data-of='l 0']")
        page.wait("document.querySelector('#set-rate') !== null")
        assert faults(page) == []
        page.click("#nodes button[data-of='n s1']")
        page.wait("document.querySelectorAll('#details details').length > 0")
        page.value("document.querySelectorAll('#details details').forEach((one) => { one.open = true; })")
        page.click("[id='add MyIngress.ipv4_lpm']")
        page.type("nonsense")
        page.key("Enter")
        page.wait("document.querySelector('#status.error') !== null")
        assert faults(page) == []
        page.click("#rows tr:not([hidden]) button")
        page.wait("document.querySelector('#details h2').innerText.startsWith('Packet')")
        page.value("document.querySelectorAll('#details details').forEach((one) => { one.open = true; })")
        assert faults(page) == []
