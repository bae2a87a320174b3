"""``weir ir``: shows the intermediate representation of a P4 program."""

from __future__ import annotations

import re
import sys

import click

from weir.cli.files import Input
from weir.cli.group import define_option, include_option, read_defines
from weir.cli.text import colour, coloured_line, table
from weir.errors import CommandError, P4Error
from weir.text.visible import visible, visible_but_colours


@click.command(
    "ir",
    short_help="Show the IR of a P4 program.",
    epilog="""\b
Examples:
  weir ir router.p4
  weir ir router.p4 --after lower
  weir ir --passes""",
)
@click.argument("file", metavar="FILE.p4|FILE.json", type=Input(), required=False)
@include_option
@define_option
@click.option(
    "--after",
    metavar="PASS",
    default="bind",
    show_default=True,
    help="The pass after which to show the program.",
)
@click.option("--passes", is_flag=True, help="List the passes in order, with a description of each.")
def command(
    file: str | None, include: tuple[str, ...], define: tuple[str, ...], after: str, passes: bool
) -> int:
    """Print the intermediate representation of a P4 program.

    The IR shows all types, locations and steps that are implicit in the source. For its syntax, see
    docs/explanation/ir.md.
    """
    from weir.program import ir, ir_stages

    if passes:
        table(["pass", "what it does"], ir_stages().items())
        return 0
    if file is None:
        raise CommandError("name the program: weir ir FILE.p4")
    try:
        ir_text = ir(file, include, read_defines(define), after=after, colour=colour(sys.stderr))
    except P4Error as error:
        if all(d.id not in ("no-main", "unknown-architecture") for d in error.diagnostics):
            raise
        text = f"{error}\n  = note: `--after lower` shows the IR of its parts"
        coloured_line(visible_but_colours(text), err=True)
        return 1
    coloured_line(highlight(visible(ir_text)), end="")
    return 0


_PARTS = re.compile(
    r"""
    (?P<text>"(?:[^"\\]|\\.)*")
  | (?P<quoted>`[^`]*`)
  | (?P<place>@\d+:\d+(?::\d+)?)
  | (?P<annotation>@[A-Za-z_]\w*)
  | (?P<type>\b(?:bit|int|varbit)<\d+>|(?<![\w$\#.])(?:bool|error)\b)
  | (?P<number>\b\d+[ws]-?(?:0x[0-9a-f]+|\d+)\b|\b(?:true|false)\b)
  | (?P<keyword>(?<![\w$\#.])(?:file|errors|enum|header_type|header|var|stack|extern|value_set|action|procedure|table|parser
      |control|package|param|locals|start|state|key|default|entry|method|result|if|else|switch|case|loop|step|break
      |continue|return|exit|call|apply|extract|lookahead|advance|verify|emit|set_valid|set_invalid|copy|push_front
      |pop_front|next_index|select|in|out|inout)(?![\w$\#.]))
    """,
    re.VERBOSE,
)

_STYLES: dict[str, dict[str, object]] = {
    "text": {"fg": "green"},
    "place": {"dim": True},
    "annotation": {"fg": "magenta"},
    "type": {"fg": "cyan"},
    "number": {"fg": "yellow"},
    "keyword": {"bold": True},
}


def highlight(text: str) -> str:
    """Adds terminal colours to the text of the IR."""

    def style_match(match: re.Match[str]) -> str:
        style = _STYLES.get(match.lastgroup or "")
        return click.style(match.group(), **style) if style else match.group()  # type: ignore[arg-type]

    return _PARTS.sub(style_match, text)
