"""Reads a table of the access point's settings and checks its values."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from weir.errors import WeirError, shown
from weir.text.suggest import listing, nearest

T = TypeVar("T")


class SettingsError(WeirError):
    """An error about a setting that is missing or wrong, with its place in the file."""

    _key: str | None = None
    """The key of the setting that the error is about; ``None`` for an error about the whole
    table."""


_PLACEHOLDERS: dict[str, Any] = {
    "interface": "wlan0", "ssid": "x", "passphrase": "12345678", "country": "00", "uplink": "eth0",
    "mac": "02:00:00:00:00:01",
}  # fmt: skip
"""Valid values of settings without a default. These values replace a wrong value, so that the
remaining settings can still be checked."""

_DEPENDENT = {"address": ("gateway", "dns"), "security": ("passphrase",), "band": ("channel",)}
"""Settings that can only be checked together with another setting."""


class Section:
    """A table of the settings file, whose values are checked as they are read."""

    def __init__(self, file: Path, text: str, document: dict[str, Any], name: str, settings: type) -> None:
        self._file, self._text, self._name = file, text, name
        values = document.get(name, {})
        self.mistakes: list[SettingsError] = []
        self.aside: set[str] = set()
        if not isinstance(values, dict):
            self.mistakes.append(
                SettingsError(f"expected a table [{name}]", file=file, where=self._line(None))
            )
            self._values: dict[str, Any] = {}
            self.is_table = False
            return
        self.is_table = True
        self._values = dict(values)
        names = [setting.name for setting in fields(settings)]
        for key in values:
            if key not in names or (name == "network" and key == "dhcp"):
                suggestion = nearest(key, [setting for setting in names if setting not in values]) or nearest(
                    key, names
                )
                self.mistakes.append(
                    SettingsError(
                        f'[{name}] has no setting "{key}" (settings: {listing(names, 12)})',
                        file=file,
                        where=self._line(key),
                        suggestion=suggestion,
                    )
                )
                # A misspelt setting is not reported as missing as well.
                if suggestion is not None and suggestion not in values:
                    self._set_aside(suggestion)

    def read(self, read: Callable[[Section], T]) -> T | None:
        """Reads the table with a function; returns ``None`` and all mistakes if there are any.

        After a mistake, a valid value replaces the wrong one, and the table is read again for
        further mistakes.
        """
        if not self.is_table:
            return None
        value = None
        while True:
            try:
                value = read(self)
                break
            except SettingsError as error:
                self.mistakes.append(error)
                # The mode decides which values the other settings may have.
                if error._key is None or error._key in self.aside or error._key == "mode":
                    break
                self._set_aside(error._key)
        return None if self.mistakes else value

    def _set_aside(self, key: str) -> None:
        for name in (key, *_DEPENDENT.get(key, ())):
            self.aside.add(name)
            self._values.pop(name, None)
            if name in _PLACEHOLDERS:
                self._values[name] = _PLACEHOLDERS[name]

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def _line(self, key: str | None) -> str | None:
        """Finds the line of a setting or, without a setting, of the table's heading; ``None`` if
        the search does not find it."""
        inside, table = False, None
        for number, line in enumerate(self._text.splitlines(), 1):
            if heading := re.match(r"\s*\[\s*([\w-]+)\s*\]", line):
                inside = heading[1] == self._name
                table = number if inside else table
            elif inside and key is not None and re.match(rf'\s*"?{re.escape(key)}"?\s*=', line):
                return str(number)
        return None if table is None else str(table)

    def fail(self, key: str, why: str, suggestion: str | None = None) -> SettingsError:
        """Creates an error about a setting, with the setting's place in the file."""
        error = SettingsError(
            f"{self._name}.{key}: {why}", file=self._file, where=self._line(key), suggestion=suggestion
        )
        error._key = key
        return error

    def get(self, key: str, default: Any, kind: type, read: Any = None) -> Any:
        """Returns the value of a setting.

        If the setting is missing, its value is ``default``; if ``default`` is ``...``, a missing
        setting is an error.
        """
        if key not in self._values:
            if default is ...:
                raise self.fail(key, "is missing")
            return default
        value = self._values[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            expected = {str: "a text in quotes", int: "a whole number", bool: "true or false", list: "a list"}
            raise self.fail(key, f"expected {expected[kind]}, found {shown(value)}")
        if read is None:
            return value
        try:
            return read(value)
        except WeirError as error:
            raise self.fail(key, error.message, error.suggestion) from None


def join_mistakes(mistakes: list[SettingsError]) -> SettingsError:
    """Returns the first mistake of a file, with all other mistakes attached to it."""
    first, *further = sorted(mistakes, key=lambda error: int((error.where or "0").partition(":")[0]))
    first.others = further
    return first
