"""``weir shims``: installs stand-ins for the programs of BMv2, p4c and Tofino."""

from __future__ import annotations

import os
from pathlib import Path

import click

from weir.cli.files import Output


@click.group(
    "shims",
    short_help="Install stand-ins for simple_switch, p4c and Tofino's tools.",
    epilog="""\b
Examples:
  weir shims install ~/weir-shims
  PATH=~/weir-shims:$PATH make run
  weir shims uninstall ~/weir-shims""",
)
def command() -> None:
    """Install stand-ins for the programs of BMv2, p4c and Tofino in a folder.

    The stand-ins for p4c, p4c-bm2-ss, simple_switch, simple_switch_grpc and simple_switch_CLI, and
    for bf-p4c, p4_build.sh, run_switchd.sh, run_tofino_model.sh and run_bfshell.sh, let scripts and
    Makefiles run with Weir. DIR/python contains the module p4.tmp.p4config_pb2, which
    the p4lang tutorials' controllers import and which is not on PyPI.

    docs/how-to/drop-in.md lists the options of each stand-in.
    """


@command.command("install", short_help="Write the stand-ins into a folder.")
@click.argument("folder", metavar="DIR", type=Output(file_okay=False))
def install(folder: str) -> int:
    """Write the stand-ins into a folder. Other files are never overwritten."""
    from weir.dropin import shims

    for path in shims.install(folder):
        click.echo(path)
    if str(Path(folder).resolve()) not in os.environ.get("PATH", "").split(os.pathsep):
        click.echo(f"Put the folder first on the PATH:  export PATH={Path(folder).resolve()}:$PATH")
    modules = Path(folder).resolve() / shims.MODULES
    if str(modules) not in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        click.echo(f"For controllers that import p4.tmp:  export PYTHONPATH={modules}")
    return 0


@command.command("uninstall", short_help="Remove the stand-ins from a folder.")
@click.argument("folder", metavar="DIR", type=Output(file_okay=False))
def uninstall(folder: str) -> int:
    """Remove the stand-ins from a folder, and keep its other files."""
    from weir.dropin import shims

    removed = shims.uninstall(folder)
    for path in removed:
        click.echo(f"removed {path}")
    if not removed:
        click.echo(f"there is no stand-in in {folder}")
    return 0
