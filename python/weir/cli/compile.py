"""``weir compile``: compiles a P4 program and writes files for controllers and for Wireshark."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click

from weir.cli.files import Input, OutputFile, keep_inputs
from weir.cli.group import define_option, include_option, read_defines
from weir.cli.text import colour
from weir.errors import CommandError, WeirError
from weir.files import system_errors
from weir.text.visible import own_stream

_Format = Literal["text", "json", "binary"]

_FORMAT_BY_SUFFIX: dict[str, _Format] = {
    ".txtpb": "text",
    ".txt": "text",
    ".textproto": "text",
    ".json": "json",
    ".bin": "binary",
    ".binpb": "binary",
}


@click.command(
    "compile",
    short_help="Compile a P4 program; write its P4Info, bf-rt.json or a Wireshark dissector.",
    epilog="""\b
Examples:
  weir compile router.p4
  weir compile router.p4 --p4info router.p4info.txtpb
  weir compile router.p4 --p4info router.json
  weir compile router.p4 --p4info - | grep alias
  weir compile router.p4 --bfrt-json bf-rt.json
  weir compile router.p4 --dissector router.lua""",
)
@click.argument("file", metavar="FILE.p4|FILE.json", type=Input())
@include_option
@define_option
@click.option(
    "--p4info",
    "out",
    metavar="FILE",
    type=OutputFile(or_standard_output=True),
    help="Write the P4Info, which P4Runtime controllers need: as text if the name ends in .txtpb or .txt, "
    "as JSON for .json, in protobuf's binary format for .bin or .binpb. - is standard output.",
)
@click.option(
    "--p4info-format",
    "format",
    type=click.Choice(("text", "json", "binary")),
    help="The format of the P4Info.  [default: from the file's name, text for -]",
)
@click.option(
    "--bfrt-json",
    "bfrt",
    metavar="FILE",
    type=OutputFile(or_standard_output=True),
    help="Write bf-rt.json, BfRt's description of the tables, for controllers of Tofino switches. - is "
    "standard output.",
)
@click.option(
    "--dissector",
    "lua",
    metavar="FILE.lua",
    type=OutputFile(or_standard_output=True),
    help="Write a dissector in Lua, with which Wireshark and tshark show the headers that the program "
    "parses. - is standard output.",
)
def command(
    file: str,
    include: tuple[str, ...],
    define: tuple[str, ...],
    out: str | None,
    format: _Format | None,
    bfrt: str | None,
    lua: str | None,
) -> int:
    """Compile a P4 program, and write its P4Info, its bf-rt.json or a dissector for Wireshark.

    Without --p4info, --bfrt-json and --dissector, the command only reports errors. Errors go to
    standard error; the exit code is then 1. For the differences from p4c's P4Info, see
    docs/reference/p4info.md.
    """
    from weir.program import compile, dissector

    if out is None and format is not None:
        raise CommandError("--p4info-format needs --p4info FILE")
    p4info_format = _format(out, format)
    coloured = colour(sys.stderr)
    defines = read_defines(define)
    # A program from a pipe can be read only once.
    if Path(file).is_file() and any(Path(name).is_file() for name in (out, bfrt, lua) if name):
        _keep_included(file, include, defines)
    script = None if lua is None else dissector(file, include, defines, colour=coloured)
    if out is not None or bfrt is not None or lua is None:
        program = compile(file, include, defines, colour=coloured)
        info = None if out is None else program.p4info(p4info_format)
        tables = None if bfrt is None else program.bfrt_json()
        if out is not None and info is not None:
            _write(out, info, text=p4info_format != "binary")
        if bfrt is not None and tables is not None:
            _write(bfrt, tables.encode(), text=True)
    if lua is not None and script is not None:
        _write(lua, script.encode(), text=True)
    return 0


def _keep_included(file: str, include: tuple[str, ...], defines: dict[str, str]) -> None:
    """Refuses outputs that would overwrite a file that the program includes."""
    from weir.program import preprocess

    try:
        _, files = preprocess(file, include, defines)
    except WeirError:
        # The compiler reports the program's errors.
        return
    keep_inputs(files)


def _write(out: str, content: bytes, *, text: bool) -> None:
    """Writes content to a file, or to standard output for ``-``, where control characters in text
    are made visible."""
    if out == "-":
        if text:
            click.echo(content.decode(), nl=False)
        else:
            click.echo(content, file=own_stream(sys.stdout), nl=False)
        return
    with system_errors(Path(out), "cannot be written"):
        Path(out).write_bytes(content)


def _format(out: str | None, chosen: _Format | None) -> _Format:
    """Returns the format of P4Info: the chosen format, or the one that the file's name implies."""
    if chosen is not None:
        return chosen
    if out is None or out == "-":
        return "text"
    implied = _FORMAT_BY_SUFFIX.get(Path(out).suffix)
    if implied is None:
        raise CommandError(
            f'the name "{out}" does not imply a format: end it in {", ".join(_FORMAT_BY_SUFFIX)}, or give --p4info-format'
        )
    return implied
