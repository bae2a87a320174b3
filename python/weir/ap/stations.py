"""The slots, limits and rules of stations in the switch's program.

``entries.json`` has the entries for all stations, from the settings. ``stations.json`` has the
stations that are blocked or have limits of their own; commands change it. Both are runtime JSON,
which the switch reads when it starts and on SIGHUP, so they also work without Python.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from weir.ap.services import ENTRIES
from weir.ap.settings import Settings
from weir.ap.values import mac as read_mac
from weir.errors import FileError, WeirError
from weir.files.jsontext import json_object
from weir.files.lock import await_lock
from weir.files.textfile import read_text
from weir.files.whole_file import write_whole_json

PORTS: Final = {"wifi": 1, "uplink": 2, "host": 3}
"""The switch's ports."""

LISTED_SLOTS: Final = 256
"""The number of slots for stations in ``stations.json``; they are the first slots."""

HASHED_SLOTS: Final = 8192
"""The number of slots for all other stations, which the hash of their address selects."""

UPLOADS: Final = ("ApIngress.senders", "hdr.ethernet.src", "ApIngress.upload_limits", "ApIngress")
DOWNLOADS: Final = ("ApEgress.receivers", "hdr.ethernet.dst", "ApEgress.download_limits", "ApEgress")
"""For each direction: the table, the table's key, the meter, and the control block that contains
them."""

ISOLATION: Final = "ApEgress.between_stations"
LOCATIONS: Final = "ApIngress.locations"


@dataclass(frozen=True)
class Rule:
    """The rule for one station.

    Attributes:
        mac: the station's Ethernet address.
        blocked: whether the switch drops the station's frames in both directions.
        slot: the slot of the station's counters and limits; ``None`` if it has no slot of its own.
        upload: the limit of the station's upload in bits per second; ``None`` for no limit.
        download: the limit of the station's download, in the same form.
    """

    mac: str
    blocked: bool = False
    slot: int | None = None
    upload: int | None = None
    download: int | None = None

    @property
    def action(self) -> tuple[str, dict[str, int]]:
        """The action of the station's entries, without the control's name, and the action's
        parameters."""
        return ("block", {}) if self.blocked or self.slot is None else ("use_slot", {"number": self.slot})


def hash_slot(mac: str) -> int:
    """Computes the slot of a station that is not in ``stations.json``, with the same CRC-32 as the
    P4 program."""
    return LISTED_SLOTS + hash_cell(mac)


def hash_cell(mac: str) -> int:
    """Computes the index of the register cell that stores the location of an Ethernet address."""
    return zlib.crc32(bytes.fromhex(mac.replace(":", ""))) % HASHED_SLOTS


def meter_config(bps: int) -> dict[str, int]:
    """Returns the configuration of a meter whose color is red above a limit in bits per second.

    The burst size is the limit's bytes in 100 ms, but at least ten frames of 1514 bytes, because
    TCP sends bursts.
    """
    octets = bps // 8
    burst = max(octets // 10, 15_140)
    return {"cir": octets, "cburst": burst, "pir": octets, "pburst": burst}


def entries(settings: Settings) -> dict[str, Any]:
    """Builds the runtime JSON with the entries that apply to all stations."""
    used = [PORTS["wifi"], PORTS["host"], *([PORTS["uplink"]] if settings.network.mode == "bridge" else [])]
    # A station's broadcast frames also go back to the Wi-Fi interface for other stations; egress
    # may drop them.
    groups = {
        port: sorted(other for other in used if other != port or port == PORTS["wifi"]) for port in used
    }
    action = "isolate" if settings.stations.isolate else "relay"
    limits = [
        {"meter": direction[2], "config": meter_config(bps)}
        for direction, bps in ((UPLOADS, settings.stations.upload), (DOWNLOADS, settings.stations.download))
        if bps is not None
    ]
    return {
        "table_entries": [
            {"table": ISOLATION, "default_action": True, "action_name": f"ApEgress.{action}"},
            {
                "table": UPLOADS[0],
                "match": {UPLOADS[1]: settings.network.mac},
                "action_name": "ApIngress.block",
            },
        ],
        "meter_entries": limits,
        "multicast_group_entries": [
            {
                "multicast_group_id": port,
                "replicas": [{"egress_port": other, "instance": 1} for other in ports],
            }
            for port, ports in sorted(groups.items())
        ],
    }


def document(rules: Iterable[Rule]) -> dict[str, Any]:
    """Builds the runtime JSON with the entries for stations that have rules of their own."""
    rows, limits = [], []
    for rule in sorted(rules, key=lambda rule: rule.mac):
        action, parameters = rule.action
        for table, key, meter, control in (UPLOADS, DOWNLOADS):
            rows.append(
                {
                    "table": table,
                    "match": {key: rule.mac},
                    "action_name": f"{control}.{action}",
                    **({"action_params": parameters} if parameters else {}),
                }
            )
            bps = rule.upload if meter == UPLOADS[2] else rule.download
            if rule.slot is not None and bps is not None:
                limits.append({"meter": meter, "index": rule.slot, "config": meter_config(bps)})
    return {"table_entries": rows, "meter_entries": limits}


def read_rules(folder: Path) -> dict[str, Rule]:
    """Reads the rules in ``stations.json``, by the station's address.

    Raises:
        FileError: there is no such file, or its content is not what these commands write.
    """
    file = folder / ENTRIES[1]
    if not file.exists():
        raise FileError("there is no such file; `weir ap write` creates it", file=file)
    try:
        return _rules(json_object(read_text(file, 1 << 24)))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, WeirError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"expected stations in the form that `weir ap` writes: {error}", file=file) from None


def _rules(content: dict[str, Any]) -> dict[str, Rule]:
    rules: dict[str, Rule] = {}
    for row in content["table_entries"]:
        if row["table"] != UPLOADS[0]:
            continue
        mac = read_mac(row["match"][UPLOADS[1]])
        blocked = row["action_name"].endswith(".block")
        rules[mac] = Rule(mac, blocked, None if blocked else int(row["action_params"]["number"]))
    by_slot = {rule.slot: mac for mac, rule in rules.items() if rule.slot is not None}
    for row in content.get("meter_entries", []):
        mac, bps = by_slot[row["index"]], 8 * int(row["config"]["pir"])
        if row["meter"] == UPLOADS[2]:
            rules[mac] = replace(rules[mac], upload=bps)
        else:
            rules[mac] = replace(rules[mac], download=bps)
    return rules


def write_rules(folder: Path, rules: dict[str, Rule]) -> None:
    """Writes the rules to ``stations.json`` in the folder."""
    write_whole_json(folder / ENTRIES[1], document(rules.values()), indent=2)


@contextmanager
def stations_locked(folder: Path) -> Iterator[None]:
    """Locks the stations of a folder, so that no other command changes them while a block runs.

    Raises:
        FileError: there is no such folder.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise FileError(f"cannot be opened: {error.strerror}", file=folder) from None
    try:
        await_lock(handle, folder)
        yield
    finally:
        os.close(handle)


def free_slot(rules: dict[str, Rule]) -> int:
    """Finds the first slot that no station uses.

    Raises:
        WeirError: all slots are used.
    """
    taken = {rule.slot for rule in rules.values()}
    for slot in range(LISTED_SLOTS):
        if slot not in taken:
            return slot
    raise WeirError(
        f"{LISTED_SLOTS} stations already have limits of their own; remove one with `weir ap unlimit`"
    )
