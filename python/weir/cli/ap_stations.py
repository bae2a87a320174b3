"""``weir ap status``, ``block``, ``limit``: the stations of a running access point."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weir.cli.files import Input
from weir.cli.numbers import Number

if TYPE_CHECKING:
    from rich.table import Table

    from weir.ap.settings import Settings
    from weir.ap.stations import Rule
    from weir.ap.status import Station

INSTALLED = "/etc/weir-ap"


def _folder_option(command: Any) -> Any:
    return click.option(
        "--folder",
        metavar="DIR",
        default=INSTALLED,
        show_default=True,
        type=Input(file_okay=False),
        help="The folder with the access point's settings, which `weir ap init` writes.",
    )(command)


@click.command(
    "status",
    short_help="Show stations with their rates.",
    epilog="\b\nExamples:\n  sudo weir ap status\n  sudo weir ap status --once\n  sudo weir ap status --json | jq '.stations[].mac'",
)
@_folder_option
@click.option("--once", is_flag=True, help="Print the table once, with the rates of one interval.")
@click.option("--json", "as_json", is_flag=True, help="Print the table once, as JSON.")
@click.option(
    "--interval",
    type=Number(0.1, 3600),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="The interval over which rates are measured.",
)
def status(folder: str, once: bool, as_json: bool, interval: float) -> None:
    """Show the stations of a running access point with their rates, until Ctrl-C or the key q.

    If the output is not a terminal, or TERM is dumb, prints the table once.
    """
    import json

    from rich.text import Text

    from weir.ap.live import LiveSwitch
    from weir.ap.settings import read_settings
    from weir.ap.stations import read_rules
    from weir.ap.status import stations
    from weir.display.terminal import VisibleConsole
    from weir.errors import WeirError

    place = Path(folder)
    settings = read_settings(place)
    console = VisibleConsole()

    def read_stations() -> tuple[list[Station], tuple[bool, int]]:
        with LiveSwitch(settings) as switch:
            return stations(settings, read_rules(place), switch, interval), switch.isolation()

    if as_json:
        current, (isolated, dropped) = read_stations()
        rows = [station.row() for station in current]
        document = {
            "ssid": settings.wifi.ssid,
            "isolated": isolated,
            "isolated_frames": dropped,
            "stations": rows,
        }
        click.echo(json.dumps(document, indent=2))
        return
    if once or not console.is_screen:
        wide = console if console.is_terminal else VisibleConsole(width=160)
        wide.print(_table(settings.wifi.ssid, *read_stations()))
        return
    from weir.display.full_screen import FullScreen

    with FullScreen(console) as screen, suppress(KeyboardInterrupt):
        pause = 0.0  # Reading the stations takes the interval.
        while screen.wait(pause):
            try:
                screen.show(_table(settings.wifi.ssid, *read_stations()))
                pause = 0.01
            except WeirError as error:
                # The switch may be restarted.
                screen.show(Text(str(error), style="red"))
                pause = interval


def _table(ssid: str, stations: list[Station], isolation: tuple[bool, int]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from weir.units import format_rate, format_size

    isolated, dropped = isolation
    apart = f"isolated from each other ({dropped} frames dropped)" if isolated else "reach each other"
    table = Table(
        title=Text(f"{ssid}: stations {apart}"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for name in ("station", "address", "name", "state"):
        table.add_column(name, overflow="fold")
    for name in ("signal", "up", "down", "sent", "received", "over limit", "limits up/down"):
        table.add_column(name, justify="right", no_wrap=True)
    for station in stations:
        state = {None: "seen", True: "associated", False: "away"}[station.associated]
        limits = [
            "-" if limit is None else format_rate(limit)
            for limit in (station.upload_limit, station.download_limit)
        ]
        table.add_row(
            station.mac,
            station.ip,
            Text(station.name),  # as the station sends it, with or without brackets
            "blocked" if station.blocked else state,
            "" if station.signal_dbm is None else f"{station.signal_dbm} dBm",
            format_rate(round(station.upload_bps)),
            format_rate(round(station.download_bps)),
            format_size(station.uploaded),
            format_size(station.downloaded),
            str(station.dropped),
            "/".join(limits),
        )
    return table


def _change_rule(folder: str, station: str, change: Callable[[Rule, dict[str, Rule]], Rule]) -> None:
    """Changes the rule of a station in the running switch and in ``stations.json``."""
    from weir.ap.settings import read_settings
    from weir.ap.stations import stations_locked
    from weir.ap.values import mac as read_mac
    from weir.errors import WeirError

    try:
        mac = read_mac(station)
    except WeirError as error:
        raise click.BadParameter(error.message, param_hint="STATION") from None
    place = Path(folder)
    settings = read_settings(place)
    if mac == settings.network.mac:
        raise click.BadParameter(f"{mac} is this computer's own address", param_hint="STATION")
    with stations_locked(place):
        _change_locked(place, settings, mac, change)


def _change_locked(
    place: Path, settings: Settings, mac: str, change: Callable[[Rule, dict[str, Rule]], Rule]
) -> None:
    from weir.ap.live import LiveSwitch, NoSwitchError
    from weir.ap.stations import Rule, read_rules, write_rules

    rules = read_rules(place)
    old_rule = rules.get(mac)
    rule = change(old_rule or Rule(mac), rules)
    if rule == (old_rule or Rule(mac)):
        click.echo(f"{mac} already has these settings")
        return
    others = {other: other_rule for other, other_rule in rules.items() if other != mac}
    all_rules = others | ({mac: rule} if rule.blocked or rule.slot is not None else {})
    try:
        with LiveSwitch(settings, writes=True) as switch:
            switch.apply(rule, old_rule)
    except NoSwitchError as error:
        note = (
            f"the switch is not running: {error}; the change is in {place / 'stations.json'} for the "
            "next start"
        )
        click.echo(note, err=True)
    write_rules(place, all_rules)


@click.command("block", short_help="Drop all frames of a station.")
@click.argument("station", metavar="STATION")
@_folder_option
def block(station: str, folder: str) -> None:
    """Drop all frames from and to a station, given by its Ethernet address, from now on.

    The station stays associated with the radio. The command also removes the limits of the station.

    \b
    Example:
      sudo weir ap block 02:00:00:00:00:01
    """
    from weir.ap.stations import Rule

    _change_rule(folder, station, lambda rule, _: Rule(rule.mac, blocked=True))


@click.command("unblock", short_help="Forward a station's frames again.")
@click.argument("station", metavar="STATION")
@_folder_option
def unblock(station: str, folder: str) -> None:
    """Forward the frames of a station again.

    \b
    Example:
      sudo weir ap unblock 02:00:00:00:00:01
    """
    from weir.ap.stations import Rule

    _change_rule(folder, station, lambda rule, _: Rule(rule.mac) if rule.blocked else rule)


@click.command("limit", short_help="Set a station's own limits.")
@click.argument("station", metavar="STATION")
@click.option("--upload", metavar="RATE", help="The rate at which the station may send, such as 5Mbit.")
@click.option("--download", metavar="RATE", help="The rate at which the station may receive.")
@_folder_option
def limit(station: str, upload: str | None, download: str | None, folder: str) -> None:
    """Set a station's own limits. A direction without an option keeps its limit.

    Frames above a limit are dropped. The limit allows bursts of up to 100 ms at its rate.

    \b
    Example:
      sudo weir ap limit 02:00:00:00:00:01 --upload 1Mbit --download 5Mbit
    """
    from dataclasses import replace

    from weir.ap.stations import free_slot
    from weir.ap.values import rate
    from weir.errors import WeirError

    limits: dict[str, Any] = {}
    for name, text in (("upload", upload), ("download", download)):
        if text is not None:
            try:
                limits[name] = rate(text)
            except WeirError as error:
                raise click.BadParameter(error.message, param_hint=f"--{name}") from None
            if limits[name] is None:
                raise click.BadParameter(
                    "expected a rate; `weir ap unlimit` removes limits", param_hint=f"--{name}"
                )
    if not limits:
        raise click.UsageError("Expected --upload RATE, --download RATE, or both.")

    def change(rule: Rule, rules: dict[str, Rule]) -> Rule:
        if rule.blocked:
            raise click.ClickException(f"{rule.mac} is blocked: unblock it first")
        slot = free_slot(rules) if rule.slot is None else rule.slot
        return replace(rule, slot=slot, **limits)

    _change_rule(folder, station, change)


@click.command("unlimit", short_help="Remove a station's own limits.")
@click.argument("station", metavar="STATION")
@_folder_option
def unlimit(station: str, folder: str) -> None:
    """Remove a station's own limits, so that the limits of all stations apply again.

    \b
    Example:
      sudo weir ap unlimit 02:00:00:00:00:01
    """
    from weir.ap.stations import Rule

    _change_rule(folder, station, lambda rule, _: rule if rule.blocked else Rule(rule.mac))
