"""Programs on hosts, written in Python: called for each packet and timer, at its very time on the virtual clock."""

from weir.hostprogram.arrivals import Datagram, Frame, IcmpError
from weir.hostprogram.program import HostProgram, check_callbacks
from weir.hostprogram.running import Running
from weir.hostprogram.sniffer import Sniffer

__all__ = ["Datagram", "Frame", "HostProgram", "IcmpError", "Running", "Sniffer", "check_callbacks"]
