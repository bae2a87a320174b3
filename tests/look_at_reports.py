"""Opens pages in Chromium on wide and narrow screens, light and dark, and keeps pictures.

``python tests/look_at_reports.py out/all out/pictures`` looks at each ``index.html`` and
``report.html`` below the first folder, and writes a picture of each whole page into the second one.
It fails if a page is wider than its screen, if something in it is cut off, or if a table must be
scrolled on a wide screen. It needs the command ``chromium``, and nothing else.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

WIDTHS: Final = (1200, 390)
SCHEMES: Final = ("light", "dark")
_COMMANDS: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
_MAX_HEIGHT: Final = 16_000
"""Pixels of a picture's height, beyond which Chromium may fail; see the rest in more pictures."""

# Elements that reach beyond the screen, except within boxes that scroll; and the page's height.
_LOOK: Final = """
(() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (node) => { for (let at = node.parentElement; at && at !== document.body; at = at.parentElement) {
    if (/auto|scroll|hidden/.test(getComputedStyle(at).overflowX)) return true; } return false; };
  const wide = [...document.body.querySelectorAll('*')].filter((node) => {
    const box = node.getBoundingClientRect();
    return box.width && (box.right > width + 1 || box.left < -1) && !scrolls(node); });
  return { page: document.documentElement.scrollWidth, width, height: document.documentElement.scrollHeight,
    scrolled: [...document.querySelectorAll('.scroll')].filter((node) => node.scrollWidth > node.clientWidth + 1)
      .map((node) => (node.closest('section')?.querySelector('h2')?.textContent || '') + ': a table with the columns ' +
        [...node.querySelectorAll('th')].map((head) => head.textContent).join(', ')),
    wide: wide.slice(0, 3).map((node) => node.tagName + ' ' + (node.textContent || '').trim().slice(0, 60)),
    cut: [...document.querySelectorAll('.plot')].filter((node) => node.scrollWidth > node.clientWidth + 1)
      .map((node) => node.querySelector('img').alt.slice(0, 60)),
    figures: document.querySelectorAll('figure').length };
})()
"""


class Chromium:
    """A headless Chromium that is controlled through two pipes."""

    def __init__(self, process: subprocess.Popen[bytes], to: int, back: int) -> None:
        self._to, self._back = to, os.fdopen(back, "rb")
        self._process, self._number, self._session = process, 0, ""
        self._events: set[str | None] = set()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def close(self) -> None:
        """Closes both pipes, upon which Chromium exits."""
        os.close(self._to)
        self._back.close()

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Calls a method of the protocol, and waits for its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        self._events = set()
        while (answer := self._read()).get("id") != self._number:
            self._events.add(answer.get("method"))
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, page: Path, width: int, scheme: str) -> dict[str, Any]:
        """Opens a page, and says what :data:`_LOOK` finds."""
        self.show(page.resolve().as_uri(), width, scheme)
        result: dict[str, Any] = self.call("Runtime.evaluate", expression=_LOOK, returnByValue=True)[
            "result"
        ]["value"]
        return result

    def show(self, address: str, width: int, scheme: str) -> None:
        """Opens an address, and waits until it is loaded."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=address)
        while "Page.loadEventFired" not in self._events:
            self._events.add(self._read().get("method"))

    def picture(self, width: int, top: int, height: int) -> bytes:
        """A part of the page as PNG."""
        clip = {"x": 0, "y": top, "width": width, "height": height, "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)[
            "data"
        ]
        return base64.b64decode(data)

    def _read(self) -> dict[str, Any]:
        text = bytearray()
        while (byte := self._back.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("Chromium ended")
            text += byte
        document: dict[str, Any] = json.loads(text)
        return document


@contextmanager
def chromium() -> Iterator[Chromium]:
    """A Chromium that ends with the block."""
    command = next((found for name in _COMMANDS if (found := shutil.which(name))), None)
    if command is None:
        sys.exit("chromium is not installed: apt install chromium")
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()

    # Chromium reads from 3 and writes to 4. A plain sh may know numbers up to 9 only.
    shell = ["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "bash"]
    # Chromium's other processes may still write to this folder after the first one has ended.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        process = subprocess.Popen(
            [
                *shell, command, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                "--disable-background-networking", "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={home}",
            ],
            pass_fds=(theirs_in, theirs_out),
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            opened = Chromium(process, ours_out, ours_in)
            yield opened
            opened.close()
        finally:
            process.terminate()
            process.wait()


def look(pages: Path, pictures: Path) -> list[str]:
    """Looks at all pages of a folder.

    Returns:
        What is wrong with them.
    """
    wrong = []
    pictures.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        for page in sorted([*pages.rglob("index.html"), *pages.rglob("report.html")]):
            name = "-".join(page.relative_to(pages).with_suffix("").parts)
            for width in WIDTHS:
                for scheme in SCHEMES:
                    problems = browser.open(page, width, scheme)
                    where = f"{page}, {width} px, {scheme}"
                    print(f"{where}: {problems['height']} px high, {problems['figures']} figures", flush=True)
                    if problems["page"] > problems["width"]:
                        wrong.append(f"{where}: the page is {problems['page']} px wide")
                    wrong += [f"{where}: beyond the edge: {text}" for text in problems["wide"]]
                    wrong += [f"{where}: the picture is cut off: {text}" for text in problems["cut"]]
                    if width == max(WIDTHS):
                        wrong += [f"{where}: needs scrolling: {text}" for text in problems["scrolled"]]
                    for part, top in enumerate(range(0, problems["height"], _MAX_HEIGHT)):
                        height = min(_MAX_HEIGHT, problems["height"] - top)
                        file = pictures / f"{name}-{width}-{scheme}{f'-{part + 1}' if part else ''}.png"
                        file.write_bytes(browser.picture(width, top, height))
    return wrong


def main(arguments: list[str]) -> int:
    """Looks at the pages of one folder, and writes pictures into another one."""
    pages, pictures = map(Path, arguments)
    wrong = look(pages, pictures)
    for text in wrong:
        print(text, file=sys.stderr)
    print(f"{pictures}: pictures of all pages")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
