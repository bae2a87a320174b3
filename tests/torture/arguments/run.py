"""Calls a command in this process, with all that it writes, and interrupts it after a while."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import FrameType
from typing import Final

from torture.arguments.words import prepare
from torture.case import Case
from torture.processes.command import Ended
from torture.processes.results import check, check_no_partial

_SECONDS: Final = 2.0
"""Seconds until the command gets the signal of Ctrl-C. Some run until then."""


def command_case(kind: str, name: str, call: Callable[[Sequence[str]], object], words: Sequence[str]) -> Case:
    """A case that calls a command with these words.

    Args:
        kind: the case's kind.
        name: the command's name, for the case's inputs.
        call: the command; it returns its exit code, or raises SystemExit.
        words: the words after the command's name.
    """

    def run(folder: Path) -> str:
        prepare(folder)
        ended = called(call, words, folder / ".output").check(0, 1, 2, 130)
        check_no_partial(folder)
        for path in _written(folder):
            check(path)
        return {0: "done", 130: "interrupted"}.get(ended.code, "refused")

    return Case(kind, run, {"command.txt": f"{[name, *words]}\n"})


def _written(folder: Path) -> Iterable[Path]:
    return [path for path in folder.rglob("new.*") if path.is_file() and path.stat().st_size]


def called(call: Callable[[Sequence[str]], object], words: Sequence[str], output: Path) -> Ended:
    """Calls a command whose output goes to a file."""
    saved_streams = [os.dup(stream) for stream in (1, 2)]
    code: object = 1
    with output.open("wb") as file:
        sys.stdout.flush()
        sys.stderr.flush()
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
        before = signal.signal(signal.SIGALRM, _interrupt)
        handler = signal.getsignal(signal.SIGINT)
        signal.setitimer(signal.ITIMER_REAL, _SECONDS, _SECONDS)
        try:
            code = call(words)
        except SystemExit as exit:
            code = exit.code
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            signal.signal(signal.SIGINT, handler)
            sys.stdout.flush()
            sys.stderr.flush()
            for stream, copy in zip((1, 2), saved_streams, strict=True):
                os.dup2(copy, stream)
                os.close(copy)
    return Ended(code if isinstance(code, int) else 0 if code is None else 1, "", _text(output))


def _text(output: Path) -> str:
    content = output.read_bytes()
    return (content[:100_000] + content[-100_000:]).decode(errors="replace")


def _interrupt(_: int, __: FrameType | None) -> None:
    os.kill(os.getpid(), signal.SIGINT)
