"""BfRt: the tables of a remote switch as Python objects, as in the BfRt shell of Tofino switches.

>>> device = weir.bfrt.connect("127.0.0.1:50052")                        # doctest: +SKIP
>>> routes = device.router.pipe.Ingress.ipv4_lpm                         # doctest: +SKIP
>>> routes.add_with_forward(dst_addr="10.0.1.0", dst_addr_p_length=24, port=1)  # doctest: +SKIP
"""

from weir.bfrt.device import Device, connect
from weir.bfrt.entry import Entry
from weir.bfrt.error import BfRtTableError
from weir.bfrt.node import Node
from weir.bfrt.table import Table

__all__ = ["BfRtTableError", "Device", "Entry", "Node", "Table", "connect"]
