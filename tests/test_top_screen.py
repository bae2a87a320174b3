"""``weir top`` on a terminal: the rows that fit, the line about the others, and how it ends."""

import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable
from fcntl import ioctl

from command import WEIR
from test_top import serving

PORT = """weir_port_received_packets_total{{port="{0}"}} {1}
weir_port_received_bytes_total{{port="{0}"}} {1}00
weir_port_sent_packets_total{{port="{0}"}} {1}
weir_port_sent_bytes_total{{port="{0}"}} {1}00
"""
REST = """weir_passes_total 100
weir_table_entries{table="MyIngress.ipv4_lpm"} 2
weir_worker_cpu_seconds_total{worker="0"} 98.76
"""


def page(packets: int, ports: int = 2) -> str:
    return "".join(PORT.format(port, packets) for port in range(1, ports + 1)) + REST


class Screen:
    """A command in a terminal of 24 lines; a context manager."""

    def __init__(self, *words: str, term: str = "xterm", columns: int = 80) -> None:
        self._side, far_end = pty.openpty()
        ioctl(far_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        env = {name: text for name, text in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [WEIR, *words], stdin=far_end, stdout=far_end, stderr=far_end, env=env | {"TERM": term}
        )
        os.close(far_end)

    def until(self, done: Callable[[str], bool]) -> str:
        """Reads the next screen until a condition is true, or the command ends."""
        seen = b""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if select.select([self._side], [], [], 0.1)[0]:
                try:
                    seen += os.read(self._side, 65536)
                except OSError:  # The command has ended.
                    break
            # The cursor moves to the first place before each picture.
            last = seen.decode(errors="replace").split("\x1b[H")[-1]
            text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", last).replace("\r\n", "\n")
            if done(text):
                return text
        return seen.decode(errors="replace")

    def type(self, keys: bytes) -> None:
        os.write(self._side, keys)

    def __enter__(self) -> "Screen":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._side)


def test_two_ports_fit_24_lines_and_q_ends():
    with serving(page(100), page(1100)) as address, Screen("top", address, "--interval", "0.5") as screen:
        first = screen.until(lambda text: "98.76" in text)
        assert re.search(r"^1 +– +– +– +– +– +0\s*$", first, re.MULTILINE), first
        later = screen.until(lambda text: "98.76" in text and "–" not in text)
        assert re.search(r"^2 +[12],\d{3} ", later, re.MULTILINE), later
        assert "do not fit" not in later
        screen.type(b"q")
        assert screen.process.wait(10) == 0


def test_a_low_terminal_says_what_is_missing():
    with serving(page(1, ports=40)) as address, Screen("top", address) as screen:
        text = screen.until(lambda text: "do not fit" in text)
        assert re.search(r"… \d+ more lines do not fit: make the terminal higher, or use --once", text), text
        screen.process.send_signal(signal.SIGINT)
        assert screen.process.wait(10) == 0


def test_a_dumb_terminal_gets_the_tables_once():
    with serving(page(1)) as address, Screen("top", address, term="dumb") as screen:
        assert "98.76" in screen.until(lambda text: "98.76" in text)
        assert screen.process.wait(10) == 0
