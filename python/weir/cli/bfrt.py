"""``weir bfrt``: runs scripts for the shell of Tofino's switches, or reads lines at a prompt."""

from __future__ import annotations

import click

from weir.cli.files import Input
from weir.cli.numbers import AnyWhole


@click.command("bfrt", short_help="Run scripts for Tofino's BfRt shell, or open its prompt.")
@click.argument("script", required=False, type=Input(exists=True, dir_okay=False))
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--address",
    default="127.0.0.1:50052",
    show_default=True,
    metavar="HOST:PORT",
    help="The BfRt server of the switch; also unix:PATH.",
)
@click.option(
    "--device-id", type=AnyWhole(), default=0, show_default=True, help="The switch's number on the server."
)
@click.option("-i", "--interactive", is_flag=True, help="Open the prompt after the script.")
@click.option(
    "--tls-ca", type=Input(dir_okay=False), help="The authority that signed the server's certificate."
)
@click.option("--tls-certificate", type=Input(dir_okay=False), help="The client's own certificate.")
@click.option("--tls-key", type=Input(dir_okay=False), help="The private key of the client's certificate.")
def command(
    script: str | None,
    arguments: tuple[str, ...],
    address: str,
    device_id: int,
    interactive: bool,
    tls_ca: str | None,
    tls_certificate: str | None,
    tls_key: str | None,
) -> None:
    """Run SCRIPT with a switch's tables as Python objects, or open a prompt.

    Scripts use the same objects as in the BfRt shell of Tofino switches. The program's tables are
    under its name, such as bfrt.router.pipe.Ingress.ipv4_lpm; tables of the device are, for
    example, bfrt.port.port and bfrt.pre.mgid. For the methods, see docs/reference/bfrt.md.

    \b
    Example:
      weir switch router.p4 -i 1@eth1 -i 2@eth2 --bfrt &
      weir bfrt routes.py
    """
    from weir.bfrt import connect
    from weir.bfrt.script import namespace, read_lines, run_script
    from weir.p4runtime.tls import ClientTls

    if tls_ca is None and (tls_certificate or tls_key):
        raise click.UsageError("--tls-certificate and --tls-key need --tls-ca.")
    tls = None if tls_ca is None else ClientTls(tls_ca, tls_certificate, tls_key)
    with connect(address, device_id, tls=tls) as device:
        names = namespace(device)
        if script is not None:
            run_script(script, names, list(arguments))
        if script is None or interactive:
            read_lines(names)
