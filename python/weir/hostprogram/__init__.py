"""Python programs on hosts, which are called at the exact virtual time of packets and timers."""

from weir.host.program.arrivals import Datagram, IcmpError
from weir.host.program.running_program import RunningProgram, start_program
from weir.hostprogram.host_program import HostProgram
from weir.links.sniffer import Frame, Sniffer

__all__ = ["Datagram", "Frame", "HostProgram", "IcmpError", "RunningProgram", "Sniffer", "start_program"]
