"""Says why a program failed a test: what was sent, what was expected, what came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from weir.errors import StfError, one_line
from weir.stf import Failure, Result
from weir.text.counted import count_noun

_MAX_FAILURES: Final = 3
_MAX_DIFFERENCES: Final = 8


def failure_reasons(result: Result, text: str) -> list[str]:
    """Returns the reasons of the first failures of a test.

    Args:
        result: the result of the test.
        text: the lines of the test.
    """
    lines = text.splitlines()
    reasons = [line for failure in result.failures[:_MAX_FAILURES] for line in _reasons(failure, lines)]
    if further := len(result.failures) - _MAX_FAILURES:
        reasons += [f"and {count_noun(further, 'more failure')}"] if further > 0 else []
    return [one_line(reason) for reason in reasons]


def mistake_reasons(error: StfError) -> list[str]:
    """Returns the reasons of a test whose line does not fit the program."""
    message = error.message
    if error.suggestion is not None:
        message += f'; did you mean "{error.suggestion}"?'
    return [one_line(message), one_line(f"  in the line  {error.snippet.partition(chr(10))[0].strip()}")]


def _reasons(failure: Failure, lines: Sequence[str]) -> list[str]:
    reasons = [failure.message]
    if failure.sent:
        reasons.append(f"  sent      {_line(lines, failure.sent)}")
    if failure.line and not any(detail.startswith("expected ") for detail in failure.details):
        reasons.append(f"  expected  {_line(lines, failure.line)}")
    reasons += [f"  {_aligned(detail)}" for detail in failure.details]
    return reasons + [f"    {difference}" for difference in failure.differences[:_MAX_DIFFERENCES]]


def _aligned(detail: str) -> str:
    """Returns a line with the packets below one another."""
    word, space, rest = detail.partition(" ")
    return f"{word:8}  {rest.lstrip()}" if space and word in ("expected", "got") else detail


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].strip() if number <= len(lines) else f"line {number}"
