"""Worker processes on this machine. Ctrl-C means nothing to them: who started them ends them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from types import FrameType
from typing import Final

from weir.errors.extras import lab_extra
from weir.system.interrupt import Interruption

_CTRL_C: Final = {signal.SIGINT}

_FEEDER: Final = "QueueFeederThread"
"""The name of loky's threads that feed queues."""

_PATIENCE: Final = 5.0
"""Seconds to wait for one of them, which has nothing to do any more."""


@contextmanager
def worker_processes(workers: int) -> Iterator[Executor]:
    """A pool of processes, which end with the block. They start in `quietly_started`."""
    with lab_extra("experiments"):
        from loky import ProcessPoolExecutor

    # The pool has semaphores, whose names loky first registers and then arranges to remove. An
    # interrupt in between would leave them to its tracker, which warns of them. So does a command
    # that is killed (SIGTERM, SIGKILL): none of its code runs then, and the tracker removes them.
    with Interruption():
        others = set(threading.enumerate())
        executor = ProcessPoolExecutor(workers, initializer=_begin, initargs=(os.getpid(),))
    try:
        yield executor
    finally:
        # Otherwise a second Ctrl-C would leave some processes.
        with Interruption():
            executor.shutdown(wait=True, kill_workers=True)
            _join_feeders(others)


@contextmanager
def quietly_started() -> Iterator[None]:
    """Processes that start in the block do not see Ctrl-C; here, it waits for the block's end.

    A terminal sends SIGINT to all processes of a command. One in which Python begins would print a
    traceback, and loky another if the interrupt came while it starts one. Processes inherit from
    the thread that starts them which signals are blocked, so they are never without it.
    """
    from multiprocessing import resource_tracker as standard

    from loky.backend import resource_tracker

    with Interruption():
        # Their first calls start processes, and unblock SIGINT afterwards in some versions.
        standard.ensure_running()
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _CTRL_C)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _join_feeders(others: set[threading.Thread]) -> None:
    """Waits for the threads that fed a pool's queues; it is shut down.

    Such a thread is the last that has some of the pool's semaphores, and removes their names when
    it ends. It is a daemon: Python would end in the middle of that.
    """
    for thread in threading.enumerate():
        if thread.name == _FEEDER and thread not in others:
            thread.join(_PATIENCE)


def _begin(parent: int) -> None:
    """Begins a worker process, which ignores Ctrl-C.

    It ends when its parent is gone, even by SIGKILL. The parent may be gone already.
    """
    # Other than SIG_IGN, a handler is not inherited by programs that a run starts.
    signal.signal(signal.SIGINT, _ignore)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _CTRL_C)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _ignore(number: int, frame: FrameType | None) -> None:
    pass
