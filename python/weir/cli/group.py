"""Groups whose subcommands are imported when they are called, and options that commands share."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import click

from weir.cli.text import warning
from weir.text.site import with_pages
from weir.text.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from weir.control.switch import Switch


class LazyGroup(click.Group):
    """A group that imports a subcommand when it is called and suggests names for wrong ones.

    Attributes:
        modules: the names of subcommands, separated by spaces. Each subcommand is the variable
            ``command`` in the module of the same name.
        package: the package of these modules.
    """

    modules: ClassVar[str] = ""
    package: ClassVar[str] = "weir.cli"

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Lists the names of the subcommands."""
        return [*self.modules.split(), *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Finds a subcommand by its name; returns ``None`` if there is none."""
        if cmd_name in self.modules.split():
            command: click.Command = importlib.import_module(f"{self.package}.{cmd_name}").command
            _name_pages(command)
            return command
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the subcommand that the arguments name, or suggests a similar one."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            commands = self.list_commands(ctx)
            suggestion = "--help" if args[0] == "help" else nearest(args[0], commands)
            hint = f' Did you mean "{suggestion}"?' if suggestion else f" There are: {', '.join(commands)}."
            raise click.UsageError(f'There is no command "{args[0]}".{hint}', ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the subcommand. An error about another tool's option suggests Weir's option."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise _with_hint(error) from None


def _name_pages(command: click.Command) -> None:
    """Says in a command's help where to read the pages that it names."""
    command.help = with_pages(command.help) if command.help else None
    for option in command.params:
        if isinstance(option, click.Option) and option.help:
            option.help = with_pages(option.help)
    for subcommand in command.commands.values() if isinstance(command, click.Group) else ():
        _name_pages(subcommand)


_OPTIONS: Final = {
    "--topo": "--shape",
    "--topology": "--shape",
    "--program": "--p4",
    "--runtime": "--entries",
    "--count": "-c",
    "--size": "-s",
    "--interval": "-i",
    "--timeout": "-W",
    "--ttl": "-t",
    "--time": "-t",
    "--udp": "-u",
    "--bandwidth": "-b",
    "--bitrate": "-b",
    "--parallel": "-P",
    "--reverse": "-R",
    "--num": "-n",
    "--bytes": "-n",
    "--length": "-l",
    "--len": "-l",
    "--window": "-w",
    "--set-mss": "-M",
    "--congestion": "-C",
    "--port": "-p",
}
"""Options of Mininet, ping and iperf3, each with Weir's option to suggest."""


def _with_hint(error: click.UsageError) -> click.UsageError:
    """Returns the error unchanged or, if the user typed another tool's option that Weir calls by
    another name, an error that suggests Weir's option."""
    if error.ctx is None:
        return error
    options = [option for option in error.ctx.command.params if isinstance(option, click.Option)]
    names = {name for option in options for name in option.opts}
    if isinstance(error, click.NoSuchOption):
        ours = _OPTIONS.get(error.option_name)
        if ours in names:
            message = f"No such option '{error.option_name}'. Did you mean '{ours}'?"
            return click.UsageError(message, error.ctx)
    elif "--p4" in names:
        match = re.search(r"unexpected extra argument.*[( ](\S+\.p4)\b", error.message)
        if match:
            message = f"Got unexpected extra argument ({match[1]}). Did you mean --p4 {match[1]}?"
            return click.UsageError(message, error.ctx)
    return error


def complete_from(names: Callable[[], Iterable[str]]) -> Any:
    """Returns a function for ``shell_complete`` that completes an argument from these names."""

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def _warn_of_missing_folders(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Warns about an include folder that does not exist or is not a folder."""
    for folder in value if not ctx.resilient_parsing else ():
        if not Path(folder).is_dir():
            problem = "is not a folder" if Path(folder).exists() else "there is no such folder"
            warning(f"-I {folder}: {problem}")
    return value


def include_option(command: Any) -> Any:
    """Adds ``-I DIR``, for commands that compile."""
    return click.option(
        "-I",
        "--include",
        "include",
        multiple=True,
        metavar="DIR",
        type=click.Path(),
        callback=_warn_of_missing_folders,
        help="A folder to search for included files, before Weir's own. May be repeated.",
    )(command)


def define_option(command: Any) -> Any:
    """Adds ``-D NAME[=TEXT]``, for commands that compile."""
    return click.option(
        "-D",
        "--define",
        "define",
        multiple=True,
        metavar="NAME[=TEXT]",
        help="A macro for the preprocessor. May be repeated.",
    )(command)


def executor_option(command: Any) -> Any:
    """Adds ``--executor NAME``, for commands that run packets."""
    from weir.program import EXECUTORS

    return click.option(
        "--executor",
        type=click.Choice(EXECUTORS),
        help="The executor of the program: machine code, or the reference interpreter.  [default: native]",
    )(command)


def fill(switch: Switch, file: str) -> None:
    """Loads the entries of a file.

    The file is the tutorials' runtime JSON if its name ends in ``.json``, else runtime commands.
    """
    if file.endswith(".json"):
        switch.load_entries(file)
    else:
        switch.run_commands(file)


def read_defines(define: tuple[str, ...]) -> dict[str, str]:
    """Reads the macros of ``-D``. A macro without a value is 1, as in C compilers."""
    macros = {}
    for definition in define:
        name, equals, text = definition.partition("=")
        if not name.isidentifier() or not name.isascii():
            raise click.BadParameter(f'"{name}" is not a valid name for a macro', param_hint="-D")
        macros[name] = text if equals else "1"
    return macros
