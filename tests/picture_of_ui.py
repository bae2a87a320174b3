"""Draws the moving picture of ``weir ui`` at the top of the README.

``python tests/picture_of_ui.py docs/images/ui.gif`` plays a network in Chromium, goes back in time,
and writes a picture that moves.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from look_at_reports import chromium
from ui_page import Page, served

_SIZE: Final = (1200, 800)
_SCALE: Final = 0.75
_FRAME_S: Final = 0.16
_FRAMES: Final = 56
_BACK: Final = range(900, -1, -100)
"""The places of the slider to which the picture goes back; 1000 is the end."""

_COMMANDS: Final = {"h1": "iperf -u -b 20M -t 0.02 h3", "h2": "iperf -u -b 12M -t 0.02 h4"}
_SHAPE: Final = "dumbbell:2,rate=10Mbit,queue=8p"


def _value(page: Page, selector: str, value: str) -> None:
    """Sets the value of a control, as a user does."""
    page.value(
        f"(() => {{ const control = document.querySelector({json.dumps(selector)}); "
        f"control.value = {json.dumps(value)}; control.dispatchEvent(new Event('change')); }})()"
    )


def draw(target: Path) -> None:
    """Writes the picture, a GIF."""
    from PIL import Image

    frames = []
    with tempfile.TemporaryDirectory() as folder, served("--shape", _SHAPE) as address, chromium() as browser:
        page = Page(browser, address, _SIZE[0])

        def keep() -> None:
            file = Path(folder) / "frame.png"
            page.picture(file, *_SIZE)
            with Image.open(file) as image:
                small = image.convert("RGB").resize([round(pixels * _SCALE) for pixels in _SIZE])
            frames.append(small.quantize(48, dither=Image.Dither.NONE))

        for host, line in _COMMANDS.items():
            page.click(f"#nodes button[data-of={json.dumps(f'n {host}')}]")
            page.value("document.querySelector('#line').focus()")
            page.type(line)
            page.key("Enter")
        page.click("#nodes button[data-of='l 4']")
        page.wait("document.querySelector('#play').textContent === 'Pause'")
        for number in range(_FRAMES):
            started = time.monotonic()
            keep()
            if number == _FRAMES // 2:
                page.click("#nodes button[data-of='l 0']")
            time.sleep(max(0, _FRAME_S - (time.monotonic() - started)))
        page.click("#play")
        for place in _BACK:
            before = page.value("document.body.dataset.now")
            _value(page, "#go", f"{place}")
            page.wait(f"document.body.dataset.now !== {json.dumps(before)}")
            time.sleep(_FRAME_S)
            keep()
    first, *others = frames
    first.save(
        target, save_all=True, append_images=others, duration=round(1000 * _FRAME_S), loop=0, optimize=True
    )


if __name__ == "__main__":
    draw(Path(sys.argv[1]))
