"""Runs a page of the documentation: its files, its console sessions and its Python.

A page is run from top to bottom in an empty folder. A block's language says what happens to it:

==========  =======================================================================================
``title=``  the block is written to a file of that name. If the title is a path of a file in the
            repository, such as ``docs/how-to/frr/agent.py``, the block must be a part of that file
console     each ``$ command`` is run; ``weir> …`` lines are its input; its output is compared
python      is run in one namespace for the page; a block ``output`` after it is what it printed
pycon       an interactive session, compared as by doctest
p4          must be a program without errors
json        must be valid JSON
sh          commands for people, which must name targets of the Makefile that exist
output      what the Python block before it printed
text, stf,   not run
yaml
==========  =======================================================================================

In expected output ``…`` stands for any text, and a line with nothing else for any lines. A command
whose output is not shown must only succeed; one that fails must show its error. Two kinds of HTML
comments prepare a page: ``<!-- files: PATH… -->`` copies files of the repository into the folder,
and ``<!-- python … -->`` is Python that readers do not see.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import weir

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)(?P<attributes>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$"
    r"|^<!-- files: (?P<files>.*?) -->$"
    r"|^<!-- python\n(?P<hidden>.*?)^-->$",
    re.MULTILINE | re.DOTALL,
)
LANGUAGES = {"console", "python", "pycon", "p4", "json", "sh", "output", "text", "stf", "yaml"}


@dataclass(frozen=True)
class Block:
    """A block of a page.

    Attributes:
        line: the number of its first line of text in the page.
        language: the language that the opening fence names; ``files`` and ``python`` for comments.
        title: the file that it is written to, or an empty text.
        text: the content of the block.
    """

    line: int
    language: str
    title: str
    text: str


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    found = []
    for match in _BLOCK.finditer(page):
        line = page.count("\n", 0, match.start()) + 2
        if match["files"] is not None:
            found.append(Block(line, "files", "", match["files"]))
        elif match["hidden"] is not None:
            found.append(Block(line, "python", "", match["hidden"]))
        else:
            title = re.search(r'title="([^"]+)"', match["attributes"])
            text = re.sub(f"^{match['indent']}", "", match["text"], flags=re.MULTILINE)
            found.append(Block(line, match["language"], title[1] if title else "", text))
    return found


class PageRun:
    """A page that is being run in a folder, which must be the working directory."""

    def __init__(self, path: Path, folder: Path, skip: frozenset[str] = frozenset()) -> None:
        """Prepares the run of a page.

        Args:
            path: the page.
            folder: an empty folder.
            skip: languages that are not run, such as ``console``.
        """
        self.path, self.folder, self.skip = path, folder, skip
        self.names: dict[str, object] = {"__name__": "page", "weir": weir}
        self.printed = ""

    def run(self) -> None:
        """Runs all blocks."""
        for block in blocks(self.path.read_text(encoding="utf-8")):
            place = f"{self.path}:{block.line}"
            if block.language == "rust" or ("/" in block.title and (ROOT / block.title).is_file()):
                source = (ROOT / block.title).read_text(encoding="utf-8")
                assert block.text in source, f"{place}: {block.title} has no such lines"
            elif block.title:
                file = self.folder / block.title
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(block.text, encoding="utf-8")
            elif block.language in self.skip:
                continue
            elif block.language == "files":
                for name in block.text.split():
                    source = ROOT / name
                    target = self.folder / source.name
                    shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
            else:
                assert block.language in LANGUAGES, f"{place}: no language that is run: {block.language!r}"
                getattr(self, f"_{block.language}")(block, place)

    def _python(self, block: Block, place: str) -> None:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            # Line numbers of errors are those of the page.
            exec(compile("\n" * (block.line - 1) + block.text, str(self.path), "exec"), self.names)
        self.printed = out.getvalue()

    def _output(self, block: Block, place: str) -> None:
        assert_matches(block.text, self.printed, place)

    def _pycon(self, block: Block, place: str) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, self.names, place, None, block.line)
        report = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
        runner.run(test, out=report.write, clear_globs=False)
        self.names.update(test.globs)
        assert not runner.failures, report.getvalue()

    def _console(self, block: Block, place: str) -> None:
        for command, typed, expected in commands(block.text):
            run = subprocess.run(
                ["bash", "-c", command],
                cwd=self.folder,
                input=typed,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=120,
                env=environment(),
                check=False,
            )
            # A session continues after a command that fails.
            shown = typed or "error" in expected or "FAIL" in expected
            assert shown or run.returncode == 0, f"{place}: {command!r} failed:\n{run.stdout}"
            if expected.strip():
                assert_matches(expected, run.stdout, f"{place}: {command!r}")

    def _p4(self, block: Block, place: str) -> None:
        file = self.folder / "block.p4"
        file.write_text(block.text, encoding="utf-8")
        errors = [found.rendered for found in weir.check(file) if found.severity == "error"]
        assert not errors, f"{place}:\n" + "\n".join(errors)

    def _json(self, block: Block, place: str) -> None:
        json.loads(block.text)

    def _sh(self, block: Block, place: str) -> None:
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        for line in block.text.splitlines():
            words = line.split("#")[0].split()
            if words[:1] == ["make"]:
                assert words[1] in targets, f"{place}: there is no {line!r}"

    def _text(self, block: Block, place: str) -> None:
        pass

    _stf = _text
    _yaml = _text


def environment() -> dict[str, str]:
    """Variables of commands: this Python's commands first, 80 columns, no colours."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}


def commands(session: str) -> list[tuple[str, str, str]]:
    """The commands of a console session, each with its input and its expected output."""
    found: list[tuple[str, str, str]] = []
    lines = iter(session.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command = command[:-1] + next(lines).strip()
            found.append((command, "", ""))
        else:
            assert found, f"a session begins with '$ COMMAND', not with {line!r}"
            command, typed, expected = found.pop()
            if line.startswith("weir> "):
                typed += line.removeprefix("weir> ") + "\n"
            else:
                expected += line + "\n"
            found.append((command, typed, expected))
    return found


def assert_matches(expected: str, got: str, place: str) -> None:
    """Compares output with what is expected, where ``…`` stands for anything."""
    lines = [line.rstrip() for line in expected.strip("\n").splitlines()]
    pattern = "".join(
        r"(?:[^\n]*\n)*?" if line.strip() == "…" else re.escape(line).replace("…", r"[^\n]*") + r"\n"
        for line in lines
    )
    text = "".join(line.rstrip() + "\n" for line in got.strip("\n").splitlines())
    assert re.fullmatch(pattern, text), f"{place}: expected\n{expected}\ngot\n{got}"
