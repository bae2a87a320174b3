"""Controls the running switch of an access point: rules and limits for stations, and counters."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from weir.ap.settings import Settings
from weir.ap.stations import (
    DOWNLOADS,
    LOCATIONS,
    PORTS,
    UPLOADS,
    Rule,
    hash_slot,
    meter_config,
)
from weir.control.cells import Count, Rates
from weir.errors import ControlError
from weir.p4runtime import Client

_ELECTION_ID: int = (1 << 64) - 1
"""The election id of this command. It is usually larger than those of other controllers, so that a
command from a person has priority."""

_COUNTERS = (
    "ApIngress.uploads",
    "ApEgress.downloads",
    "ApIngress.uploads_over_limit",
    "ApEgress.downloads_over_limit",
)
"""The names of the counters, in the order of the fields of :class:`Counts`. Each counter has a cell
for each slot."""


class NoSwitchError(ControlError):
    """The switch is not running, so nothing listens at its address."""


@dataclass(frozen=True)
class Counts:
    """The switch's counters for a station's slot at one time.

    Attributes:
        upload: the traffic that the switch forwarded from the station.
        download: the traffic that the switch forwarded to the station.
        upload_dropped: the traffic from the station that exceeded its limit.
        download_dropped: the traffic to the station that exceeded its limit.
    """

    upload: Count
    download: Count
    upload_dropped: Count
    download_dropped: Count


class LiveSwitch:
    """A connection to the switch of an access point.

    Args:
        settings: the settings of the access point.
        writes: whether the caller will change the switch.

    Raises:
        NoSwitchError: the switch is not running.
        ControlError: the switch does not answer, runs another program, or obeys another controller.
    """

    def __init__(self, settings: Settings, *, writes: bool = False) -> None:
        self._settings = settings
        address = settings.switch.p4runtime
        _check_listens(address)
        self._client = Client(address, election_id=_ELECTION_ID if writes else None, timeout="5s")
        try:
            if not self._client.has_program or UPLOADS[0] not in self._client.tables:
                raise ControlError(f"the switch at {address} does not run the program of `weir ap`")
            if writes and not self._client.is_primary:
                raise ControlError(f"another controller of {address} has a larger election id")
        except BaseException:
            self._client.close()
            raise

    def __enter__(self) -> LiveSwitch:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def apply(self, rule: Rule, before: Rule | None) -> None:
        """Applies a rule to a station. A rule without a block or a slot removes the station's own
        settings.

        The switch gets limits before the entries that use them, so that it never forwards a frame
        without a limit.

        Raises:
            ControlError: the switch refuses the rule. Changes made so far are undone, as far as
                possible.
        """
        try:
            if rule.slot is not None and (before is None or before.slot != rule.slot):
                # Another station may have had the slot.
                for counter in _COUNTERS:
                    self._client.counter(counter).write(rule.slot)
            self._apply(rule, before)
        except ControlError:
            with suppress(ControlError):
                self._apply(before or Rule(rule.mac), rule)
            raise

    def _apply(self, rule: Rule, before: Rule | None) -> None:
        if rule.slot is not None:
            for direction, bps, default in (
                (UPLOADS, rule.upload, self._settings.stations.upload),
                (DOWNLOADS, rule.download, self._settings.stations.download),
            ):
                self._limit(direction[2], rule.slot, bps if bps is not None else default)
        action, parameters = rule.action
        is_default = not rule.blocked and rule.slot is None
        for name, key, _, _ in (UPLOADS, DOWNLOADS):
            table = self._client.table(name)
            match = {key: rule.mac}
            has_entry = any(entry.match.get(key) == rule.mac for entry in table.entries())
            if is_default:
                if has_entry:
                    table.delete(match)
            elif has_entry:
                table.modify(match, action, parameters)
            else:
                table.insert(match, action, parameters)
        if before is not None and before.slot is not None and before.slot != rule.slot:
            for meter in (UPLOADS[2], DOWNLOADS[2]):
                self._client.meter(meter).write(before.slot, None)

    def _limit(self, meter: str, slot: int, bps: int | None) -> None:
        rates = None
        if bps is not None:
            config = meter_config(bps)
            rates = Rates(config["cir"], config["cburst"], config["pir"], config["pburst"])
        self._client.meter(meter).write(slot, rates)

    def seen_addresses(self) -> set[str]:
        """Returns the Ethernet addresses that the switch last saw at the Wi-Fi interface."""
        register = self._client.register(LOCATIONS)
        (_, _), (_, port_bits) = register.fields
        addresses = set()
        for cell in register.cells():
            mac, port = cell >> port_bits, cell & ((1 << port_bits) - 1)
            if mac and port == PORTS["wifi"]:
                addresses.add(":".join(f"{octet:02x}" for octet in mac.to_bytes(6, "big")))
        return addresses

    def counts(self, rules: Iterable[Rule], macs: Iterable[str]) -> tuple[float, dict[str, Counts]]:
        """Reads the counters of the given stations; also returns the time of reading, in seconds of
        the monotonic clock."""
        slots = {rule.mac: rule.slot for rule in rules if rule.slot is not None}
        cells = [self._client.counter(name).cells() for name in _COUNTERS]
        now = time.monotonic()
        counts_by_mac = {}
        for mac in macs:
            slot = slots.get(mac, hash_slot(mac))
            counts_by_mac[mac] = Counts(*(values[slot] for values in cells))
        return now, counts_by_mac

    def isolation(self) -> tuple[bool, int]:
        """Returns whether stations are isolated, and how many frames between stations the switch
        has dropped."""
        action = self._client.table("ApEgress.between_stations").default.action or ""
        return action.endswith("isolate"), self._client.counter("ApEgress.isolated").read(0).packets


def _check_listens(address: str) -> None:
    """Checks that a server listens at an address of P4Runtime.

    Raises:
        NoSwitchError: no server listens. The code that connects handles other errors.
    """
    path = address.removeprefix("unix:")
    try:
        if path != address:
            with socket.socket(socket.AF_UNIX) as sock:
                sock.settimeout(5)
                sock.connect(path)
        else:
            host, _, port = address.rpartition(":")
            socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
    except (ConnectionRefusedError, FileNotFoundError):
        raise NoSwitchError(f"nothing listens at {address}") from None
    except OSError:
        return
