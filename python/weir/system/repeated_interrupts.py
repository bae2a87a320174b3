"""Repeats Ctrl-C that Python ignored."""

from __future__ import annotations

import _thread
import sys
import time

# This module imports only built-in modules: the command uses it first, and before that, Ctrl-C can
# show a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from sys import UnraisableHookArgs
    from types import TracebackType

_AGAIN_S = 0.02
"""The time in seconds after which an interrupt that Python has ignored is repeated."""


class RepeatedInterrupts:
    """A context manager that repeats, a little later, each Ctrl-C that Python ignored in its block.

    Python ignores exceptions in code that cannot raise them, such as finalizers and the callbacks
    of weak references, which every import uses: it writes a traceback, and continues.
    """

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = sys.unraisablehook
        sys.unraisablehook = self._hook

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.unraisablehook = self._before

    def _hook(self, ignored: UnraisableHookArgs) -> None:
        if issubclass(ignored.exc_type, KeyboardInterrupt):
            # Python would also ignore an exception that this hook itself raised.
            _thread.start_new_thread(_interrupt_again, ())
        else:
            self._before(ignored)


def _interrupt_again() -> None:
    time.sleep(_AGAIN_S)
    _thread.interrupt_main()
