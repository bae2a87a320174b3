"""Programs on hosts in Python, called for packets and timers at their exact virtual time."""

from weir.hostprogram.arrivals import Datagram, Frame, IcmpError
from weir.hostprogram.host_program import HostProgram
from weir.hostprogram.running_program import RunningProgram, start_program
from weir.hostprogram.sniffer import Sniffer

__all__ = ["Datagram", "Frame", "HostProgram", "IcmpError", "RunningProgram", "Sniffer", "start_program"]
