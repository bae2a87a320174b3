"""Background measurements, which run while other commands run the network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from weir.cli import iperf, ping, text
from weir.cli.shell.command import ShellCommand, check_no_arguments
from weir.errors import CommandError, NetworkError, WeirError
from weir.flows import Flow
from weir.network import Network
from weir.text.digits import whole_number

_STARTERS: dict[str, Callable[[Network, str, list[str]], tuple[Flow[Any], Callable[[], str]]]] = {
    "ping": ping.start,
    "iperf": iperf.start,
}
"""A function that starts a background command. It returns the flow, and a function that prints the
result."""


@dataclass
class Job:
    """A measurement that runs in the background.

    Attributes:
        number: the number of the job, from 1.
        line: the command that started the job.
        flow: the traffic.
        report: the function that prints the command's result.
    """

    number: int
    line: str
    flow: Flow[Any]
    report: Callable[[], str]

    def __str__(self) -> str:
        return f"[{self.number}] {self.line}"


class Jobs:
    """The background measurements of a session."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._jobs: list[Job] = []
        self._failed = False

    def commands(self) -> dict[str, ShellCommand]:
        """Returns the shell commands for background measurements, by name."""
        return {
            "jobs": ShellCommand(
                "Traffic",
                "jobs",
                "list the measurements in the background",
                self._show_job,
                "A ping or iperf that ends with & runs while other commands, wait and sleep run the "
                "network, and prints its result when it is done. wait alone waits for all of them, "
                "wait %1 for the first.",
                "h1 iperf -t 5 h2 &",
            ),
            "kill": ShellCommand(
                "Traffic",
                "kill %N",
                "stop a measurement in the background",
                self._kill,
                "The measurement stops sending, and prints its result so far.",
                "kill %1",
            ),
        }

    def start(self, host: str, words: list[str]) -> bool:
        """Starts a command that ended with ``&`` in the background.

        Raises:
            CommandError: the command does not run in the background, or cannot be understood.
        """
        words = [*words[:-1], *([words[-1][:-1]] if len(words[-1]) > 1 else [])]
        name = words[0] if words else ""
        if name not in _STARTERS:
            starters = " and ".join(_STARTERS)
            raise CommandError(f"{host} {name}: only {starters} run in the background with &")
        flow, report = _STARTERS[name](self._network, host, words[1:])
        number = self._jobs[-1].number + 1 if self._jobs else 1
        self._jobs.append(Job(number, " ".join([host, *words]), flow, report))
        click.echo(str(self._jobs[-1]))
        return True

    def has_any(self) -> bool:
        """Returns whether there are measurements that have not been reported yet."""
        return bool(self._jobs)

    def announce(self) -> None:
        """Prints the results of measurements that have finished since the last call."""
        for job in [job for job in self._jobs if job.flow.finished]:
            self._end(job, "done")

    def wait(self, word: str | None = None) -> bool:
        """Runs the network until one measurement, or all measurements, have finished.

        Returns:
            Whether all succeeded.

        Raises:
            CommandError: there is no such job.
        """
        for job in list(self._jobs) if word is None else [self._find(word)]:
            try:
                job.flow.wait()
            except NetworkError:
                # The job's report contains the failure.
                if not job.flow.finished:
                    raise
            self.announce()
        failed, self._failed = self._failed, False
        return not failed

    def close(self) -> bool:
        """Stops running measurements and prints their results; returns whether all of them
        succeeded."""
        for job in list(self._jobs):
            job.flow.stop()
            self._end(job, "stopped at the end of the session")
        return not self._failed

    def _show_job(self, args: list[str]) -> bool:
        check_no_arguments("jobs", args)
        for job in self._jobs:
            click.echo(str(job))
        if not self._jobs:
            click.echo("there are no background jobs")
        return True

    def _kill(self, args: list[str]) -> bool:
        if len(args) != 1:
            raise CommandError("kill: expected a job (kill %N); jobs shows them")
        job = self._find(args[0])
        job.flow.stop()
        self._end(job, "stopped")
        return True

    def _find(self, word: str) -> Job:
        number = whole_number(word.removeprefix("%"))
        for job in self._jobs:
            if job.number == number:
                return job
        numbers = ", ".join(f"%{job.number}" for job in self._jobs) or "none"
        raise CommandError(f'there is no job "{word}" (there are: {numbers})')

    def _end(self, job: Job, outcome: str) -> None:
        self._jobs.remove(job)
        click.echo(f"{job}: {outcome}")
        try:
            click.echo(job.report())
        except WeirError as error:
            self._failed = True
            text.error(str(error))
