"""Requests to the process that holds the namespaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

MAX_REQUEST: Final = 1 << 17
"""Bytes of the longest request."""

MAX_FDS: Final = 16
"""The maximum number of open files that a request passes."""


Settings: TypeAlias = "Sequence[tuple[str, str]]"
"""Settings of the kernel for a network namespace: names such as ``net.ipv4.ip_forward``, values."""


@dataclass(frozen=True)
class MakeNamespaces:
    """Make a network namespace for each of these nodes; the answer is their open files.

    Attributes:
        nodes: their names, with settings that apply from the start if the kernel has them.
    """

    nodes: Sequence[tuple[str, Settings]]


@dataclass(frozen=True)
class CoverFile:
    """Show a file in place of another one, to all programs, where that is allowed."""

    source: str
    target: str


@dataclass(frozen=True)
class SetInKernel:
    """Set one thing in the kernel of a node, or around the nodes."""

    node: str | None
    name: str
    value: str


@dataclass(frozen=True)
class RunProgram:
    """Run a program; the answer is its process number.

    The open files are one for the report of its end, then its standard input, output and error.

    Attributes:
        node: the node in which it runs; None for the namespace around the nodes.
        words: the program and its arguments.
        folder: the working directory.
        environment: the environment.
        terminal: whether standard input is a terminal of its own, for job control.
        namespaces: whether the program inherits the open files of all nodes' namespaces.
    """

    node: str | None
    words: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    terminal: bool = False
    namespaces: bool = False


@dataclass(frozen=True)
class RunService:
    """Run a function of ours in a process of its own; the answer is its process number.

    The open files are those of :class:`RunProgram`, and the function's connection, its first
    argument.
    """

    node: str | None
    module: str
    name: str
    arguments: Sequence[Any] = field(default=())


@dataclass(frozen=True)
class OpenSocket:
    """Open a socket in a node; the answer passes it.

    Attributes:
        node: the node in which to open it.
        family: the family of the socket, as in :class:`socket.socket`.
        kind: the type of the socket, as in :class:`socket.socket`.
        address: the address that the socket is bound to, if any.
    """

    node: str
    family: int
    kind: int
    address: tuple[Any, ...] | None


@dataclass(frozen=True)
class SendSignal:
    """Send a signal to a process and those that it started."""

    pid: int
    number: int


Request: TypeAlias = (
    MakeNamespaces | CoverFile | SetInKernel | RunProgram | RunService | OpenSocket | SendSignal
)
