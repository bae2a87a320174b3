"""Commands that run a service of the core until it receives a signal."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Callable

import click

from weir import _core


class ServiceCommand(click.Command):
    """A command whose line the core reads. The parameters serve manual pages and completion.

    Args:
        name: the command, which :func:`weir._core.service_command` describes.
        run: a function that takes the line without the command and returns the exit code.
        metavar: how the usage shows the arguments.
        short_help: the help in the list of commands.
    """

    def __init__(
        self, name: str, run: Callable[[tuple[str, ...]], int], *, metavar: str, short_help: str
    ) -> None:
        # Systems without these services have neither description.
        described = getattr(_core, "service_command", None)
        about, parameters = described(name) if described else (short_help, [])
        arguments = click.Argument(["arguments"], nargs=-1, metavar=metavar, type=click.Path())
        options = [_option(*parameter) for parameter in parameters if parameter[0]]
        super().__init__(
            name,
            callback=lambda arguments: sys.exit(_run_until_signal(run, arguments)),
            params=[arguments, *options],
            help=about,
            short_help=short_help,
            add_help_option=False,
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leaves the whole line to the core."""
        ctx.params = {"arguments": tuple(args)}
        return []

    def get_help(self, ctx: click.Context) -> str:
        """Returns the text that the core prints for ``--help``."""
        if not hasattr(_core, "service_help"):
            return super().get_help(ctx)
        assert self.name is not None
        width = ctx.terminal_width or shutil.get_terminal_size().columns
        return _core.service_help(self.name, width).rstrip()


def _option(names: list[str], value: str | None, help: str, known: list[str], is_path: bool) -> click.Option:
    """Describes an option of the core for click."""
    if value is None:
        return click.Option(names, is_flag=True, help=help)
    kind = click.Choice(known) if known else click.Path() if is_path else click.STRING
    return click.Option(names, metavar=None if known else value, type=kind, multiple=True, help=help)


def _run_until_signal(run: Callable[[tuple[str, ...]], int], arguments: tuple[str, ...]) -> int:
    """Runs a service that handles Ctrl-C itself, and returns its exit code.

    Python's own handler would raise KeyboardInterrupt afterwards. Until the service handles Ctrl-C,
    Ctrl-C ends the process.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(arguments)
