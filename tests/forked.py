"""A process that has imported the command ``weir`` and forks for each call.

Most of the time of a short command goes to imports. The calls of a test session share them.
"""

import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

# Data for standard input that a pipe takes without a reader.
_PIPE_BYTES = 1 << 16


class Server:
    """The process, which ends with the process that started it.

    Args:
        program: the path of the command, which is its first argument.
    """

    def __init__(self, program: Path) -> None:
        self.environment = dict(os.environ)
        self._socket, far_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with far_end:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(far_end.fileno()), program],
                pass_fds=[far_end.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        atexit.register(self._end)

    def _end(self) -> None:
        self._socket.close()
        self._process.wait(10)

    def run(self, args: list[str], stdin: str, cwd: Path | None, timeout: float) -> tuple[int, str, str]:
        """Returns the exit code, standard output and standard error of a call."""
        read, write = os.pipe()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with os.fdopen(write, "wb") as pipe:
                pipe.write(stdin.encode())
            request = json.dumps({"args": args, "cwd": str(cwd or Path.cwd())}).encode()
            socket.send_fds(self._socket, [request], [read, out.fileno(), err.fileno()])
            os.close(read)
            self._socket.settimeout(timeout)
            pid = int(self._socket.recv(64))
            try:
                code = int(self._socket.recv(64))
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                self._socket.settimeout(None)
                self._socket.recv(64)
                raise subprocess.TimeoutExpired(args, timeout) from None
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode().replace("\r\n", "\n").replace("\r", "\n"))
        return code, texts[0], texts[1]


def takes(stdin: str) -> bool:
    """Whether a call may have this standard input."""
    return len(stdin.encode()) <= _PIPE_BYTES


def _serve(connection: socket.socket, program: str) -> None:
    import weir.cli.app
    import weir.cli.network_options
    import weir.cli.shell  # noqa: F401
    from weir.cli import main

    # As in a process that runs the command's script.
    sys.path[0] = str(Path(program).parent)
    while True:
        request, fds, _, _ = socket.recv_fds(connection, 1 << 18, 3)
        if not request:
            return
        call = json.loads(request)
        pid = os.fork()
        if pid == 0:
            connection.close()
            for number, fd in enumerate(fds):
                os.dup2(fd, number)
                os.close(fd)
            os.chdir(call["cwd"])
            sys.argv = [program, *call["args"]]
            sys.exit(main())
        for fd in fds:
            os.close(fd)
        connection.send(b"%d" % pid)
        _, status = os.waitpid(pid, 0)
        connection.send(b"%d" % os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError), socket.socket(fileno=int(sys.argv[1])) as served:
        _serve(served, sys.argv[2])
