"""``weir man``: writes manual pages of all commands, from their own help."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from weir.cli.output_file import Output


@click.command(
    "man",
    short_help="Write manual pages for man.",
    epilog="""\b
Examples:
  weir man ~/.local/share/man/man1 && man weir-run
  weir man pages && man -l pages/weir-check.1""",
)
@click.argument("folder", metavar="DIR", type=Output())
def command(folder: str) -> None:
    """Write the manual pages of weir and its commands to DIR: weir.1, weir-check.1, …

    Programs such as man find pages in ~/.local/share/man/man1 and /usr/local/share/man/man1. Older
    pages of Weir in DIR are replaced.
    """
    from weir import __version__
    from weir.files import system_errors
    from weir.files.whole_file import write_whole_text

    root = click.get_current_context().find_root().command
    into = Path(folder)
    with system_errors(into, "cannot be written"):
        into.mkdir(parents=True, exist_ok=True)
    count = 0
    for path, subcommand, context in walk(click.Context(root, info_name="weir"), root, ("weir",)):
        write_whole_text(into / f"{'-'.join(path)}.1", manual_page(path, subcommand, context, __version__))
        count += 1
    click.echo(f"{count} pages in {folder}")


def walk(
    context: click.Context, command: click.Command, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command, click.Context]]:
    """Yields a command and all its subcommands, each with its name and its context."""
    yield path, command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from walk(click.Context(below, info_name=name, parent=context), below, (*path, name))


def manual_page(path: tuple[str, ...], command: click.Command, context: click.Context, version: str) -> str:
    """Formats the help of a command as a manual page (man(7)).

    Args:
        path: the words that call the command.
        command: the command.
        context: its context.
        version: the version of Weir, for the footer.
    """
    name, call = "-".join(path), " ".join(path)
    short = (command.short_help or command.get_short_help_str(200)).rstrip(".")
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [
        f'.TH "{_escaped(name.upper())}" 1 "" "Weir {_escaped(version)}" "Weir"',
        f".SH NAME\n{_escaped(name)} \\- {_escaped(short)}",
        f".SH SYNOPSIS\n.B {_escaped(call)}\n{_text(usage)}",
        f".SH DESCRIPTION\n{_paragraphs(command.help or '')}",
    ]
    options = [
        record
        for option in command.get_params(context)
        if isinstance(option, click.Option) and (record := option.get_help_record(context)) is not None
    ]
    if options:
        parts.append(".SH OPTIONS\n" + "\n".join(map(_item, options)))
    if isinstance(command, click.Group):
        below = [(one, command.get_command(context, one)) for one in command.list_commands(context)]
        rows = [
            (one, f"{found.get_short_help_str(200)} See {name}-{one}(1).") for one, found in below if found
        ]
        parts.append(".SH COMMANDS\n" + "\n".join(map(_item, rows)))
    if command.epilog:
        parts.append(f".SH NOTES\n{_paragraphs(command.epilog)}")
    parts.append(
        ".SH EXIT STATUS\n0 for success, 1 for an error or a failed check, 2 for a wrong command line, 130 for an\n"
        "interruption."
    )
    if len(path) > 1:
        parts.append(f".SH SEE ALSO\n.BR {_escaped('-'.join(path[:-1]))} (1)")
    return "\n".join(parts) + "\n"


def _item(row: tuple[str, str]) -> str:
    return f".TP\n.B {_escaped(row[0])}\n{_text(row[1])}"


def _paragraphs(text: str) -> str:
    """Formats the paragraphs of a help text. Paragraphs after ``\\b`` keep their lines."""
    parts = []
    for paragraph in re.split(r"\n\s*\n", click.unstyle(text).strip("\n")):
        lines = paragraph.split("\n")
        if lines[0].strip() == "\b":
            text_lines = "\n".join(_text(line) for line in lines[1:])
            parts.append(f".PP\n.nf\n{text_lines}\n.fi")
        else:
            parts.append(f".PP\n{_text(' '.join(line.strip() for line in lines))}")
    return "\n".join(parts)


def _text(line: str) -> str:
    """Escapes a line of text, which must not be taken for a request of roff."""
    escaped = _escaped(line)
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _escaped(text: str) -> str:
    """Escapes what roff would interpret, and characters that it does not read as UTF-8."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return "".join(
        character if character.isascii() else f"\\[u{ord(character):04X}]" for character in escaped
    )
