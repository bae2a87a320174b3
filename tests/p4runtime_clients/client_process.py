"""A controller in a process of its own, which takes turns with a test (controllers/steps.py)."""

import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import weir

HERE = Path(__file__).parent
SECONDS = 60.0
"""How long a controller may take for a step."""


class Controller:
    """A controller in a process of its own, which stops after each step."""

    def __init__(self, python: Path, script: str, address: str, folder: Path) -> None:
        command = [str(python), str(HERE / "controllers" / script), address, str(folder)]
        self._errors = (folder / "stderr.txt").open("w+")
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True
        )
        self._waits = False

    def step(self) -> dict[str, Any]:
        """Lets the controller do its next step; returns what the controller saw."""
        self.go_on()
        self._waits = True
        timer = threading.Timer(SECONDS, self._process.kill)
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        assert line, f"the controller ended, or did nothing for {SECONDS:g} s:\n{self.errors()}"
        return json.loads(line)

    def go_on(self) -> None:
        """Lets the controller begin its next step."""
        if self._waits:
            self._process.stdin.write("\n")
            self._process.stdin.flush()
            self._waits = False

    def finish(self) -> None:
        """Lets the controller end."""
        self.go_on()
        assert self._process.wait(SECONDS) == 0, self.errors()

    def errors(self) -> str:
        """What the controller wrote to standard error."""
        self._errors.seek(0)
        return self._errors.read()

    def close(self) -> None:
        """Ends the controller if it has not ended."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()


Start = Callable[[str, str, Path, weir.Network], Controller]
"""The fixture `start`: starts a controller by client, script, program and network."""
