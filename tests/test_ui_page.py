"""The page of ``weir ui`` in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import needed
from look_at_reports import Chromium, chromium
from test_ui_server import need_page
from ui_page import Page, served

HOSTILE = "<img src=x onerror=steal()>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    need_page()
    needed.need("chromium", required="WEIR_REQUIRE_CHROMIUM")
    with chromium() as opened:
        opened.call(
            "Page.addScriptToEvaluateOnNewDocument",
            source="window.stolen = false; window.steal = () => { window.stolen = true; };"
            "window.violations = []; document.addEventListener('securitypolicyviolation',"
            " (event) => window.violations.push(event.blockedURI + ' ' + event.violatedDirective));",
        )
        yield opened


def foreign(page: Page) -> list[str]:
    """The resources of other origins, and what the policy stopped."""
    found = page.value(
        "[...performance.getEntriesByType('resource').map((one) => one.name)"
        ".filter((name) => new URL(name).origin !== location.origin), ...window.violations]"
    )
    return list(found)


def test_a_ping_by_keyboard_alone(browser: Chromium):
    with served("--shape", "dumbbell:2,rate=10Mbit") as address:
        page = Page(browser, address)
        page.wait("document.querySelector('#status').innerText.startsWith('Nothing is left')")
        for _ in range(40):
            page.key("Tab")
            if page.value("document.activeElement.id") == "line":
                break
        page.type("ping -c 2 h3")
        page.key("Enter")
        page.wait("document.body.dataset.moving === 'h1 to s1-p1'")
        page.value("document.activeElement.blur()")
        page.key(" ")
        page.wait("document.querySelector('#status').innerText === 'Paused.'")
        page.key(".")
        page.wait("document.querySelector('#now').innerText === '1.078 ms'")
        page.value("(() => { const speed = document.querySelector('#speed'); speed.value = '0.1';"
                   " speed.dispatchEvent(new Event('change')); })()")  # fmt: skip
        page.wait("document.querySelector('.log').innerText.includes('2 received')")
        page.wait("document.querySelector('#status').innerText.startsWith('Nothing is left')")
        assert foreign(page) == []

        # Back, and forward again: the same bytes.
        end = page.value("document.body.dataset.digest")
        place = "(() => {{ const go = document.querySelector('#go'); go.value = '{}'; go.dispatchEvent(new Event('change')); }})()"
        page.value(place.format(1))
        page.wait(f"document.body.dataset.digest !== {json.dumps(end)}")
        page.wait("document.querySelector('#status').innerText === 'Paused.'")
        assert "2 received" not in page.text(".log")
        page.value(place.format(1000))
        page.wait(f"document.body.dataset.digest === {json.dumps(end)}")
        assert "2 received" in page.text(".log")


def test_packets_are_listed_with_headers_bytes_and_path(browser: Chromium):
    with served("--shape", "dumbbell:2,rate=10Mbit") as address:
        page = Page(browser, address)
        page.value("(() => { const speed = document.querySelector('#speed'); speed.value = '0.01';"
                   " speed.dispatchEvent(new Event('change')); })()")  # fmt: skip
        page.value("document.querySelector('#line').focus()")
        page.type("ping -c 1 h3")
        page.key("Enter")
        page.wait("document.querySelector('.log').innerText.includes('1 received')")
        page.wait("document.querySelector('#count').innerText === '6 packets'")
        page.value("document.querySelector('#filter').focus()")
        page.type("ICMP h3")
        page.wait("document.querySelector('#count').innerText === '2 of 6 packets'")
        page.value("document.querySelector('#filter').focus(); document.querySelector('#filter').select()")
        page.type("h1 s1-p1")
        page.click("#rows tr:not([hidden]) button")
        page.wait("document.querySelector('#details h2').innerText === 'Packet from h1 to s1-p1'")
        assert "It arrived at h3 at" in page.text("#details")
        page.value("document.querySelectorAll('#details details').forEach((one) => { one.open = true; })")
        assert "router.p4:" in page.text("#details pre.tree") and "ingress" in page.text("#details pre.tree")
        # A field with the focus lights up its bytes.
        page.value(
            "[...document.querySelectorAll('.fields button')].find((one) => one.innerText.startsWith('dst = 10.0')).focus()"
        )
        assert (
            page.value("[...document.querySelectorAll('.hex .lit')].map((one) => one.innerText).join('')")
            == "0a000201"
        )


def test_rates_and_queues_of_a_link_are_drawn(browser: Chromium):
    with served("--shape", "dumbbell:2,rate=10Mbit") as address:
        page = Page(browser, address)
        page.value("(() => { const speed = document.querySelector('#speed'); speed.value = '0.01';"
                   " speed.dispatchEvent(new Event('change')); })()")  # fmt: skip
        page.value("document.querySelector('#line').focus()")
        page.type("iperf -u -b 30M -t 0.1 h3")
        page.key("Enter")
        page.click("#nodes button[data-of='l 0']")
        # The host sends three times as fast as its link.
        page.wait(
            "/From h1 .blue.: (9|10)[.][0-9] Mbit.s, [0-9]{2,3} waiting/.test(document.querySelector('#details').innerText)"
        )
        drawn = (
            "(() => { const canvas = document.querySelector('#plot-%s canvas'); const data = canvas.getContext('2d')"
            ".getImageData(0, 0, canvas.width, canvas.height).data; let blue = 0; for (let at = 0; at < data.length; at += 4)"
            " if (data[at] < 40 && data[at + 2] > 150 && data[at + 3] > 200) blue += 1; return blue; })()"
        )
        assert page.value(drawn % "rate") > 20 and page.value(drawn % "queue") > 20
        assert foreign(page) == []


def test_links_and_switches_are_shown_and_changed(browser: Chromium):
    with served("ecmp") as address:
        page = Page(browser, address)
        page.click("#nodes button[data-of='l 0']")
        page.value(
            "document.querySelector('#set-delay').focus(); document.querySelector('#set-delay').value = ''"
        )
        page.type("3ms")
        page.key("Enter")
        page.wait("document.querySelector('#set-delay').value === '3ms'")
        page.value(
            "document.querySelector('#set-rate').focus(); document.querySelector('#set-rate').value = ''"
        )
        page.type("fast")
        page.key("Enter")
        page.wait("document.querySelector('#status.error') !== null")
        assert "fast" in page.text("#status")
        page.click("#set-up")
        page.wait("document.querySelector('#set-up').checked === false")
        page.click("#nodes button[data-of='n s1']")
        page.wait("document.querySelectorAll('#details details').length > 0")
        assert "entries" in page.text("#details details summary")


def test_entries_are_added_and_deleted_with_the_names_of_the_program(browser: Chromium):
    net = Path(__file__).parent / "net"
    with served(net / "topology.json", "--p4", net / "router.p4") as address:
        page = Page(browser, address)
        page.click("#nodes button[data-of='n s1']")
        page.wait("document.querySelectorAll('#details details li .buttons').length >= 2")
        page.click("#details details summary")
        page.click("[id='add MyIngress.ipv4_lpm']")
        page.type("10.0.2.7/32")
        page.value("(() => { const action = document.querySelector('.editor select'); action.value = 'MyIngress.ipv4_forward';"
                   " action.dispatchEvent(new Event('change')); document.querySelector('.editor div input').focus(); })()")  # fmt: skip
        page.type("08:00:00:00:02:27")
        page.key("Tab")
        page.type("600")
        page.key("Enter")
        page.wait("document.querySelector('#status.error') !== null")
        assert "600" in page.text("#status")
        page.value("document.querySelectorAll('.editor div input')[1].select()")
        page.type("2")
        page.key("Enter")
        page.wait(
            "document.querySelector('#details').innerText.includes('10.0.2.7/32 -> MyIngress.ipv4_forward')"
        )
        page.wait("document.querySelector('#status.error') === null")
        page.click("[aria-label^='Delete hdr.ipv4.dstAddr=10.0.2.7/32']")
        page.wait("!document.querySelector('#details details').innerText.includes('10.0.2.7/32')")


def test_hostile_names_are_shown_as_text(browser: Chromium, tmp_path: Path):
    topology = {
        "hosts": {"h1": {"ip": "10.0.0.1/24", "mac": "08:00:00:00:00:01"}, "h2": {"ip": "10.0.0.2/24", "mac": "08:00:00:00:00:02"}},
        "switches": {"s1": {}},
        "links": [["h1", "s1-p1"], ["h2", "s1-p2"]],
    }  # fmt: skip
    program = tmp_path / f"{HOSTILE.replace('/', '')}.p4"
    program.write_text(
        (Path(__file__).parent / "net" / "router.p4").read_text(encoding="utf-8"), encoding="utf-8"
    )
    (tmp_path / "topology.json").write_text(json.dumps(topology), encoding="utf-8")
    with served("topology.json", "--p4", program.name, cwd=tmp_path) as address:
        page = Page(browser, address)
        page.click("#nodes button[data-of='n s1']")
        page.wait("document.querySelector('#details').innerText.includes('onerror')")
        page.click("#nodes button[data-of='n h1']")
        page.value("document.querySelector('#line').focus()")
        page.type(HOSTILE)
        page.key("Enter")
        page.wait("document.querySelector('.log .error') !== null")
        assert HOSTILE in page.text(".log")
        assert (
            page.value("window.stolen") is False
            and page.value("document.querySelectorAll('img').length") == 0
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone(browser: Chromium, scheme: str):
    with served("--shape", "leaf_spine:2,2,hosts=2") as address:
        page = Page(browser, address, 390, scheme)
        assert page.value("document.documentElement.scrollWidth") <= 390
        page.click("#nodes button[data-of='n s1']") if page.value(
            "document.querySelector(\"#nodes button[data-of='n s1']\") !== null"
        ) else page.click("#nodes button:last-child")
        assert page.value("document.documentElement.scrollWidth") <= 390
        # Every control has a name.
        assert page.value(
            "[...document.querySelectorAll('button, input, select')].filter((one) =>"
            " !one.innerText && !one.labels?.length && !one.getAttribute('aria-label')).length"
        ) == 0  # fmt: skip
