"""``weir ui``: shows a network in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from weir.cli.files import Input
from weir.cli.group import complete_from
from weir.cli.network_options import (
    NetworkCommand,
    network_maker,
    reported,
    virtual_network_options,
)
from weir.cli.numbers import Whole
from weir.files import is_there

_DEFAULT = "dumbbell:2,rate=10Mbit"
"""The topology that is shown without an argument."""

_SHAPE_OF_PROGRAM = "star:3,rate=10Mbit"
"""The topology whose switch runs a program that is shown alone."""


def _examples() -> list[str]:
    from weir.examples import EXAMPLES

    return list(EXAMPLES)


@click.command(
    "ui",
    cls=NetworkCommand,
    short_help="Show a network in the browser.",
    epilog="""\b
Examples:
  weir ui
  weir ui topology.json --p4 router.p4
  weir ui nat
  weir ui router.p4
  weir ui --shape leaf_spine:2,2,hosts=2 --seed 7""",
)
@click.argument(
    "topology",
    metavar="[TOPOLOGY|EXAMPLE|FILE.p4]",
    required=False,
    type=Input(),
    shell_complete=complete_from(_examples),
)
@click.option(
    "--port",
    type=Whole(0, 65535),
    default=0,
    metavar="N",
    help="The TCP port at 127.0.0.1.  [default: a free port]",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in the default browser.")
@virtual_network_options
def command(topology: str | None, port: int, opens: bool, **given: Any) -> int:
    """Show a virtual network in the browser, until Ctrl-C.

    TOPOLOGY is a file such as topology.json; --shape generates a topology instead. EXAMPLE is an
    example of `weir example list`. With FILE.p4, three hosts are connected to a switch that runs
    the program; without an argument, there are two switches with two hosts each.

    The page is served at 127.0.0.1, and its address has a secret token. Other sites cannot use the
    page, and the page loads nothing from other hosts. The command needs the extra ui: pip install
    'p4weir[ui]'.
    """
    from weir.cli.host_prompt import HostPrompt
    from weir.ui.server import Service, check_installed
    from weir.ui.session import Session

    check_installed()
    given["topology"], program = _read_argument(topology)
    if program is not None:
        if given["p4"] is not None:
            raise click.UsageError("--p4 is for a topology, but the argument is already a program")
        given["p4"] = program
    make, p4 = network_maker(given)
    session = Session(make, HostPrompt)
    reported(session.network, p4)
    service = Service(session, port)
    click.echo(service.url)
    click.echo("Open this address in a browser. Ctrl-C ends weir ui.", err=True)
    if opens:
        click.launch(service.url)
    service.run()
    return 0


def _read_argument(argument: str | None) -> tuple[str, str | None]:
    """Returns the topology and the program that the argument names."""
    from weir.examples import EXAMPLES

    if argument is None:
        return _DEFAULT, None
    if argument in EXAMPLES and not is_there(argument):
        return str(EXAMPLES[argument].folder / "topology.json"), None
    if Path(argument).suffix == ".p4":
        return _SHAPE_OF_PROGRAM, argument
    return argument, None
