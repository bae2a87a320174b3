"""Outstanding answers of another process."""

from __future__ import annotations


class OwedAnswers:
    """Counts the answers that another process owes: more than one if Ctrl-C interrupted a question.

    Args:
        owed: answers that come without a question.
    """

    def __init__(self, owed: int = 0) -> None:
        self._owed = owed

    def count_question(self) -> None:
        """Counts a question."""
        self._owed += 1

    def count_answer(self) -> bool:
        """Counts an answer; returns whether it answers the last question."""
        self._owed -= 1
        return self._owed == 0

    def forget(self) -> None:
        """Expects no more: the other process has ended."""
        self._owed = 0
