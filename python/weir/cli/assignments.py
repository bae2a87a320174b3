"""Reads options of the form ``NAME=VALUE[,VALUE…]``."""

from __future__ import annotations

from collections.abc import Iterable

import click


def read_assignments(given: Iterable[str], option: str, example: str) -> dict[str, list[str]]:
    """Reads the values of parameters. Values of a repeated name follow one another.

    Args:
        given: the values of the option.
        option: the option, for messages.
        example: a valid value of the option, for messages.

    Raises:
        BadParameter: a name or a value is missing.
    """
    values: dict[str, list[str]] = {}
    for assignment in given:
        name, equals, texts = assignment.partition("=")
        if not (name and equals):
            raise click.BadParameter(
                f'"{assignment}": expected NAME=VALUE, such as {example}', param_hint=option
            )
        found = texts.split(",")
        if "" in found:
            missing = "there is an empty value" if any(found) else "there is no value after ="
            raise click.BadParameter(f'"{assignment}": {missing}', param_hint=option)
        values.setdefault(name, []).extend(found)
    return values
