"""Programs on hosts in Python, called for packets and timers at their exact virtual time."""

from weir.host.program.arrivals import Datagram, IcmpError
from weir.host.program.running_program import RunningProgram, start_program
from weir.hostprogram.host_program import HostProgram
from weir.links.sniffer import Frame, Sniffer

__all__ = ["Datagram", "Frame", "HostProgram", "IcmpError", "RunningProgram", "Sniffer", "start_program"]
