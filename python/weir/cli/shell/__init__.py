"""The commands of ``weir run``."""

from weir.cli.shell.command import HOST_COMMANDS, HOST_TOOLS, NODE_COMMANDS
from weir.cli.shell.shell import Shell

__all__ = ["HOST_COMMANDS", "HOST_TOOLS", "NODE_COMMANDS", "Shell"]
