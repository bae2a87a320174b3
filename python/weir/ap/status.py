"""The status of an access point's stations: addresses, names, signal, rates, limits."""

from __future__ import annotations

import re
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from weir.ap.live import Counts, LiveSwitch
from weir.ap.machine import run_command
from weir.ap.services import RUN
from weir.ap.settings import Settings
from weir.ap.stations import Rule

_NO_RULE = Rule("")


@dataclass(frozen=True)
class Station:
    """The state of a station, with its rates over an interval.

    Attributes:
        mac: the station's Ethernet address.
        ip: the IPv4 address that dnsmasq assigned; empty if unknown.
        name: the host name that the station sent to dnsmasq.
        associated: whether the station is associated with the radio; ``None`` if ``iw`` is not
        installed.
        signal_dbm: the strength of the received signal in dBm.
        upload_bps: bits per second from the station.
        download_bps: bits per second to the station.
        uploaded: bytes from the station since the switch started, or since the station got limits
        of its own.
        downloaded: bytes to the station since the same time.
        dropped: packets above the limits, in both directions, since the same time.
        upload_limit: the limit of the upload in bits per second; ``None`` for no limit.
        download_limit: the limit of the download, in the same form.
        blocked: whether the switch drops all frames of the station.
    """

    mac: str
    ip: str
    name: str
    associated: bool | None
    signal_dbm: int | None
    upload_bps: float
    download_bps: float
    uploaded: int
    downloaded: int
    dropped: int
    upload_limit: int | None
    download_limit: int | None
    blocked: bool

    def row(self) -> dict[str, Any]:
        """Returns the station's values as a dictionary for JSON."""
        return asdict(self)


def stations(
    settings: Settings, rules: dict[str, Rule], switch: LiveSwitch, interval: float
) -> list[Station]:
    """Finds the stations that are associated, were seen, or have rules of their own, and measures
    their rates.

    Args:
        settings: the settings of the access point.
        rules: the stations with rules of their own.
        switch: the running switch.
        interval: the seconds over which rates are measured.
    """
    radio = associated_stations(settings.wifi.interface)
    macs = sorted({*switch.seen_addresses(), *rules, *(radio or {})})
    then, counts_before = switch.counts(rules.values(), macs)
    time.sleep(interval)
    now, after = switch.counts(rules.values(), macs)
    names = leases(Path(RUN) / "leases")
    return [
        _station(
            settings, mac, rules.get(mac, _NO_RULE), radio, names, counts_before[mac], after[mac], now - then
        )
        for mac in macs
    ]


def _station(
    settings: Settings,
    mac: str,
    rule: Rule,
    radio: dict[str, int | None] | None,
    names: dict[str, tuple[str, str]],
    before: Counts,
    after: Counts,
    seconds: float,
) -> Station:
    ip, name = names.get(mac, ("", ""))
    default = settings.stations
    # The counters of a restarted switch begin at 0.
    rates = [
        max(later.bytes - earlier.bytes, 0) * 8 / seconds
        for earlier, later in ((before.upload, after.upload), (before.download, after.download))
    ]
    return Station(
        mac,
        ip,
        name,
        None if radio is None else mac in radio,
        (radio or {}).get(mac),
        rates[0],
        rates[1],
        after.upload.bytes,
        after.download.bytes,
        after.upload_dropped.packets + after.download_dropped.packets,
        rule.upload if rule.upload is not None else default.upload,
        rule.download if rule.download is not None else default.download,
        rule.blocked,
    )


def associated_stations(interface: str) -> dict[str, int | None] | None:
    """Returns the associated stations with the strength of their signal in dBm; ``None`` if ``iw``
    does not report them."""
    printed = run_command(["iw", "dev", interface, "station", "dump"])
    return None if printed is None else parse_station_dump(printed)


def parse_station_dump(text: str) -> dict[str, int | None]:
    """Reads the stations from the output of ``iw dev INTERFACE station dump``."""
    signals: dict[str, int | None] = {}
    mac = None
    for line in text.splitlines():
        if start := re.match(r"Station ([0-9a-f:]{17}) ", line):
            mac = start[1]
            signals[mac] = None
        elif mac is not None and (signal := re.match(r"\s+signal:\s+(-?\d+)", line)):
            signals[mac] = int(signal[1])
    return signals


def leases(file: Path) -> dict[str, tuple[str, str]]:
    """Reads each station's address and name from dnsmasq's file of leases; empty if there is no
    file."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    addresses = {}
    for line in lines:
        # Expiry, Ethernet address, IPv4 address, name or *, client id.
        words = line.split()
        if len(words) == 5 and words[1].count(":") == 5:
            addresses[words[1].lower()] = (words[2], "" if words[3] == "*" else words[3])
    return addresses
