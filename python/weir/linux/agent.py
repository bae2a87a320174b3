"""Processes that Weir runs on hosts to send and receive traffic, and their connections to the
network."""

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
    """A service (:mod:`weir.linux.services`) in its own process in a node, and the connection to
    it.

    Args:
        namespaces: the network's namespaces.
        node: the node in which the service runs; ``None`` for the outer namespace.
        service: the service's module in :mod:`weir.linux.services` and its class, such as
            ``ping.Ping``.
        arguments: the arguments of the class, without the control connection.
        stderr: the file to which the service writes errors.

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
        own_end, agent_end = socket.socketpair()
        with agent_end:
            self.process = namespaces.serve(
                node,
                f"weir.linux.services.{module}",
                "serve",
                name,
                *arguments,
                connection=agent_end.fileno(),
                stderr=stderr,
            )
        self.connection: Connection[Any, Any] = Connection(own_end.detach())

    def ask(self, what: str, *arguments: Any) -> Any:
        """Calls a method of the service, and returns the method's result.

        Raises:
            NetworkError: the service failed.
        """
        try:
            self._pending.count_question()
            # A service that has ended may have sent an answer that this process has not read yet.
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
        """Closes the control connection, which makes the service exit."""
        self.connection.close()

    def end(self) -> None:
        """Makes the service exit and waits for its exit, so that its port is free."""
        self.close()
        self.process.wait()

    def _note(self, kind: str, value: Any) -> bool:
        """Processes an answer of the service; returns whether the answer belongs to the last
        request."""
        if kind == "answer":
            return self._pending.count_answer()
        if kind == "finished":
            self._finished = True
        else:
            self._failure = value
            raise NetworkError(value or "")
        return False
