"""BMv2's Thrift services for Weir's switches, used by ``simple_switch_CLI`` and other Thrift
clients."""

from weir.dropin.thrift.server import LOOPBACK, serve
from weir.dropin.thrift.standard import Ports

__all__ = ["LOOPBACK", "Ports", "serve"]
