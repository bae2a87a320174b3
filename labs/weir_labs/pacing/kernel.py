"""Programs for real hosts: an agent that uses the kernel's pacing, and a server that returns the
option."""

from __future__ import annotations

import struct
from typing import Final

import weir
from weir.errors import NetworkError
from weir.packets import TCP, ethernet_header, internet_checksum, ipv4_header, pseudo_header, tcp_header
from weir.qdisc import Fq

from .agent import Agent
from .option import Option, read_option

_SYN, _ACK = 0x02, 0x10
_WINDOW: Final = 0xFFFF
_TCP_AT: Final = 14


def missing_feature(net: weir.Network, mode: str) -> str | None:
    """Tries whether the hosts of a network can pace in a mode; returns the reason if they cannot,
    ``None`` if they can."""
    if mode != "fq":
        return None
    try:
        net.host("h1").interface("eth0").qdisc = Fq()
    except NetworkError as error:
        return error.message
    return None


class KernelAgent(Agent):
    """An agent of a real host, which sets HTB's classes and FQ's rate with ``tc``.

    The kernel's filter reads the port at a fixed offset in the packet. Packets of the handshake
    have IP options before it, so they are not paced.
    """

    def __init__(self, pacer: str, reserve_percent: float = 0.5) -> None:
        """Prepares the program of a real host; see :class:`Agent`."""
        super().__init__(pacer, reserve_percent)
        self._classes: dict[int, int] = {}

    def _install_rates(self) -> None:
        if self._pacer == "fq":
            super()._install_rates()
            return
        tc = self.host.tc
        if not self._kbps:
            tc("qdisc add dev eth0 root handle 1: htb")
        for port, kbps in self._kbps.items():
            is_new = port not in self._classes
            number = self._classes.setdefault(port, len(self._classes) + 1)
            rate = f"rate {round(kbps * 1000)}bit burst 1600 cburst 1600 quantum 1514"
            tc(f"class replace dev eth0 parent 1: classid 1:{number:x} htb {rate}")
            if is_new:
                match = f"match ip protocol {TCP} 0xff match ip sport {port} 0xffff"
                tc(f"filter add dev eth0 parent 1: protocol ip u32 {match} flowid 1:{number:x}")


class Reflector(weir.HostProgram):
    """Returns the option of each SYN to its sender, in a second SYN-ACK.

    Linux returns only options that it knows, and does not let programs change a SYN-ACK. This
    program therefore sends a second SYN-ACK as soon as the client's first ACK shows the
    connection's sequence numbers. The client's kernel ignores the second SYN-ACK, but switches and
    agents read it.

    Run the program with ``frames=Reflector.FRAMES``.

    Attributes:
        returned: the number of options returned so far.
    """

    FRAMES: Final = "ip[0] > 0x45 and tcp"

    def __init__(self) -> None:
        """Prepares a program that has not returned an option yet."""
        self.returned = 0
        self._options: dict[bytes, tuple[int, Option]] = {}

    def on_frame(self, frame: weir.Frame) -> None:
        """Remembers the option of a SYN, and returns it when the ACK follows."""
        data = frame.data
        end = _TCP_AT + 4 * (data[14] & 0x0F)
        flow = data[26:34] + data[end : end + 4]
        sequence, acknowledged = struct.unpack_from("!II", data, end + 4)
        flags = data[end + 13] & (_SYN | _ACK)
        if flags == _SYN:
            option = read_option(data[34:end])
            if option is not None:
                self._options[flow] = sequence, option
        elif flags == _ACK and flow in self._options:
            first, option = self._options.pop(flow)
            self.send(_answer(data, end, acknowledged, first, option))
            self.returned += 1


def _answer(data: bytes, end: int, acknowledged: int, first: int, option: Option) -> bytes:
    """Builds a SYN-ACK frame with an option from the ACK that answered the first SYN-ACK."""
    source, target = (".".join(map(str, data[start : start + 4])) for start in (30, 26))
    from_port, to_port = (int.from_bytes(data[start : start + 2]) for start in (end + 2, end))
    options = bytes(option)
    numbers = from_port, to_port, (acknowledged - 1) % 2**32, (first + 1) % 2**32
    unsummed = tcp_header(*numbers, flags=_SYN | _ACK, window=_WINDOW)
    checksum = internet_checksum(pseudo_header(source, target, TCP, len(unsummed)) + unsummed)
    segment = tcp_header(*numbers, flags=_SYN | _ACK, window=_WINDOW, checksum=checksum)
    header = bytearray(ipv4_header(source, target, len(options) + len(segment), TCP))
    header[0] += len(options) // 4
    header[10:12] = bytes(2)
    header[10:12] = internet_checksum(bytes(header) + options).to_bytes(2, "big")
    macs = data[:6].hex(":"), data[6:12].hex(":")
    return ethernet_header(*macs) + bytes(header) + options + segment
