"""Types of options and arguments that are numbers: ASCII digits, and never ``nan`` or ``inf``."""

from __future__ import annotations

from typing import Any

import click

from weir.text.digits import any_whole_number, finite_number


class AnyWhole(click.types.IntParamType):
    """The type of a whole number that the command itself checks, such as a seed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuses what :func:`weir.text.digits.any_whole_number` cannot read."""
        if isinstance(value, str) and any_whole_number(value) is None:
            self.fail(f"{value!r} is not a whole number.", param, ctx)
        return super().convert(value, param, ctx)


class Whole(AnyWhole, click.IntRange):
    """The type of a whole number within bounds."""


class Number(click.FloatRange):
    """The type of a number within bounds, such as ``0.5`` or ``1e3``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuses what :func:`weir.text.digits.finite_number` cannot read."""
        if isinstance(value, str) and finite_number(value) is None:
            self.fail(f"{value!r} is not a number.", param, ctx)
        return super().convert(value, param, ctx)
