"""The stand-ins for BMv2's switches, which run ``weir switch`` with the Thrift services."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from weir import _core
from weir.dropin.options import GivenOptions, Option, UsageError, read, write_help
from weir.dropin.running import run
from weir.dropin.simple_switch.flags import GRPC, SIMPLE_SWITCH
from weir.dropin.thrift import LOOPBACK, Ports, serve
from weir.errors import MissingExtraError
from weir.files import system_errors
from weir.files.opening import open_log

_DESCRIPTION = """Runs a program as a switch between interfaces, as `weir switch` does. The program is JSON from
p4lang's or Weir's p4c, or P4 text. Options may precede or follow it; `--` before the target's options
may be left out."""

_LEVELS: Final = {"trace": "-v", "debug": "-v", "info": "", "warn": "-q", "error": "-q", "off": "-q"}
"""The option of ``weir switch`` that corresponds to each log level of BMv2."""

_THRIFT_PORT: Final = 9090

_REASONS: Final = {
    errno.EADDRINUSE: "another program listens there (`ss -lnp` shows which)",
    errno.EADDRNOTAVAIL: "no interface has the IP address of --thrift-address (`ip address` shows them)",
}


def simple_switch(arguments: Sequence[str] | None = None) -> int:
    """Runs the stand-in for ``simple_switch`` until a signal ends it; returns its exit code."""
    return run("simple_switch", lambda given: _run("simple_switch", SIMPLE_SWITCH, given), arguments)


def simple_switch_grpc(arguments: Sequence[str] | None = None) -> int:
    """Runs the stand-in for ``simple_switch_grpc`` until a signal ends it; returns its exit
    code."""
    return run("simple_switch_grpc", lambda given: _run("simple_switch_grpc", GRPC, given), arguments)


def _run(name: str, options: list[Option], arguments: Sequence[str]) -> int:
    given = read([word for word in arguments if word != "--"], options)
    if "--help" in given:
        write_help(f"{name} [OPTION]… PROGRAM.json [-- [OPTION]…]", _DESCRIPTION, {"Options": options})
        return 0
    if "--version" in given:
        from weir import __version__

        sys.stdout.write(f"{name} stand-in of Weir {__version__}\n")
        return 0
    if "--json-version" in given:
        sys.stdout.write("2.23\n")
        return 0
    line = command_line(name, given)
    services = _Services(given)
    services.check()
    for option in options:
        if option.effect == "ignored" and option.names[0] in given:
            sys.stderr.write(f"{name}: {option.names[0]} has no effect: {option.summary}\n")
    sys.stderr.flush()
    errors = os.dup(2)
    _redirect_log(given)
    failed = _core.run_switch(line, services.start) != 0
    if failed and (file := given.last("--log-file")) is not None:
        os.write(errors, f"{name}: error: {file}.txt gives the reason why the switch stopped\n".encode())
    os.close(errors)
    return 1 if failed else 0


def command_line(name: str, given: GivenOptions) -> list[str]:
    """Translates the options to the equivalent command line of ``weir switch``.

    Raises:
        UsageError: an option is wrong or missing.
    """
    level = given.last("--log-level") or given.last("-L") or "trace"
    if level not in _LEVELS:
        raise UsageError(f'there is no log level "{level}" ({", ".join(_LEVELS)})')
    logs = "--log-console" in given or "--log-file" in given
    # Shells and Mininet stop their child processes with SIGHUP.
    words = [name, *_program(given), "--end-at-hangup", _LEVELS[level] if logs else "-q"]
    for interface in given.all_values("-i"):
        words += ["-i", interface]
    if (pcap := given.last("--pcap")) is not None:
        if not Path(pcap).is_dir():
            raise UsageError(f"--pcap: there is no folder {pcap}")
        words += ["--pcap", pcap, "--pcap-format", "pcap"]
    for bmv2_option, weir_option in (
        ("--cpu-port", "--cpu-port"),
        ("--drop-port", "--drop-port"),
        ("--priority-queues", "--priority-queues"),
    ):
        if (number := given.number(bmv2_option, most=(1 << 63) - 1)) is not None:
            words += [weir_option, str(number)]
    device = given.number("--device-id", most=(1 << 63) - 1)
    if name == "simple_switch_grpc":
        words += [] if device is None else ["--device-id", str(device)]
        words += _p4runtime(given)
    return [word for word in words if word]


def _program(given: GivenOptions) -> list[str]:
    if "--no-p4" in given:
        if given.words:
            raise UsageError(f"--no-p4 starts without a program, but {given.words[0]} is given")
        return []
    if not given.words:
        raise UsageError("no program is given: expected JSON from p4c, or --no-p4")
    if len(given.words) > 1:
        raise UsageError(f"expected one program, found {', '.join(given.words)}")
    return [given.words[0]]


def _p4runtime(given: GivenOptions) -> list[str]:
    words = ["--p4runtime", _numeric(given.last("--grpc-server-addr") or "127.0.0.1:9559")]
    if "--grpc-server-ssl" not in given:
        # As in BMv2, every client that reaches the given address can control the switch.
        return [*words, "--plaintext"]
    for bmv2_option, weir_option in (
        ("--grpc-server-cert", "--tls-certificate"),
        ("--grpc-server-key", "--tls-key"),
    ):
        if (file := given.last(bmv2_option)) is None:
            raise UsageError(f"--grpc-server-ssl needs {bmv2_option} FILE")
        words += [weir_option, file]
    if "--grpc-server-with-client-auth" in given:
        if (authority := given.last("--grpc-server-cacert")) is None:
            raise UsageError("--grpc-server-with-client-auth needs --grpc-server-cacert FILE")
        words += ["--tls-clients", authority]
    return words


def _numeric(address: str) -> str:
    """Replaces the host name in a gRPC address by the host's IP address."""
    host, colon, port = address.rpartition(":")
    if not colon or host.startswith(("[", "unix")) or address.startswith("unix:"):
        return address
    try:
        return f"{socket.gethostbyname(host)}:{port}"
    except OSError:
        raise UsageError(f"--grpc-server-addr: there is no host {host}") from None


class _Services:
    """The services of a BMv2 switch that ``weir switch`` does not have: the Thrift server, and the
    output of ``log_msg``."""

    def __init__(self, given: GivenOptions) -> None:
        self._given = given
        self._port = given.number("--thrift-port", most=65535)
        self._address = given.last("--thrift-address")

    def check(self) -> None:
        """Checks the options, so that mistakes are reported before the switch starts."""
        if "--log-console" in self._given and "--log-file" in self._given:
            raise UsageError("--log-console and --log-file exclude each other")
        if self._address is not None:
            try:
                ipaddress.ip_address(self._address)
            except ValueError:
                raise UsageError(
                    f'--thrift-address: expected an IP address such as 0.0.0.0, found "{self._address}"'
                ) from None

    def start(self, switch: _core.Switch, interfaces: Mapping[int, str]) -> None:
        """Starts the services of a switch that forwards between these interfaces."""
        if "--log-console" in self._given or "--log-file" in self._given:
            threading.Thread(target=_write_messages, args=(switch,), daemon=True).start()
        device = self._given.number("--device-id", most=(1 << 63) - 1) or 0
        port = _THRIFT_PORT if self._port is None else self._port
        try:
            serve(switch, Ports(interfaces, device, port), self._address or LOOPBACK, _write_line)
        except MissingExtraError as error:
            sys.stderr.write(f"the Thrift server did not start: {error}\n")
        except OSError as error:
            message = _REASONS.get(error.errno or 0) or error.strerror or str(error)
            message = f"TCP port {port} for Thrift: {message}; choose another with --thrift-port"
            if self._port is not None or self._address is not None:
                raise UsageError(message) from None
            sys.stderr.write(f"the Thrift server did not start: {message}\n")


def _write_line(line: str) -> None:
    os.write(2, f"{line}\n".encode())


def _redirect_log(given: GivenOptions) -> None:
    """Redirects log lines from standard error to the place where BMv2 would write them."""
    if "--log-console" in given:
        os.dup2(1, 2)
    elif (file := given.last("--log-file")) is not None:
        name = Path(f"{file}.txt")
        with system_errors(name, "cannot be written"):
            os.dup2(open_log(name), 2)


def _write_messages(switch: _core.Switch) -> None:
    """Writes the lines of ``log_msg`` until the process exits."""
    while True:
        for line in switch.take_log():
            os.write(2, f"log_msg, packet {line.packet}: {line.text}\n".encode())
        time.sleep(0.1)
