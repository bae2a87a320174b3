"""Programs that run on a host of the Linux world."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Process:
    """A program that runs on a host, from :meth:`weir.Host.popen`.

    The methods are those of :class:`subprocess.Popen`. The program ends at the latest when the
    network is closed.

    Args:
        kill: a function that sends a signal to a process and to the processes that it started,
            given the process id and the number of the signal.
        args: the program and its arguments.
        pid: the process id.
        end_fd: a file descriptor that becomes readable when the process exits.

    Attributes:
        args: the program and its arguments.
        pid: the process id in the network's own PID namespace, as ``ps`` on a host shows it.
        stdin: the standard input, if it is a pipe.
        stdout: the standard output, if it is a pipe.
        stderr: the standard error, if it is a pipe.
        returncode: the exit code, or the negative number of a signal; ``None`` while the program
            runs.
    """

    def __init__(self, kill: Callable[[int, int], None], args: list[str], pid: int, end_fd: int) -> None:
        self._kill = kill
        self._end = end_fd
        self.args = args
        self.pid = pid
        self.stdin: IO[str] | None = None
        self.stdout: IO[str] | None = None
        self.stderr: IO[str] | None = None
        self.returncode: int | None = None

    def fileno(self) -> int:
        """Returns a file descriptor that becomes readable when the process exits, for
        :mod:`select`."""
        return self._end

    def poll(self) -> int | None:
        """Returns the exit code, or the negative number of a signal; ``None`` while the process
        runs."""
        return self._wait(0)

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the process to exit.

        Args:
            timeout: the number of seconds to wait at most.

        Returns:
            The exit code, or the negative number of a signal.

        Raises:
            subprocess.TimeoutExpired: the process is still running.
        """
        code = self._wait(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def communicate(self, input: str | None = None, timeout: float | None = None) -> tuple[str, str]:
        """Writes the process's input, reads all its output, and waits for it to exit.

        Returns:
            The standard output and standard error, if they are pipes.

        Raises:
            subprocess.TimeoutExpired: the process is still running.
        """
        end = None if timeout is None else time.monotonic() + timeout
        streams = {"stdout": self.stdout, "stderr": self.stderr}
        files = {name: file for name, file in streams.items() if file is not None}
        taken: dict[int, bytearray] = {file.fileno(): bytearray() for file in files.values()}
        open_files, waiting = set(taken), (input or "").encode()
        writes = self.stdin is not None
        while open_files or writes:
            writers = [self.stdin.fileno()] if writes and self.stdin is not None else []
            seconds_left = None if end is None else max(0.0, end - time.monotonic())
            readable, writable, _ = select.select(list(open_files), writers, [], seconds_left)
            if end is not None and not readable and not writable:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            for fd in readable:
                data = os.read(fd, 1 << 16)
                taken[fd] += data
                if not data:
                    open_files.remove(fd)
            if writable and self.stdin is not None:
                try:
                    waiting = waiting[os.write(self.stdin.fileno(), waiting[: select.PIPE_BUF]) :]
                except BrokenPipeError:
                    waiting = b""
                if not waiting:
                    self.stdin.close()
                    writes = False
        printed = {"stdout": "", "stderr": ""}
        for name, file in files.items():
            printed[name] = taken[file.fileno()].decode(errors="replace")
            file.close()
        self.wait(None if end is None else max(0.0, end - time.monotonic()))
        return printed["stdout"], printed["stderr"]

    def send_signal(self, number: int) -> None:
        """Sends a signal to the process and the processes that it started."""
        if self.poll() is None:
            self._kill(self.pid, number)

    def terminate(self) -> None:
        """Asks the process to exit (SIGTERM)."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kills the process (SIGKILL)."""
        self.send_signal(signal.SIGKILL)

    def _wait(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._end], [], [], timeout)[0]:
            report = os.read(self._end, 4)
            # If no exit is reported, the network was closed.
            self.returncode = int.from_bytes(report, "little", signed=True) if report else -signal.SIGKILL
            os.close(self._end)
        return self.returncode

    def __del__(self) -> None:
        if self.returncode is None:
            os.close(self._end)

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        for file in (self.stdin, self.stdout, self.stderr):
            if file is not None:
                file.close()
        self.wait()

    def __repr__(self) -> str:
        state = "running" if self.poll() is None else f"ended with {self.returncode}"
        return f"<weir.linux.Process {' '.join(self.args)}, {state}>"
