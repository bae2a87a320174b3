"""``weir ap``: the commands that watch and control stations, with a fake switch."""

import io
import socket
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from access_points import init, weir
from weir.ap import live
from weir.ap.settings import NAME, read_settings
from weir.ap.stations import Rule, read_rules, stations_locked, write_rules
from weir.ap.status import Station
from weir.cli.ap_stations import _table
from weir.errors import ControlError


class Refusing:
    """A fake switch that refuses entries when its tables are full."""

    has_program, is_primary = True, True

    def __init__(self, *_: object, **__: object) -> None:
        self.tables: dict[str, dict[str, Any]] = {"ApIngress.senders": {}, "ApEgress.receivers": {}}
        self.room = {"ApIngress.senders": 2, "ApEgress.receivers": 0}
        self.meters: dict[tuple[str, int], Any] = {}
        self.cleared: list[tuple[str, int]] = []

    def close(self) -> None:
        pass

    def meter(self, name: str) -> Any:
        return SimpleNamespace(write=lambda slot, rates: self.meters.update({(name, slot): rates}))

    def counter(self, name: str) -> Any:
        return SimpleNamespace(write=lambda slot: self.cleared.append((name, slot)))

    def table(self, name: str) -> Any:
        held = self.tables[name]

        def insert(match: dict[str, str], action: str, parameters: dict[str, int]) -> None:
            if len(held) == self.room[name]:
                raise ControlError(f"{name} is full")
            held[next(iter(match.values()))] = (match, action, parameters)

        return SimpleNamespace(
            insert=insert,
            entries=lambda: [SimpleNamespace(match=match) for match, _, _ in held.values()],
            modify=lambda match, action, parameters: None,
            delete=lambda match: held.pop(next(iter(match.values()))),
        )


def test_a_rule_that_the_switch_refuses_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    place = tmp_path / "ap"
    init(place)
    address = tmp_path / "s"
    text = (place / NAME).read_text()
    (place / NAME).write_text(text.replace("/run/weir-ap/p4runtime.sock", str(address)))
    switch = Refusing()
    monkeypatch.setattr(live, "Client", lambda *_, **__: switch)
    folder = ["--folder", str(place)]
    with socket.socket(socket.AF_UNIX) as listens:
        listens.bind(str(address))
        listens.listen()
        # The second table is full, so the first one gets its entry back.
        limit = ["limit", "02:00:00:00:00:01", "--download", "1Mbit"]
        assert weir(*limit, *folder, code=1) == "ApEgress.receivers is full"
        assert switch.tables["ApIngress.senders"] == {} and set(switch.meters.values()) == {None}
        switch.is_primary = False
        assert "another controller" in weir("block", "02:00:00:00:00:01", *folder, code=1)
    assert read_rules(place) == {}
    # A switch that does not run gets the rule when it starts.
    assert "the switch is not running" in weir("block", "02:00:00:00:00:01", *folder)
    assert list(read_rules(place)) == ["02:00:00:00:00:01"]


def test_a_slot_counts_for_its_station_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    place = tmp_path / "ap"
    init(place)
    switch = Refusing()
    switch.room["ApEgress.receivers"] = 2
    monkeypatch.setattr(live, "Client", lambda *_, **__: switch)
    monkeypatch.setattr(live, "_check_listens", lambda _: None)
    with live.LiveSwitch(read_settings(place), writes=True) as one:
        first = Rule("02:00:00:00:00:01", slot=4, upload=8000)
        one.apply(first, None)
        counters = ("uploads", "downloads", "uploads_over_limit", "downloads_over_limit")
        assert [(name.partition(".")[2], slot) for name, slot in switch.cleared] == [
            (name, 4) for name in counters
        ]
        # Another limit keeps the counters; a station without a slot has nothing to clear.
        one.apply(replace(first, upload=9000), first)
        one.apply(Rule("02:00:00:00:00:02", blocked=True), None)
        assert len(switch.cleared) == 4


def test_commands_wait_for_each_other(tmp_path: Path):
    place = tmp_path / "ap"
    init(place)
    limit = ["limit", "02:00:00:00:00:01", "--upload", "1Mbit", "--folder", str(place)]
    other = threading.Thread(target=weir, args=limit)
    with stations_locked(place):
        other.start()
        other.join(0.1)
        write_rules(place, {"02:00:00:00:00:02": Rule("02:00:00:00:00:02", slot=0, upload=8000)})
    other.join()
    assert {mac: rule.slot for mac, rule in read_rules(place).items()} == {
        "02:00:00:00:00:01": 1,
        "02:00:00:00:00:02": 0,
    }


def test_names_with_brackets_are_shown_as_they_are():
    station = Station(
        "02:00:00:00:00:01", "10.42.0.120", "[/red]x", True, -40, 0, 0, 0, 0, 0, None, None, False
    )
    shown = io.StringIO()
    Console(file=shown, width=200).print(_table("Lab [/guest]", [station], (True, 3)))
    assert "Lab [/guest]: stations isolated" in shown.getvalue() and "[/red]x" in shown.getvalue()
