"""The command ``weir`` with its subcommands, which are imported when they are called."""

from __future__ import annotations

import click

from weir.cli.group import LazyGroup


class _Weir(LazyGroup):
    modules = """
        check explain compile ir test grade trace run ui switch bfrt top link ap shims topology draw ping iperf
        example lab experiment telemetry bench completion man
    """


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from weir.cli.version import version_text

        click.echo(version_text(verbose=ctx.params.get("verbose", False)))
        ctx.exit()


@click.group(
    cls=_Weir,
    no_args_is_help=True,
    # Without `color`, click would remove escape sequences from data, although they must be shown.
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110, "color": True},
    epilog="""\b
Examples:
  weir check router.p4
  weir test router.p4 router.stf
  weir run topology.json --p4 router.p4 -c "h1 ping -c 3 h2"
  weir ping topology.json h1 h2 --p4 router.p4
  weir iperf topology.json h1 h2 --p4 router.p4
  weir switch router.p4 -i 1@eth1 -i 2@eth2
  weir link eth1 eth2 --delay 5ms --loss 0.1%
  weir lab run delay --quick""",
)
@click.option("--version", is_flag=True, expose_value=False, callback=_version, help="Show the version.")
@click.option(
    "--verbose",
    is_flag=True,
    is_eager=True,
    help="With --version: also show how Weir was built and how it runs.",
)
def app(verbose: bool) -> None:
    """Run P4 programs as switches, in a virtual network or on real interfaces, and measure them."""
    if verbose:
        raise click.UsageError("--verbose is only for --version.")
