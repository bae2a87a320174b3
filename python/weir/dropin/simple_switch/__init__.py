"""Stand-ins for BMv2's ``simple_switch``, ``simple_switch_grpc`` and ``simple_switch_CLI``."""

from weir.dropin.simple_switch.cli import simple_switch_cli
from weir.dropin.simple_switch.command import simple_switch, simple_switch_grpc

__all__ = ["simple_switch", "simple_switch_cli", "simple_switch_grpc"]
