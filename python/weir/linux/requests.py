"""Requests to the process that holds the namespaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

MAX_REQUEST: Final = 1 << 17
"""The maximum length of a request in bytes."""

MAX_FDS: Final = 16
"""The maximum number of open files that a request passes."""


Settings: TypeAlias = "Sequence[tuple[str, str]]"
"""Kernel parameters of a network namespace, as pairs of a name such as ``net.ipv4.ip_forward`` and
a value."""


@dataclass(frozen=True)
class MakeNamespaces:
    """A request to create a network namespace for each of these nodes. The answer is the open files
    of the namespaces.

    Attributes:
        nodes: the kernel parameters of each node, by its name; parameters that the kernel lacks are
            left out.
    """

    nodes: Sequence[tuple[str, Settings]]


@dataclass(frozen=True)
class CoverFile:
    """A request to mount a file over another one for all programs, where mounting is allowed."""

    source: str
    target: str


@dataclass(frozen=True)
class SetInKernel:
    """A request to set a kernel parameter of a node or of the outer namespace."""

    node: str | None
    name: str
    value: str


@dataclass(frozen=True)
class RunProgram:
    """A request to run a program. The answer is its process number.

    The open files are the one that reports its exit, then its standard input, output and error.

    Attributes:
        node: the node in which the program runs; ``None`` for the outer namespace.
        words: the program and its arguments.
        folder: the working directory.
        environment: the environment.
        has_terminal: whether standard input is a terminal of its own, for job control.
        inherits_namespaces: whether the program inherits the open files of all nodes' namespaces.
    """

    node: str | None
    words: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    has_terminal: bool = False
    inherits_namespaces: bool = False


@dataclass(frozen=True)
class RunService:
    """A request to run a function of Weir in a process of its own. The answer is its process
    number.

    The open files are those of :class:`RunProgram`, and the connection that the function gets as
    its first argument.
    """

    node: str | None
    module: str
    name: str
    arguments: Sequence[Any] = field(default=())


@dataclass(frozen=True)
class OpenSocket:
    """A request to open a socket in a node. The answer contains the socket.

    Attributes:
        node: the node in which to open the socket.
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
    """A request to send a signal to a process and to the processes that it started."""

    pid: int
    number: int


Request: TypeAlias = (
    MakeNamespaces | CoverFile | SetInKernel | RunProgram | RunService | OpenSocket | SendSignal
)
