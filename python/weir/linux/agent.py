"""The network's end of its own processes on hosts, which send and receive traffic."""

from __future__ import annotations

import contextlib
import socket
import subprocess
from multiprocessing.connection import Connection
from typing import IO, Any

from weir.errors import NetworkError
from weir.linux.namespaces import Namespaces
from weir.linux.pending_answers import PendingAnswers


class Agent:
    """A service (:mod:`weir.linux.services`) that runs in a process of its own in a node.

    Args:
        namespaces: the namespaces in which it runs.
        node: the node; None for the namespace around the nodes.
        service: its module in :mod:`weir.linux.services` and its class, such as ``ping.Ping``.
        arguments: the arguments of the class, after the control connection.
        stderr: the file to which it writes errors.

    Attributes:
        connection: the control connection, which becomes readable when the service finishes or
            fails.
        process: the process.
    """

    def __init__(
        self,
        namespaces: Namespaces,
        node: str | None,
        service: str,
        *arguments: Any,
        stderr: int | IO[Any] = subprocess.DEVNULL,
    ) -> None:
        module, _, name = service.partition(".")
        self._finished = False
        self._failure: str | None = None
        self._name = name
        self._pending = PendingAnswers()
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = namespaces.serve(
                node,
                f"weir.linux.services.{module}",
                "serve",
                name,
                *arguments,
                connection=theirs.fileno(),
                stderr=stderr,
            )
        self.connection: Connection[Any, Any] = Connection(ours.detach())

    def ask(self, what: str, *arguments: Any) -> Any:
        """Calls a method of the service, and returns what it returns.

        Raises:
            NetworkError: the service failed.
        """
        try:
            self._pending.count_question()
            # If it has ended, its last answer is still to be read.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self.connection.send((what, arguments))
            while True:
                kind, value = self.connection.recv()
                if self._note(kind, value):
                    return value
        except (EOFError, OSError):
            raise NetworkError(self._failure or f"a process of the network has ended: {self._name}") from None

    @property
    def finished(self) -> bool:
        """Whether the service has finished its work.

        Raises:
            NetworkError: the service failed.
        """
        try:
            while self.connection.poll():
                self._note(*self.connection.recv())
        except (EOFError, OSError):
            if not self._finished:
                raise NetworkError(
                    self._failure or f"a process of the network has ended: {self._name}"
                ) from None
        return self._finished

    def close(self) -> None:
        """Ends the service: it exits when its connection is closed."""
        self.connection.close()

    def end(self) -> None:
        """Ends the service and waits until it has exited, so that its port is free."""
        self.close()
        self.process.wait()

    def _note(self, kind: str, value: Any) -> bool:
        """Processes an answer of the service; returns whether it answers the last request."""
        if kind == "answer":
            return self._pending.count_answer()
        if kind == "finished":
            self._finished = True
        else:
            self._failure = value
            raise NetworkError(value or "")
        return False
