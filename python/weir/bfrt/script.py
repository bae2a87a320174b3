"""Runs scripts for the shell of Tofino's switches, and lines of a prompt."""

from __future__ import annotations

import code
import rlcompleter
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.patch_stdout import patch_stdout

from weir.bfrt.device import Device
from weir.bfrt.error import BfRtTableError
from weir.bfrt.values import ip, mac
from weir.files.textfile import read_text

_MODULES = ("bfrtcli", "bfrtTable")
"""The modules of the shell that scripts import."""


def namespace(device: Device) -> dict[str, Any]:
    """Returns the names that scripts have, and makes the modules that they import."""
    names = {"bfrt": device, "BfRtTableError": BfRtTableError, "ip": ip, "mac": mac}
    for name in _MODULES:
        module = types.ModuleType(name, "The names of the shell's module that scripts use.")
        vars(module).update(names)
        sys.modules[name] = module
    return {**names, "__name__": "__main__"}


def run_script(file: str | Path, names: dict[str, Any], arguments: list[str]) -> None:
    """Runs a script, which finds modules in its own folder."""
    text = read_text(file)
    sys.argv = [str(file), *arguments]
    sys.path.insert(0, str(Path(file).resolve().parent))
    names["__file__"] = str(file)
    exec(compile(text, str(file), "exec"), names)


def show(value: object) -> None:
    """Shows the value of a line at the prompt; a method of the tree is called, as in the shell."""
    is_bfrt_object = type(value).__module__.startswith("weir.bfrt.")
    method = getattr(value, "__self__", None)
    is_method = callable(value) and (is_bfrt_object or type(method).__module__.startswith("weir.bfrt."))
    if is_method and callable(value):
        value = value()
    if value is not None:
        print(value)


class _Names(Completer):
    """Completes names at the prompt."""

    def __init__(self, names: dict[str, Any]) -> None:
        self._completer = rlcompleter.Completer(names)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """Yields the names that can complete the text before the cursor."""
        word = document.get_word_before_cursor(WORD=True)
        place = 0
        while (completion := self._completer.complete(word, place)) is not None:
            place += 1
            yield Completion(completion, start_position=-len(word))


def read_lines(names: dict[str, Any]) -> None:
    """Reads and runs lines of Python until the end of the input."""
    console = code.InteractiveConsole(names)
    session: PromptSession[str] | None = None
    if sys.stdin.isatty():
        session = PromptSession(completer=_Names(names), complete_while_typing=False)
    hook, sys.displayhook = sys.displayhook, show
    is_incomplete = False
    try:
        while True:
            prompt = "   ... " if is_incomplete else "bfrt> "
            try:
                if session is None:
                    line = sys.stdin.readline()
                    if not line:
                        return
                    line = line.rstrip("\n")
                else:
                    # Messages of the switch appear above the prompt.
                    with patch_stdout(raw=True):
                        line = session.prompt(prompt)
                if line.strip() in ("exit", "quit") and not is_incomplete:
                    return
                is_incomplete = console.push(line)
            except KeyboardInterrupt:
                console.resetbuffer()
                is_incomplete = False
            except EOFError:
                return
    finally:
        sys.displayhook = hook
