"""The runtime command language: what `simple_switch_CLI` understands, on Weir's control interface."""

from weir.control.commands.registry import COMMANDS, Command
from weir.control.commands.runtime import Runtime

__all__ = ["COMMANDS", "Command", "Runtime"]
