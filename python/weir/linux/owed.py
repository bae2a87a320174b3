"""Outstanding answers of another process."""

from __future__ import annotations


class OwedAnswers:
    """Counts answers that another process still has to send: several if Ctrl-C interrupted one.

    Args:
        owed: the number of answers that come without a question.
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
        """Expects no more answers, because the other process has ended."""
        self._owed = 0
