"""``weir ap``: a Wi-Fi access point from a Linux machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from weir.cli import ap_stations as stations, text
from weir.cli.files import Input, Output
from weir.cli.group import LazyGroup
from weir.errors.linux import require_linux
from weir.text.visible import visible

_MAX_LINE_BYTES = 1 << 12
"""The maximum number of bytes that are read of a passphrase; a valid one has at most 63."""


@click.group(
    "ap",
    cls=LazyGroup,
    short_help="Turn a Linux machine into a Wi-Fi access point.",
    no_args_is_help=True,
    epilog="""\b
Examples:
  weir ap init my-ap --wifi wlan0 --uplink eth0 --ssid Lab --country DE
  weir ap check my-ap
  weir ap write my-ap
  sudo my-ap/install && sudo systemctl enable --now weir-ap.target
  sudo weir ap status
  sudo weir ap limit 02:00:00:00:00:01 --download 5Mbit""",
)
def command() -> None:
    """Turn a Linux machine into a Wi-Fi access point with a P4 program as its switch.

    hostapd runs the radio, Weir's switch forwards the frames, dnsmasq serves DHCP and DNS, and
    systemd starts all three. docs/how-to/access-point.md describes all steps.
    """
    require_linux("weir ap")
    text.show_warnings()


@command.command(
    "init",
    short_help="Write the settings and the other files of an access point.",
    epilog="""\b
Examples:
  weir ap init my-ap --wifi wlan0 --uplink eth0 --ssid Lab --country DE
  weir ap init my-ap --wifi wlan0 --uplink eth0 --ssid Lab --country DE --mode bridge --no-isolate""",
)
@click.argument("folder", metavar="DIR", type=Output(file_okay=False))
@click.option("--wifi", required=True, metavar="INTERFACE", help="The Wi-Fi interface.")
@click.option("--uplink", required=True, metavar="INTERFACE", help="The interface to other networks.")
@click.option("--ssid", required=True, metavar="NAME", help="The name of the Wi-Fi network.")
@click.option("--country", required=True, metavar="CC", help="Two letters of ISO 3166, such as DE.")
@click.option(
    "--mode",
    type=click.Choice(["route", "bridge"]),
    default="route",
    show_default=True,
    help="route: stations are in their own network behind this computer; bridge: they are in the uplink's network.",
)
@click.option(
    "--band", type=click.Choice(["2.4", "5"]), default="2.4", show_default=True, help="The radio band in GHz."
)
@click.option("--address", metavar="A.B.C.D/LEN", help="This computer's address.  [default: 10.42.0.1/24]")
@click.option(
    "--passphrase-file",
    type=Input(),
    metavar="FILE",
    help="A file with the passphrase; - reads standard input.  [default: a random one]",
)
@click.option(
    "--isolate/--no-isolate",
    default=True,
    show_default=True,
    help="Isolate stations from each other, or let them communicate.",
)
@click.option(
    "--upload",
    metavar="RATE",
    default="unlimited",
    show_default=True,
    help="The rate at which each station may send.",
)
@click.option(
    "--download",
    metavar="RATE",
    default="unlimited",
    show_default=True,
    help="The rate at which each station may receive.",
)
def init(folder: str, wifi: str, passphrase_file: str | None, **options: Any) -> None:
    """Write the settings of an access point, and all files generated from them, into a new folder.

    The settings are in DIR/ap.toml. After changing them, run `weir ap write DIR` to write the files
    again.
    """
    from weir.ap import folder as files
    from weir.ap.settings import NAME, parse_settings
    from weir.errors import WeirError
    from weir.files import system_errors
    from weir.files.opening import open_named
    from weir.files.secret import check_secret

    place = Path(folder)
    if (place / NAME).exists():
        raise click.UsageError(f"{place / NAME} already exists: edit it, then run `weir ap write {folder}`.")
    words = None
    if passphrase_file is not None:
        if passphrase_file == "-":
            words = sys.stdin.readline().rstrip("\r\n")
        else:
            check_secret(passphrase_file, "passphrase")
            with system_errors(Path(passphrase_file), "cannot be read"), open_named(passphrase_file) as file:
                words = file.readline(_MAX_LINE_BYTES).decode("utf-8", "replace").rstrip("\r\n")
    text = files.template(interface=wifi, passphrase=words, **options)
    try:
        settings = parse_settings(text, place / NAME)
    except WeirError as error:
        # The file does not exist yet, so its name and line would not help.
        raise type(error)(error.message, suggestion=error.suggestion) from None
    written = {NAME: text} | files.contents(settings)
    _refuse_or_ask(place, files.changed_files(place, written), yes=False)
    for path in files.write(place, written):
        click.echo(str(path))
    if words is None:
        click.echo(f"the passphrase is in {place / NAME}")
    click.echo(f"next: weir ap check {folder}")


@command.command(
    "write",
    short_help="Write all files from the settings again.",
    epilog="\b\nExamples:\n  weir ap write my-ap\n  weir ap write /etc/weir-ap --yes && systemctl reload weir-ap-switch",
)
@click.argument("folder", metavar="[DIR]", default=".", type=Input(file_okay=False))
@click.option("--yes", is_flag=True, help="Replace files that differ without asking.")
def write(folder: str, yes: bool) -> int:
    """Write all files of an access point from DIR/ap.toml [default: the current folder].

    Lists the files that would change, and asks before replacing them. Keeps DIR/stations.json,
    which `weir ap block` and `weir ap limit` write.
    """
    from weir.ap import folder as files
    from weir.ap.settings import read_settings

    place = Path(folder)
    written = files.contents(read_settings(place))
    _refuse_or_ask(place, files.changed_files(place, written), yes=yes)
    for path in files.write(place, written):
        click.echo(str(path))
    return 0


def _refuse_or_ask(place: Path, changed: list[str], *, yes: bool) -> None:
    """Asks whether to replace files; refuses if there is no terminal."""
    if not changed or yes:
        return
    listed = ", ".join(str(place / name) for name in changed)
    if not sys.stdin.isatty():
        raise click.ClickException(f"{listed}: would change; --yes replaces them")
    click.confirm(f"replace {listed}?", abort=True)


@command.command(
    "check",
    short_help="Check the requirements of an access point.",
    epilog="\b\nExamples:\n  weir ap check\n  weir ap check my-ap\n  sudo weir ap check /etc/weir-ap",
)
@click.argument("folder", metavar="[DIR]", required=False, type=Input(file_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(folder: str | None, as_json: bool) -> int:
    """Check whether this machine meets the requirements of an access point, and suggest remedies.

    With an access point's folder, checks the interfaces, channel and services of this access point;
    without a folder, checks the requirements of all access points. The exit code is 1 if something
    is missing.
    """
    import json
    from dataclasses import asdict

    from weir.ap.machine import Machine, check as check_machine
    from weir.ap.settings import read_settings

    settings = read_settings(Path(folder)) if folder is not None else None
    findings = check_machine(Machine(), settings)
    missing = any(finding.state == "missing" for finding in findings)
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
        return 1 if missing else 0
    colours = {"ok": "green", "warning": "yellow", "missing": "red"}
    width = max(len(finding.subject) for finding in findings)
    for finding in findings:
        state = click.style(finding.state.ljust(7), fg=colours[finding.state])
        text.coloured_line(f"{state}  {visible(f'{finding.subject.ljust(width)}  {finding.text}')}")
        if finding.remedy:
            click.echo(f"{' ' * (11 + width)}→ {finding.remedy}")
    return 1 if missing else 0


command.add_command(stations.status)
command.add_command(stations.block)
command.add_command(stations.unblock)
command.add_command(stations.limit)
command.add_command(stations.unlimit)
