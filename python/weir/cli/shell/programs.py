"""Commands of the Linux world, which run programs and open terminals on hosts."""

from __future__ import annotations

import re
import shutil

from weir.cli import text
from weir.cli.shell import habits
from weir.cli.shell.command import HOST_COMMANDS, ShellCommand
from weir.errors import CommandError
from weir.network import Network

_TAKES_DOWN = re.compile(r"\b(?:link|l|ifconfig)\b.*\bdown\b")
_SETTINGS = "ip route; ip -6 route; ip neigh show nud permanent; ip -6 -o addr show scope global"
_XTERM = "xterm HOST..."


class ProgramCommands:
    """The commands that run programs on hosts of the Linux world.

    Args:
        network: the network; hosts of the virtual world cannot run programs.
    """

    def __init__(self, network: Network) -> None:
        self._network = network

    def commands(self) -> dict[str, ShellCommand]:
        """Returns the shell commands that run programs, by name; none in the virtual world."""
        if self._network.world != "linux":
            return {}
        return {
            "programs": ShellCommand(
                "Change",
                "HOST COMMAND",
                "run any program on a host",
                lambda words: self.run(words[0], " ".join(words[1:])) or True,
                "Runs a line in the host's shell, with pipes, quotes and &, in this terminal: h1 "
                "bash, h2 top. Programs can resolve the names of hosts. Commands that end with & "
                "continue until the session ends.",
                "h2 python3 -m http.server 80 &",
                "HOST COMMAND ...",
            ),
            "xterm": ShellCommand(
                "Session",
                _XTERM,
                "open terminal windows of hosts",
                self._xterm,
                "Needs the program xterm. HOST bash is a shell in this terminal.",
                "xterm h1 h2",
            ),
        }

    def run(self, word: str, rest: str) -> bool | None:
        """Runs the words after a host's name if they are a program.

        Returns:
            Whether the program succeeded; ``None`` if the words are another command.
        """
        if self._network.world != "linux" or word not in self._network.topology.hosts:
            return None
        program = rest.split()[0] if rest else ""
        if program in ("", *HOST_COMMANDS, "help", "?") or habits.is_measurement(program):
            return None
        settings_before = self._settings(word) if _TAKES_DOWN.search(rest) else []
        succeeded = self._network._world.show(word, rest) == 0
        if settings_before:
            now = self._settings(word)
            self._report_removed([line for line in settings_before if line not in now])
        return succeeded

    def _settings(self, host: str) -> list[str]:
        """Returns the lines that describe a host's routes, permanent neighbours and IPv6
        addresses."""
        return [" ".join(line.split()) for line in self._network.host(host).cmd(_SETTINGS).splitlines()]

    def _report_removed(self, lines: list[str]) -> None:
        """Prints on standard error which settings Linux has removed together with an interface."""
        # The kernel restores the routes to directly connected networks by itself.
        lost = [line for line in lines if " proto kernel " not in f"{line} "]
        if lost:
            further = "" if len(lost) == 1 else f" and {len(lost) - 1} more"
            text.warning(
                f'with the interface, Linux has removed "{lost[0]}"{further}: routes, permanent neighbours and IPv6 '
                "addresses are not restored with it. link NODE NODE down sets a link down and keeps them"
            )

    def _xterm(self, names: list[str]) -> bool:
        if not names:
            raise CommandError(f"xterm: expected a host ({_XTERM})")
        if shutil.which("xterm") is None:
            raise CommandError(f"xterm: this program is not installed; {names[0]} bash is a shell here")
        for name in names:
            self._network.host(name).popen(["xterm", "-T", name], stdout=2)
        return True
