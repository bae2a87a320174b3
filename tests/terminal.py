"""A shell in a terminal of 80 columns, to play commands as a user types them."""

import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from fcntl import ioctl
from pathlib import Path

_PROMPT = "<<prompt>>"
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x1b\][^\x07]*\x07")


class Terminal:
    """Bash in a terminal; a context manager.

    Args:
        cwd: the folder in which it starts.
        env: its environment.
        columns: the width of the terminal.
    """

    def __init__(self, cwd: Path, env: dict[str, str], columns: int = 80) -> None:
        self._side, far_end = pty.openpty()
        ioctl(far_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        modes = termios.tcgetattr(far_end)
        modes[3] &= ~termios.ECHO  # The test knows its input; only output is compared.
        termios.tcsetattr(far_end, termios.TCSANOW, modes)
        self._shell = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "--noediting", "-i"],
            cwd=cwd,
            env={**env, "PS1": _PROMPT, "PS2": "", "TERM": "dumb"},
            stdin=far_end,
            stdout=far_end,
            stderr=far_end,
            start_new_session=True,
        )
        os.close(far_end)
        self._read(30)

    def run(self, command: str, timeout: float = 400) -> str:
        """Types a command, and returns what is shown until the next prompt.

        Raises:
            TimeoutError: the command has not ended within ``timeout`` seconds.
        """
        os.write(self._side, command.encode() + b"\n")
        return self._read(timeout)

    def _read(self, timeout: float) -> str:
        seen = b""
        deadline = time.monotonic() + timeout
        while not seen.endswith(_PROMPT.encode()):
            ready, _, _ = select.select([self._side], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError(seen.decode(errors="replace"))
            seen += os.read(self._side, 65536)
        text = _ESCAPES.sub("", seen.decode()).replace("\r\n", "\n")
        return text.removesuffix(_PROMPT)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        os.write(self._side, b"exit\n")
        try:
            self._shell.wait(10)
        except subprocess.TimeoutExpired:
            self._shell.kill()
            self._shell.wait()
        os.close(self._side)
