"""Worker processes on this machine, which ignore Ctrl-C and are stopped by the process that started
them."""

from __future__ import annotations

import os
import signal
import sys
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

_FEEDER_THREAD: Final = "QueueFeederThread"
"""The name of the threads with which loky feeds its queues."""

_EXIT_TIMEOUT_S: Final = 5.0
"""The maximum time in seconds to wait until a thread that feeds a queue exits."""


@contextmanager
def worker_processes(workers: int) -> Iterator[Executor]:
    """Starts a pool of worker processes, and stops them at the end of the block."""
    with lab_extra("experiments"):
        from loky import ProcessPoolExecutor

    # loky first registers the names of the pool's semaphores and then arranges their removal. After
    # an interrupt in between, only its tracker would remove them, with a warning. This also happens
    # to a command that is killed (SIGTERM, SIGKILL), because none of its code runs then.
    with Interruption():
        earlier_threads = set(threading.enumerate())
        executor = ProcessPoolExecutor(workers, initializer=_begin, initargs=(os.getpid(),))
    try:
        yield executor
    finally:
        # Without this, a second Ctrl-C would leave some worker processes running.
        with Interruption():
            executor.shutdown(wait=True, kill_workers=True)
            _join_feeders(earlier_threads)


@contextmanager
def quietly_started() -> Iterator[None]:
    """Blocks Ctrl-C in processes that start in the block, and delays it in this process until the
    end of the block.

    A terminal sends SIGINT to all processes of a command. A process in which Python is starting
    would print a traceback, and so would loky if the interrupt came while it starts a process. A
    process inherits the blocked signals of the thread that starts it, so SIGINT is blocked from its
    first instruction.
    """
    from multiprocessing import resource_tracker as standard

    from loky.backend import resource_tracker

    with Interruption():
        # The first calls of these start processes; in some versions, they unblock SIGINT
        # afterwards.
        standard.ensure_running()
        resource_tracker.ensure_running()
        if sys.platform == "win32":  # Windows has no blocked signals.
            yield
            return
        old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, _CTRL_C)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)


def _join_feeders(others: set[threading.Thread]) -> None:
    """Waits for the threads that fed the queues of a closed pool.

    Such a thread owns some of the pool's semaphores, and removes their names when it exits. It is a
    daemon thread, so without the wait Python could exit before the names are removed.
    """
    for thread in threading.enumerate():
        if thread.name == _FEEDER_THREAD and thread not in others:
            thread.join(_EXIT_TIMEOUT_S)


def _begin(parent: int) -> None:
    """Prepares a worker process, which ignores Ctrl-C.

    The worker exits when its parent has exited, even after SIGKILL. The parent may already have
    exited.
    """
    # Unlike SIG_IGN, a handler is not inherited by programs that a run starts.
    signal.signal(signal.SIGINT, _ignore)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _CTRL_C)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _ignore(number: int, frame: FrameType | None) -> None:
    pass
