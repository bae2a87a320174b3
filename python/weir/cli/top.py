"""``weir top``: shows the activity of a switch between real interfaces."""

from __future__ import annotations

import json
import time
from contextlib import suppress

import click


@click.command("top", short_help="Watch a switch between network interfaces.")
@click.argument("address", default="127.0.0.1:9100")
@click.option("--once", is_flag=True, help="Print the tables once, with the rates of one interval.")
@click.option(
    "--interval",
    type=click.FloatRange(0.1, 3600),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="The time between two updates.",
)
@click.option("--switch", metavar="NAME", help="Show only the switch of this name.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print the numbers once as JSON for tools (docs/how-to/real-interfaces.md).",
)
def command(address: str, once: bool, interval: float, switch: str | None, as_json: bool) -> None:
    """Show the ports, drops, tables and CPU use of a switch, until Ctrl-C or the key q.

    ADDRESS is the address of the switch's --metrics: IP:PORT, a PORT on this computer, or a URL
    [default: 127.0.0.1:9100]. If the output is not a terminal, or TERM is dumb, prints the tables
    once.

    \b
    Example:
      weir switch router.p4 -i 1@eth1 -i 2@eth2 --metrics 127.0.0.1:9100 &
      weir top
    """
    from rich.text import Text

    from weir.display.terminal import VisibleConsole
    from weir.errors import WeirError, quote
    from weir.text.suggest import nearest
    from weir.top import WIDE, read, summary, tables

    metrics_before = read(address)
    names = [name for labels in metrics_before.values_of("passes") if (name := dict(labels).get("switch"))]
    if switch is not None and switch not in names:
        listed = ", ".join(names) or "a switch without a name"
        raise WeirError(
            f"there is no switch {quote(switch)} at {address}; there is {listed}",
            suggestion=nearest(switch, names),
        )
    if as_json:
        time.sleep(interval)
        click.echo(json.dumps(summary(read(address), metrics_before, switch), indent=2))
        return
    console = VisibleConsole()
    if once or not console.is_screen:
        time.sleep(interval)
        wide = console if console.is_terminal else VisibleConsole(width=160)
        wide.print(*tables(read(address), metrics_before, switch, wide.width))
        return
    from weir.display.full_screen import FullScreen

    now, earlier, trouble = metrics_before, None, ""
    with FullScreen(console) as screen, suppress(KeyboardInterrupt):
        while True:
            left_out = "" if console.width >= WIDE else f"{WIDE} columns show more"
            heading = Text.assemble((address, "bold"), "  ", (left_out, "dim"), "  ", (trouble, "red"))
            screen.show(heading, *tables(now, earlier, switch, console.width))
            if not screen.wait(interval):
                return
            try:
                now, earlier, trouble = read(address), now, ""
            except WeirError as e:
                # The switch may be restarted.
                trouble = str(e)
