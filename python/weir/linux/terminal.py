"""Programs that use the terminal of this process, on a host: shells, editors, ``top``."""

from __future__ import annotations

import os
import select
import shutil
import sys
import termios
import tty
from collections.abc import Sequence

from weir.linux.namespaces import Namespaces
from weir.system.process import Process


def run_in_terminal(namespaces: Namespaces, node: str, words: Sequence[str]) -> int:
    """Runs a program in a node with its own terminal, connected to this process's terminal.

    All keys go to the program, including Ctrl-C.

    Returns:
        The program's exit code.
    """
    master, terminal = os.openpty()
    try:
        size = shutil.get_terminal_size()
        termios.tcsetwinsize(terminal, (size.lines, size.columns))
        process = namespaces.run(
            node, words, stdin=terminal, stdout=terminal, stderr=terminal, has_terminal=True
        )
    finally:
        os.close(terminal)
    keys = sys.stdin.fileno()
    old_settings = termios.tcgetattr(keys)
    try:
        tty.setraw(keys)
        _copy(process, master, keys)
    finally:
        termios.tcsetattr(keys, termios.TCSADRAIN, old_settings)
        os.close(master)
    return process.wait()


def _copy(process: Process, screen: int, keys: int) -> None:
    """Copies keys to the program and the program's output to the screen until the program exits."""
    while True:
        ready, _, _ = select.select([screen, keys, process.fileno()], [], [])
        if screen in ready:
            try:
                output = os.read(screen, 1 << 16)
            except OSError:
                # The last program that used this terminal has closed it.
                return
            os.write(1, output)
        elif process.fileno() in ready:
            return
        if keys in ready:
            os.write(screen, os.read(keys, 1 << 10))
