"""Parses command lines in the same way as the programs that the stand-ins replace."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from weir.errors import WeirError
from weir.text.digits import whole_number
from weir.text.suggest import nearest


class UsageError(WeirError):
    """An error in a command line. The exit code is 1, as in BMv2 and p4c."""


@dataclass(frozen=True)
class Option:
    """An option of the program that the stand-in replaces.

    Attributes:
        names: all names of the option, with dashes; the first name identifies it.
        summary: its effect, or the reason why it has no effect or is refused.
        value: the name of the value in help; empty for a flag.
        implied: the value if the option is given without one; ``None`` if a value is required.
        joined: whether the value must follow ``=`` in the same word.
        effect: ``works``, ``ignored`` or ``refused``.
    """

    names: tuple[str, ...]
    summary: str
    value: str = ""
    implied: str | None = None
    joined: bool = False
    effect: str = "works"

    @property
    def usage(self) -> str:
        """The option's names and value, for help."""
        names = ", ".join(self.names)
        if not self.value:
            return names
        return f"{names}[={self.value}]" if self.joined else f"{names} {self.value}"


def option(names: str, summary: str, value: str = "", **more: str | bool | None) -> Option:
    """Creates an option; spaces separate its names."""
    return Option(tuple(names.split()), summary, value, **more)  # type: ignore[arg-type]


def ignored_option(names: str, summary: str, value: str = "", **more: str | bool | None) -> Option:
    """Creates an option that is accepted without an effect."""
    return option(names, summary, value, effect="ignored", **more)


def refused_option(names: str, summary: str, value: str = "", **more: str | bool | None) -> Option:
    """Creates an option that is refused; the summary gives the reason."""
    return option(names, summary, value, effect="refused", **more)


@dataclass
class GivenOptions:
    """The options and other words that a command line has.

    Attributes:
        values: the values of each option in order, by the option's first name; a flag has an empty
            value for each use.
        words: the words that are neither options nor values.
    """

    values: dict[str, list[str]] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def all_values(self, name: str) -> list[str]:
        """Returns all values of an option, in the order of the command line."""
        return self.values.get(name, [])

    def last(self, name: str) -> str | None:
        """Returns the last value of an option; ``None`` if the option is not given."""
        return self.values[name][-1] if name in self.values else None

    def number(self, name: str, least: int = 0, most: int = (1 << 32) - 1) -> int | None:
        """Reads the last value of an option as a whole number; returns ``None`` if the option is
        not given.

        Raises:
            UsageError: the value is not a whole number between these bounds, both included.
        """
        text = self.last(name)
        if text is None:
            return None
        number = whole_number(text, least, most)
        if number is None:
            raise UsageError(f'{name}: expected a whole number from {least} to {most}, found "{text}"')
        return number


def read(arguments: Sequence[str], options: Iterable[Option]) -> GivenOptions:
    """Reads a command line by the rules of the replaced program.

    A value follows its option after a space, after ``=``, or directly after a short option.

    Raises:
        UsageError: there is no such option, it is refused, or its value is missing.
    """
    by_name = {name: option for option in options for name in option.names}
    given = GivenOptions()
    remaining = list(arguments)
    while remaining:
        word = remaining.pop(0)
        if not word.startswith("-") or word == "-":
            given.words.append(word)
            continue
        known_option, value = _split(word, by_name)
        if known_option.effect == "refused":
            raise UsageError(f"{word} is not supported: {known_option.summary}")
        if value is None:
            value = _next_value(known_option, remaining, word)
        given.values.setdefault(known_option.names[0], []).append(value)
    return given


def _split(word: str, known: Mapping[str, Option]) -> tuple[Option, str | None]:
    """Finds the option in a word, and the value that follows it in the same word; ``None`` if
    the word has no value."""
    if word in known:
        return known[word], None
    name, equals, value = word.partition("=")
    if equals and name in known and name.startswith("--"):
        if not known[name].value:
            raise UsageError(f"{name} takes no value")
        return known[name], value
    short = known.get(word[:2])
    if short is not None and not word.startswith("--") and short.value:
        return short, word[2:]
    raise UsageError(f'there is no option "{name}"', suggestion=nearest(name, known))


def _next_value(option: Option, rest: list[str], word: str) -> str:
    """Takes the value of an option from the next word, if the option needs one."""
    if not option.value:
        return ""
    has_next = bool(rest) and not (rest[0].startswith("-") and len(rest[0]) > 1)
    if option.implied is not None:
        may_take = has_next and not option.joined and not rest[0].endswith(".json")
        return rest.pop(0) if may_take else option.implied
    if not rest:
        raise UsageError(f"{word} needs a value: {option.usage}")
    return rest.pop(0)


def write_help(usage: str, about: str, groups: Mapping[str, Sequence[Option]]) -> None:
    """Writes the help of a stand-in to standard output."""
    lines = [f"Usage: {usage}", "", about]
    notes = {"works": "", "ignored": "Accepted without effect: ", "refused": "Refused: "}
    for title, options in groups.items():
        lines += ["", f"{title}:"]
        for option in options:
            summary = notes[option.effect] + option.summary
            lines.append(
                f"  {option.usage:<28} {summary}"
                if len(option.usage) <= 28
                else f"  {option.usage}\n{'':31}{summary}"
            )
    sys.stdout.write("\n".join(lines) + "\n")
