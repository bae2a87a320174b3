"""Wraps comments, docstrings and Markdown paragraphs that have a line over 100 columns.

Rewrites the given files, or all that git knows, and prints the names of those that change. Code
blocks, tables, headings and links on lines of their own stay as they are; so do paragraphs whose
lines are all short enough. A file that was wrapped does not change again.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

COLUMNS = 100
NO_BREAK = "\x00"

_ITEM = re.compile(r"^\s*([-*+]|\d+[.)])\s+")
_FENCE = ("```", "~~~")
_ALONE = ("|", "#", "<", "![", "[^", ">>>", ".. ")
_LINK = re.compile(r"^\[[^\]]+\]: ")
_RULE = re.compile(r"^[-=─]{3,}")
_SECTION = re.compile(r"^(Args|Raises|Attributes|Returns|Yields|Note|Examples?):$")
_ENTRY = re.compile(r"^[\w`*.,\[\] ()]+: ")
_RUST_COMMENT = re.compile(r"^(\s*(?:///|//!|//))(?!/)(.*)$")
_PYTHON_COMMENT = re.compile(r"^(\s*#)(?!!)(.*)$")


@dataclass
class Paragraph:
    """Lines that belong together, without the comment's sign.

    Attributes:
        lines: the lines as they are in the file.
        first: the indentation of the first line.
        rest: the indentation of the other lines.
    """

    lines: list[str] = field(default_factory=list)
    first: int = 0
    rest: int = 0

    def wrapped(self, prefix: str) -> list[str]:
        """The lines, filled if one is too long."""
        if all(len(prefix + line) <= COLUMNS for line in self.lines):
            return [prefix + line for line in self.lines]
        text = " ".join(line.strip() for line in self.lines)
        wrapped = textwrap.wrap(
            re.sub(r"(?<=\d) (?=\d{3}\b)", NO_BREAK, text),  # 25 000 stays in one line.
            COLUMNS,
            initial_indent=prefix + " " * self.first,
            subsequent_indent=prefix + " " * self.rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
        return [line.replace(NO_BREAK, " ") for line in wrapped]


def wrap_lines(prefix: str, lines: list[str], sections: bool = False) -> list[str]:
    """Wraps prose whose lines all begin with ``prefix``, which is not part of ``lines``.

    Args:
        prefix: the comment's sign with its indentation.
        lines: the text after the sign.
        sections: whether there may be sections such as ``Args:`` with one entry per line.
    """
    out: list[str] = []
    open_paragraph: Paragraph | None = None
    fenced, section = False, -1

    def close() -> None:
        nonlocal open_paragraph
        if open_paragraph is not None:
            out.extend(open_paragraph.wrapped(prefix))
        open_paragraph = None

    for line in lines:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if text.startswith(_FENCE):
            fenced = not fenced
        alone = (
            not text
            or fenced
            or text.startswith((*_FENCE, *_ALONE))
            or text.endswith("::")
            or _LINK.match(text)
            or _RULE.match(text)
        )
        if sections and _SECTION.match(text):
            section, alone = indent, True
        elif text and indent <= section:
            section = -1
        if alone:
            close()
            out.append((prefix + line).rstrip())
        elif section >= 0 and indent == section + 4 and _ENTRY.match(text):
            close()
            open_paragraph = Paragraph([line], indent, indent + 4)
        elif match := _ITEM.match(line):
            close()
            open_paragraph = Paragraph([line], indent, match.end())
        elif open_paragraph is not None and indent == open_paragraph.rest:
            open_paragraph.lines.append(line)
        elif open_paragraph is None and indent >= 4 and not sections:
            out.append(prefix + line)  # An indented code block.
        else:
            close()
            open_paragraph = Paragraph([line], indent, indent)
    close()
    return out


def _comment_block(lines: list[str], at: int, comment: re.Pattern[str]) -> tuple[list[str], int]:
    """The comment that begins at a line, wrapped, and the line after it."""
    match = comment.match(lines[at])
    assert match
    sign, texts = match[1], []
    while at < len(lines) and (match := comment.match(lines[at])) and match[1] == sign:
        texts.append(match[2].removeprefix(" "))
        at += 1
    return [line.rstrip() for line in wrap_lines(f"{sign} ", texts)], at


def wrap_rust(text: str) -> str:
    """Wraps the comments of Rust; raw strings of several lines stay as they are."""
    lines, out, at, raw_end = text.split("\n"), [], 0, ""
    while at < len(lines):
        line = lines[at]
        if raw_end:
            raw_end = "" if raw_end in line else raw_end
        elif _RUST_COMMENT.match(line):
            block, at = _comment_block(lines, at, _RUST_COMMENT)
            out += block
            continue
        else:
            for match in re.finditer(r'r(#+)"', line):
                end = f'"{match[1]}'
                raw_end = "" if end in line[match.end() :] else end
        out.append(line)
        at += 1
    return "\n".join(out)


def wrap_python(text: str) -> str:
    """Wraps the comments and docstrings of Python."""
    docstrings: dict[int, int] = {}
    inside: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            docstrings[node.lineno - 1] = (node.end_lineno or 0) - 1
        elif isinstance(node, (ast.Constant, ast.JoinedStr)):
            inside.update(range(node.lineno, node.end_lineno or 0))
    lines, out, at = text.split("\n"), [], 0
    while at < len(lines):
        end = docstrings.get(at, at)
        if end > at:
            out += [lines[at], *wrap_lines("", lines[at + 1 : end], sections=True), lines[end]]
            at = end + 1
        elif at not in inside and _PYTHON_COMMENT.match(lines[at]):
            block, at = _comment_block(lines, at, _PYTHON_COMMENT)
            out += block
        else:
            out.append(lines[at])
            at += 1
    return "\n".join(out)


def wrap_markdown(text: str) -> str:
    """Wraps the paragraphs of Markdown."""
    return "\n".join(wrap_lines("", text.split("\n")))


WRAPPERS: dict[str, Callable[[str], str]] = {
    ".rs": wrap_rust,
    ".py": wrap_python,
    ".pyi": wrap_python,
    ".md": wrap_markdown,
}


def wrapped(path: Path) -> str | None:
    """The text of a file after wrapping; None if nothing changes, or the file has no prose."""
    wrap = WRAPPERS.get(path.suffix)
    if wrap is None or path.is_symlink():
        return None
    old = path.read_text(encoding="utf-8")
    new = wrap(old)
    return new if new != old else None


def known_to_git() -> list[Path]:
    """The files of the current folder that git knows and that exist."""
    names = subprocess.check_output(["git", "ls-files", "-z"], text=True).split("\0")
    return [path for path in map(Path, names) if path.is_file()]


def main(arguments: list[str] | None = None) -> int:
    summary, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(description=summary, epilog=rest, allow_abbrev=False)
    parser.add_argument("file", nargs="*", type=Path, help="a file; without one, all that git knows")
    parser.add_argument(
        "--check",
        action="store_true",
        help="change nothing; print the files that would change, and exit with 1 if there are some",
    )
    given = parser.parse_args(arguments)
    for path in given.file:
        if not path.is_file():
            parser.error(f"{path}: no such file")
    changed = 0
    for path in given.file or known_to_git():
        if (new := wrapped(path)) is None:
            continue
        changed += 1
        print(path)
        if not given.check:
            path.write_text(new, encoding="utf-8")
    if changed and given.check:
        have = "files has" if changed == 1 else "files have"
        print(f"{changed} of these {have} prose over {COLUMNS} columns: run make wrap", file=sys.stderr)
    return int(given.check and changed > 0)


if __name__ == "__main__":
    sys.exit(main())
