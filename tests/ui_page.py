"""Runs ``weir ui``, and opens its page in Chromium."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import weir
from command import WEIR
from look_at_reports import Chromium
from weir.cli.host_prompt import HostPrompt
from weir.topology import shapes
from weir.ui.session import Session


def dumbbell_session() -> Session:
    """A session with two switches of two hosts each, and links of 10 Mbit/s."""
    return Session(lambda: weir.Network(shapes.from_text("dumbbell:2,rate=10Mbit")), HostPrompt)


@contextmanager
def served(*args: str | Path, cwd: Path | None = None) -> Iterator[str]:
    """The address of a running ``weir ui``, which ends with the block."""
    process = subprocess.Popen(
        [WEIR, "ui", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), process.communicate()
        yield address
    finally:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 0, err
    assert "Traceback" not in err, err


class Page:
    """The page of ``weir ui`` in Chromium.

    Args:
        browser: the browser.
        address: the page's address.
        width: the width of the window in pixels.
        scheme: ``light`` or ``dark``.
    """

    def __init__(self, browser: Chromium, address: str, width: int = 1200, scheme: str = "light") -> None:
        self._browser = browser
        browser.show(address, width, scheme)
        self.wait("document.querySelectorAll('#nodes button').length > 0")
        self.wait("document.body.dataset.now !== undefined")

    def value(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self._browser.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = 20) -> None:
        """Waits until a condition is true."""
        end = time.monotonic() + seconds
        while not self.value(condition):
            assert time.monotonic() < end, f"{condition}: {self.text('body')[:2000]}"
            time.sleep(0.05)

    def text(self, selector: str) -> str:
        """The text of an element, as a user sees it."""
        return str(self.value(f"document.querySelector({json.dumps(selector)}).innerText"))

    def click(self, selector: str) -> None:
        """Clicks an element."""
        self.value(f"document.querySelector({json.dumps(selector)}).click()")

    def key(self, key: str) -> None:
        """Presses a key, which goes to the element with the focus."""
        text = {"Enter": "\r", "Tab": ""}.get(key, key)
        code = {"Enter": 13, "Tab": 9, " ": 32}.get(key, 0)
        name = {"keyDown": {"text": text} if text else {}, "keyUp": {}}
        for kind, more in name.items():
            self._browser.call(
                "Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **more
            )

    def type(self, text: str) -> None:
        """Types a text into the element with the focus."""
        self._browser.call("Input.insertText", text=text)

    def picture(self, file: Path, width: int, height: int) -> None:
        """Keeps a picture of the page."""
        file.write_bytes(self._browser.picture(width, 0, height))
