"""A stand-in for ``simple_switch_CLI``, which sends runtime commands from standard input over
Thrift."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Final

from weir.bmv2.idl import services
from weir.dropin.options import Option, UsageError, ignored_option, option, read, write_help
from weir.dropin.running import run
from weir.errors import CommandError
from weir.files.textfile import check_words

_OPTIONS: Final[list[Option]] = [
    option("--help -h", "Show this text."),
    option("--thrift-port", "The switch's Thrift port. By default 9090.", "PORT"),
    option("--thrift-ip", "The switch's IP address. By default 127.0.0.1.", "ADDRESS"),
    ignored_option("--json", "the switch already knows its program.", "FILE"),
    ignored_option("--pre", "the switch already knows its multicast engine.", "NAME"),
]

_PROMPT: Final = "RuntimeCmd: "


def simple_switch_cli(arguments: Sequence[str] | None = None) -> int:
    """Runs the stand-in for ``simple_switch_CLI``; returns its exit code: 1 if the switch cannot be
    reached."""
    return run("simple_switch_CLI", _run, arguments)


def _run(arguments: Sequence[str]) -> int:
    given = read(arguments, _OPTIONS)
    if "--help" in given:
        about = "Sends runtime commands, one per line, to one of Weir's switches; `help` lists the commands."
        write_help("simple_switch_CLI [OPTION]… < COMMANDS", about, {"Options": _OPTIONS})
        return 0
    port = given.number("--thrift-port", most=65535) or 9090
    client = _connect(given.last("--thrift-ip") or "127.0.0.1", port)
    try:
        _run_commands(client)
    finally:
        client.close()
    return 0


def _run_commands(client: Any) -> None:
    """Sends the lines of standard input to the switch, and prints the answers."""
    types = services()
    while True:
        sys.stdout.write(_PROMPT)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line or line.strip() in ("EOF", "exit", "quit"):
            sys.stdout.write("\n")
            return
        try:
            check_words(line.split(), "word")
            answer = client.run(line.strip())
        except CommandError as error:
            answer = [f"Error: {error}"]
        except types.CommandError as error:
            answer = [f"Error: {error.why}"]
        except Exception as error:
            # The library raises almost any exception, including its own internal errors.
            raise UsageError(f"the switch has stopped, or is not a Weir switch: {error}") from None
        sys.stdout.write("".join(f"{printed}\n" for printed in answer))


def _connect(address: str, port: int) -> Any:
    """Connects to the Thrift service ``weir`` of a switch.

    Raises:
        UsageError: no server listens at that address.
        MissingExtraError: the library thriftpy2 is not installed.
    """
    types = services()
    from thriftpy2.protocol import TBinaryProtocol, TMultiplexedProtocol
    from thriftpy2.thrift import TClient
    from thriftpy2.transport import TBufferedTransport, TSocket, TTransportException

    transport = TBufferedTransport(TSocket(address, port))
    try:
        transport.open()
    except TTransportException:
        raise UsageError(
            f"no switch answers at {address}:{port}; choose another port with --thrift-port"
        ) from None
    return TClient(types.Commands, TMultiplexedProtocol(TBinaryProtocol(transport), "weir"))
