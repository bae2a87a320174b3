"""The prompt of each host in ``weir ui``: commands that run while the network's time passes."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from weir.cli import iperf, ping
from weir.cli.shell import HOST_TOOLS, habits
from weir.errors import CommandError, WeirError
from weir.files.textfile import check_words
from weir.flows import Flow
from weir.network import Network
from weir.text.suggest import nearest
from weir.ui.actions import Line

_COMMANDS = ("ping", "iperf", *HOST_TOOLS, "stop")


@dataclass
class _Running:
    """A measurement that has not finished.

    Attributes:
        host: the host at whose prompt it was started.
        flow: the traffic.
        read: reads what has happened so far; called often.
        report: the function that formats the result.
    """

    host: str
    flow: Flow[Any]
    read: Callable[[], object]
    report: Callable[[], str]


class HostPrompt:
    """The commands of hosts: ping, iperf, and tools that show or change the host.

    Args:
        network: the network of the hosts.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._running: list[_Running] = []
        self._printed: list[Line] = []

    def run(self, host: str, line: str) -> Sequence[Line]:
        """Runs a command of a host.

        Args:
            host: the host.
            line: the command without the host's name; if the name is there, it is ignored.

        Returns:
            What the command printed at once, and its error.
        """
        try:
            self._run(host, line)
        except WeirError as error:
            self._print(host, "error", str(error))
        return self.poll()

    def poll(self) -> Sequence[Line]:
        """Returns what measurements have printed since the last call."""
        for job in list(self._running):
            try:
                job.read()
                if not job.flow.finished:
                    continue
                kind, text = "output", job.report()
            except WeirError as error:
                kind, text = "error", str(error)
            self._running.remove(job)
            self._print(job.host, kind, text)
        printed, self._printed = self._printed, []
        return printed

    def _print(self, host: str, kind: str, text: str) -> None:
        if text:
            self._printed.append(Line(host, kind, text.rstrip("\n"), self._network.now_ns))

    def _run(self, host: str, line: str) -> None:
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise CommandError(f"cannot read the command: {str(error).lower()}") from None
        if words[:1] == [host] and len(words) > 1:
            del words[0]
        if not words:
            return
        check_words(words, "word")
        habits.check_signs([host, *words])
        name, *args = habits.translate_habit([host, *words], self._network)[1:]
        habits.check_host(host, [name, *args], self._network)
        if name == "ping":
            flow, report = ping.start(
                self._network, host, args, lambda text: self._print(host, "output", text)
            )
            self._running.append(_Running(host, flow, flow.result, report))
        elif name == "iperf":
            measured, report = iperf.start(self._network, host, args)
            self._running.append(_Running(host, measured, lambda: None, report))
        elif name == "stop":
            self._stop(host)
        elif name in HOST_TOOLS:
            self._print(host, "output", self._network.host(host).cmd(shlex.join([name, *args])))
        else:
            raise CommandError(
                f'{host} has no command "{name}" here; it has {", ".join(_COMMANDS)}',
                suggestion=nearest(name, _COMMANDS),
            )

    def _stop(self, host: str) -> None:
        jobs = [job for job in self._running if job.host == host]
        if not jobs:
            raise CommandError(f"{host} runs no measurement")
        for job in jobs:
            job.flow.stop()
