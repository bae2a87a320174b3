"""Counts the answers that another process still has to send."""

from __future__ import annotations


class PendingAnswers:
    """Counts the answers that another process still has to send. After Ctrl-C, there may be
    several.

    Args:
        count: the number of answers that the other process sends without a question.
    """

    def __init__(self, count: int = 0) -> None:
        self._pending = count

    def count_question(self) -> None:
        """Notes that a question was sent, so that one more answer will come."""
        self._pending += 1

    def count_answer(self) -> bool:
        """Notes that an answer has come; returns whether it belongs to the last question."""
        self._pending -= 1
        return self._pending == 0

    def forget(self) -> None:
        """Expects no more answers, because the other process has ended."""
        self._pending = 0
