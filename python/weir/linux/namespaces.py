"""The namespaces of a network, and the processes in them."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

from weir.errors import NetworkError
from weir.linux.pending_answers import PendingAnswers
from weir.linux.requests import (
    MAX_REQUEST,
    CoverFile,
    MakeNamespaces,
    OpenSocket,
    Request,
    RunProgram,
    RunService,
    SendSignal,
    SetInKernel,
    Settings,
)
from weir.system.process import Process

_EXIT_TIMEOUT_S = 10.0
"""The time in seconds that processes have to exit before they are killed."""

_AS_ROOT = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child")
_AS_USER = (*_AS_ROOT, "--user", "--map-root-user")
_BY_ROOT = (sys.executable, "-S", str(Path(__file__).with_name("enter.py")), *_AS_ROOT)

_SETTINGS: Final = (
    ("user.max_user_namespaces", "0", "10000"),
    ("kernel.unprivileged_userns_clone", "0", "1"),
    ("kernel.apparmor_restrict_unprivileged_userns", "1", "0"),
)
"""Kernel settings that can forbid user namespaces: their names, the value that forbids them, and a
value that allows them."""


class Namespaces:
    """A network's namespaces: one for each node, and an outer one for the links between nodes.

    These namespaces belong to a user namespace, in which this user is root, unless ``as_root`` is
    set. All processes in the namespaces end when this object is closed or this process ends.

    Args:
        folder: the folder of the network's files, which is removed at the end.
        as_root: whether processes have the rights of root outside the namespaces. This process must
            have these rights itself.

    Raises:
        NetworkError: this computer does not allow namespaces; the message says why.
    """

    def __init__(self, folder: Path, as_root: bool = False) -> None:
        self._lock = threading.Lock()
        self._files: dict[str, int] = {}
        self._pending = PendingAnswers()
        self._control, self._holder = _start(folder, as_root)

    def make(self, nodes: Mapping[str, Settings]) -> None:
        """Creates a network namespace for each of these nodes, with these kernel parameters."""
        self._files.update(zip(nodes, self._ask(MakeNamespaces(list(nodes.items())), ()), strict=True))

    def cover_file(self, source: Path, target: Path) -> None:
        """Mounts a file over another one for all programs, where mounting is allowed."""
        self._ask(CoverFile(str(source), str(target)), ())

    def set(self, node: str | None, name: str, value: str) -> None:
        """Sets a kernel parameter of a node, or of the outer namespace, like ``sysctl -w``.

        Raises:
            NetworkError: the kernel does not have the parameter, or refuses the value.
        """
        self._ask(SetInKernel(node, name, value), ())

    def open(
        self, node: str, family: int, kind: int, address: tuple[Any, ...] | None = None
    ) -> socket.socket:
        """Opens a new socket in a node, bound to an address if one is given.

        Raises:
            NetworkError: the address is in use.
        """
        return socket.socket(fileno=self._ask(OpenSocket(node, family, kind, address), ()))

    def path(self, node: str) -> str:
        """Returns the path of a node's namespace, for programs that inherit the open files."""
        return f"/proc/self/fd/{self._files[node]}"

    def run(
        self,
        node: str | None,
        words: Sequence[str],
        *,
        stdin: int | IO[Any] = subprocess.DEVNULL,
        stdout: int | IO[Any] = subprocess.DEVNULL,
        stderr: int | IO[Any] = subprocess.DEVNULL,
        folder: str | Path | None = None,
        environment: Mapping[str, str] | None = None,
        has_terminal: bool = False,
        inherits_namespaces: bool = False,
    ) -> Process:
        """Starts a program in a node or in the outer namespace.

        Files are given as for :mod:`subprocess`: open files, ``PIPE``, ``DEVNULL``, ``STDOUT``.

        Raises:
            NetworkError: the network is closed.
        """
        request = RunProgram(
            node,
            list(words),
            str(folder or Path.cwd()),
            dict(os.environ if environment is None else environment),
            has_terminal,
            inherits_namespaces,
        )
        return self._start(request, list(words), (stdin, stdout, stderr))

    def serve(
        self, node: str | None, module: str, name: str, *arguments: Any, connection: int | None = None,
        stderr: int | IO[Any] = subprocess.DEVNULL,
    ) -> Process:  # fmt: skip
        """Starts a function of Weir in a process of its own."""
        files = (subprocess.DEVNULL, subprocess.DEVNULL, stderr)
        further = () if connection is None else (connection,)
        return self._start(RunService(node, module, name, arguments), [name], files, further)

    def batch(
        self, node: str | None, tool: str, lines: Sequence[str], inherits_namespaces: bool = False
    ) -> Process:
        """Starts one process that runs commands of ``ip`` or ``tc``; :func:`finish` waits for
        it."""
        with tempfile.TemporaryFile("w+") as script:
            script.write("\n".join([*lines, ""]))
            script.seek(0)
            return self.run(
                node,
                [tool, "-batch", "-"],
                stdin=script,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                folder="/",
                inherits_namespaces=inherits_namespaces,
            )

    def kill(self, pid: int, number: int) -> None:
        """Sends a signal to a process of this network and to the processes that it started."""
        self._ask(SendSignal(pid, number), ())

    def close(self) -> None:
        """Ends all processes in the namespaces, and removes the namespaces."""
        # Forks of this process may also hold the socket, so that closing it alone has no effect.
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        self._control.close()
        try:
            self._holder.wait(_EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            # When the holder ends, the kernel ends all other processes in the namespaces.
            self._holder.kill()
            self._holder.wait()

    def _start(
        self,
        request: RunProgram | RunService,
        words: list[str],
        files: Sequence[int | IO[Any]],
        others: Sequence[int] = (),
    ) -> Process:
        end, report = os.pipe()
        with contextlib.ExitStack() as passed:
            passed.callback(os.close, report)
            descriptors: list[int] = []
            pipes: list[IO[str] | None] = []
            for place, file in enumerate(files):
                pipe: IO[str] | None = None
                if file == subprocess.PIPE:
                    reads, writes = os.pipe()
                    fd, parent_fd, mode = (reads, writes, "w") if place == 0 else (writes, reads, "r")
                    passed.callback(os.close, fd)
                    pipe = os.fdopen(parent_fd, mode, errors="replace")
                elif file == subprocess.STDOUT:
                    fd = descriptors[1]
                elif file == subprocess.DEVNULL:
                    fd = os.open(os.devnull, os.O_RDWR)
                    passed.callback(os.close, fd)
                else:
                    fd = file if isinstance(file, int) else file.fileno()
                descriptors.append(fd)
                pipes.append(pipe)
            pid = self._ask(request, (report, *descriptors, *others))
        process = Process(self.kill, words, pid, end)
        process.stdin, process.stdout, process.stderr = pipes
        return process

    def _ask(self, request: Request, fds: Sequence[int]) -> Any:
        """Sends a request and returns the answer, or the open file that comes with the answer."""
        data = pickle.dumps(request)
        if len(data) > MAX_REQUEST:
            raise NetworkError(f"a request of {len(data)} bytes is too long: expected {MAX_REQUEST} or fewer")
        with self._lock:
            try:
                socket.send_fds(self._control, [data], fds)
                self._pending.count_question()
                answer, passed, _, _ = socket.recv_fds(self._control, MAX_REQUEST, 1)
                while answer and not self._pending.count_answer():
                    for fd in passed:
                        os.close(fd)
                    answer, passed, _, _ = socket.recv_fds(self._control, MAX_REQUEST, 1)
            except OSError:
                answer = b""
        if not answer:
            self._pending.forget()
            raise NetworkError("the network is closed")
        if passed:
            return passed[0]
        result = pickle.loads(answer)
        if isinstance(result, OSError):
            raise NetworkError(result.strerror or str(result))
        return result


def own_environment() -> dict[str, str]:
    """Returns the environment variables with which Weir's own programs find this package."""
    root = str(Path(__file__).parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([root, *filter(None, sys.path)])}


def finish(process: Process, what: str) -> str:
    """Waits until a program exits, and returns its output. The program's output goes to pipes.

    Returns:
        The output of the program.

    Raises:
        NetworkError: the program failed; the message has its error output.
    """
    printed, errors = process.communicate()
    if process.returncode:
        raise NetworkError(f"{what}: {errors.strip() or f'it exited with code {process.returncode}'}")
    return printed


def _start(folder: Path, as_root: bool) -> tuple[socket.socket, subprocess.Popen[str]]:
    """Starts the process that holds the namespaces; returns a socket to it, and the process
    ``unshare``, which started it."""
    for tool, package in (("unshare", "util-linux"), ("ip", "iproute2"), ("tc", "iproute2")):
        if shutil.which(tool) is None:
            raise NetworkError(
                f'the Linux world needs the program "{tool}": install {package}, or use world="virtual"'
            )
    is_root = os.geteuid() == 0
    if as_root and not is_root:
        raise NetworkError(
            "as_root: only root can give its rights to the Linux world: leave it out, or use sudo"
        )
    started = _try_holder(_AS_ROOT if as_root else _BY_ROOT if is_root else _AS_USER, folder)
    if not isinstance(started, str):
        return started
    if as_root:
        raise NetworkError(f'this computer allows no network namespaces: {started}. Use world="virtual"')
    raise NetworkError(
        f"this computer allows no network namespaces in a user namespace: {started}. {_advice(is_root)}"
    )


def _advice(is_root: bool, settings: Path = Path("/proc/sys")) -> str:
    """Says what a user can do if the kernel does not allow user namespaces."""
    allows = []
    for name, forbids, value in _SETTINGS:
        file = settings.joinpath(*name.split("."))
        with contextlib.suppress(OSError):
            if file.read_text(encoding="ascii").strip() == forbids:
                allows.append(f"sudo sysctl -w {name}={value}")
    lines = [f"To allow it, type: {' && '.join(allows)}"] if allows else []
    lines.append(
        "To give the programs of hosts the rights of root instead, use --as-root (in Python, as_root=True)"
        if is_root
        else "Root can do without a user namespace: sudo weir … --as-root (in Python, as_root=True)"
    )
    return ". ".join([*lines, 'Without network namespaces, use world="virtual"'])


def _try_holder(enter: Sequence[str], folder: Path) -> tuple[socket.socket, subprocess.Popen[str]] | str:
    """Starts the process that holds the namespaces, or returns the reason why that failed."""
    own_end, holder_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in (own_end, holder_end):
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            end.setsockopt(socket.SOL_SOCKET, option, 2 * MAX_REQUEST)
    command = [*enter, sys.executable, "-m", "weir.linux.helper"]
    command += [str(holder_end.fileno()), str(folder)]
    with tempfile.TemporaryFile("w+") as errors:
        holder = subprocess.Popen(
            command,
            pass_fds=(holder_end.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            env=own_environment(),
            text=True,
        )
        holder_end.close()
        answer = own_end.recv(MAX_REQUEST)
        result = pickle.loads(answer) if answer else "no answer"
        if result is None:
            return own_end, holder
        own_end.close()
        with contextlib.suppress(ProcessLookupError):
            holder.send_signal(signal.SIGKILL)
        holder.wait()
        errors.seek(0)
        return errors.read().strip() or str(result)
