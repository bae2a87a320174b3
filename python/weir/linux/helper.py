"""The process that holds a network's namespaces; it is process 1 of its own PID namespace.

``python -m weir.linux.helper FD FOLDER`` reads requests from a socket until the other end is
closed, which also happens when the process that started it ends for any reason. The helper then
removes the folder of the network's files and exits, and the kernel ends all processes in its PID
namespace; the namespaces and their interfaces disappear with the last of them. No clean-up is
needed.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import pickle
import select
import shutil
import signal
import socket
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from weir.linux import calls
from weir.linux.requests import (
    MAX_FDS,
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


class Helper:
    """The process that holds the namespaces of a network.

    Args:
        control: the socket from which requests come.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._outer = os.open("/proc/self/ns/net", os.O_RDONLY)
        # For each node, an open file of its network namespace.
        self._nodes: dict[str, int] = {}
        # For each process, the file to which its exit is reported.
        self._children: dict[int, int] = {}
        self._wake, wake = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Answers requests until the other end is closed."""
        while True:
            ready, _, _ = select.select([self._control.fileno(), self._wake], [], [])
            if self._wake in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._wake, 1 << 12)
                self._collect_exited_children()
            if self._control.fileno() in ready:
                data, fds, _, _ = socket.recv_fds(self._control, MAX_REQUEST, MAX_FDS)
                if not data:
                    return
                try:
                    answer = self._do_request(pickle.loads(data), fds)
                except OSError as error:
                    answer = error
                finally:
                    for fd in fds:
                        os.close(fd)
                if isinstance(answer, socket.socket):
                    with answer:
                        socket.send_fds(self._control, [pickle.dumps(None)], [answer.fileno()])
                else:
                    self._control.send(pickle.dumps(answer))

    def _do_request(self, request: Request, fds: list[int]) -> Any:
        match request:
            case MakeNamespaces(nodes):
                for node, settings in nodes:
                    self._make(node, settings)
                return [self._nodes[node] for node, _ in nodes]
            case CoverFile(source, target):
                with contextlib.suppress(OSError):
                    calls.mount(source, target, flags=calls.BIND)
                return None
            case SetInKernel(node, name, value):
                with self._inside_node(node):
                    set_in_kernel(name, value)
                return None
            case RunProgram() | RunService():
                return self._start(request, fds)
            case OpenSocket(node, family, kind, address):
                with self._inside_node(node):
                    return open_socket(family, kind, address)
            case SendSignal(pid, number):
                if pid in self._children:
                    try:
                        os.killpg(pid, number)
                    except ProcessLookupError:
                        # The process has just begun and has no process group yet.
                        os.kill(pid, number)
                return None

    def _make(self, node: str, settings: Settings) -> None:
        calls.unshare(calls.NEW_NET)
        try:
            self._nodes[node] = os.open("/proc/self/ns/net", os.O_RDONLY)
            for name, value in settings:
                with contextlib.suppress(OSError):
                    set_in_kernel(name, value)
        finally:
            calls.enter(self._outer, calls.NEW_NET)

    @contextlib.contextmanager
    def _inside_node(self, node: str | None) -> Iterator[None]:
        """Moves this process into a node, or into the outer namespace, while a block runs."""
        calls.enter(self._outer if node is None else self._nodes[node], calls.NEW_NET)
        try:
            yield
        finally:
            calls.enter(self._outer, calls.NEW_NET)

    def _start(self, request: RunProgram | RunService, fds: list[int]) -> int:
        if isinstance(request, RunService):
            # The mount is made once here instead of in each process.
            importlib.import_module(request.module)
        pid = os.fork()
        if pid == 0:
            try:
                self._become_process(request, fds)
            except BaseException as error:
                os.write(2, f"{error}\n".encode())
            finally:
                os._exit(127)
        self._children[pid] = os.dup(fds[0])
        return pid

    def _become_process(self, request: RunProgram | RunService, fds: list[int]) -> NoReturn:
        """Turns this process into a program, or a service, in a node."""
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        self._control.close()
        if request.node is not None:
            calls.enter(self._nodes[request.node], calls.NEW_NET)
        _, stdin, stdout, stderr, *further = fds
        for target, fd in enumerate((stdin, stdout, stderr)):
            os.dup2(fd, target)
        for fd in fds:
            # Copies of the files would keep pipes open in programs that close 0, 1 and 2.
            os.set_inheritable(fd, False)
        if isinstance(request, RunService):
            service = getattr(importlib.import_module(request.module), request.name)
            code = service(*([Connection(os.dup(further[0]))] if further else []), *request.arguments)
            os._exit(code or 0)
        if request.has_terminal:
            import fcntl
            import termios

            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        if request.node is not None:
            show_own_interfaces()
        if request.inherits_namespaces:
            for namespace in self._nodes.values():
                os.set_inheritable(namespace, True)
        os.chdir(request.folder)
        os.execvpe(request.words[0], list(request.words), dict(request.environment))

    def _collect_exited_children(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            report = self._children.pop(pid, None)
            if report is not None:
                with contextlib.suppress(OSError):
                    os.write(report, os.waitstatus_to_exitcode(status).to_bytes(4, "little", signed=True))
                os.close(report)


def open_socket(family: int, kind: int, address: tuple[Any, ...] | None) -> socket.socket:
    """Opens a socket, and binds it to an address if one is given."""
    sock = socket.socket(family, kind)
    try:
        if family == socket.AF_INET6:
            # With this option, an IPv4 socket may use the same port.
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if kind == socket.SOCK_STREAM:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if address is not None:
            sock.bind(address)
    except OSError:
        sock.close()
        raise
    return sock


def set_in_kernel(name: str, value: str) -> None:
    """Sets a kernel parameter, like ``sysctl -w``."""
    path = Path("/proc/sys", *name.split("."))
    if not path.is_file():
        raise OSError(errno.ENOENT, f"{name}: this kernel has no such setting")
    try:
        path.write_text(value)
    except PermissionError as error:
        reason = (
            f'{name} = "{value}": {error.strerror}. Hosts may change only settings that each network '
            "namespace has separately"
        )
        raise OSError(
            error.errno, f"{reason}; other settings need root and as_root=True (--as-root)"
        ) from None
    except OSError as error:
        raise OSError(error.errno, f'{name} = "{value}": {error.strerror}') from None


def show_own_interfaces() -> None:
    """Mounts a /sys/class/net that shows this network namespace's interfaces, where mounting is
    allowed."""
    with contextlib.suppress(OSError):
        calls.unshare(calls.NEW_MOUNT)
        calls.mount("sysfs", "/sys", "sysfs")


def main() -> None:
    """Opens the socket, reports whether the namespaces can be used, and answers requests."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    # `ps` in the nodes needs this mount; where /proc is restricted, `ps` shows other processes too.
    with contextlib.suppress(OSError):
        calls.mount("proc", "/proc", "proc")
    try:
        helper = Helper(control)
        calls.unshare(calls.NEW_NET)
        calls.enter(helper._outer, calls.NEW_NET)
    except OSError as error:
        control.send(pickle.dumps(error))
        return
    control.send(pickle.dumps(None))
    helper.serve()
    # The process that created the folder may have been killed.
    shutil.rmtree(sys.argv[2], ignore_errors=True)


if __name__ == "__main__":
    main()
