"""Measures the cost of a parsed header in native code, on this computer.

Run it with ``python -m weir_labs.shorternet.native``. It is not an experiment of the lab: measured
times differ from run to run, whereas the lab's results are the same everywhere, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from weir.bench import time_pipeline
from weir.control import Switch
from weir.packets import UDP_BYTES, ethernet_header, ipv4_header, udp_header

from .parsing import extra_headers
from .path import program

_LENGTH: Final = 128
_COUNTS: Final = (0, 1, 2, 4, 8, 16)
_ROUNDS: Final = 3
_SECONDS: Final = 1.5
"""The length of a turn in seconds. The first part of a turn is spent on compiling."""


def measure() -> list[tuple[str, int, float]]:
    """Measures the times with 0 to 16 extra headers, and of the IPv4 router.

    All packets have 128 bytes. The programs take turns, and the fastest of three turns counts, so
    other work on the computer disturbs all of them alike.

    Returns:
        For each case, a description of the parsed headers, their number, and nanoseconds per
        packet.
    """
    cases = [
        (f"Shorternet and {count} more", 1 + count, "extra", _padded_frame(extra_headers(count)))
        for count in _COUNTS
    ]
    macs = ethernet_header("08:00:00:00:01:01", "08:00:00:01:01:01")
    standard = macs + ipv4_header("10.0.1.1", "10.0.2.1", _LENGTH - len(macs) - 20)
    cases.append(("Ethernet and IPv4", 2, "standard", _padded_frame(standard)))
    fastest = [float("inf")] * len(cases)
    for _ in range(_ROUNDS):
        for place, (_, _, name, packet) in enumerate(cases):
            speed = time_pipeline(
                program(name),
                load=_LOAD_FUNCTIONS[name],
                packet=packet,
                flows=1,
                ports=(1,),
                seconds=_SECONDS,
            )
            if speed.dropped:
                raise RuntimeError(f"{name} dropped {speed.dropped} packets")
            fastest[place] = min(fastest[place], speed.ns_undisturbed)
    return [(label, headers, ns) for (label, headers, _, _), ns in zip(cases, fastest, strict=True)]


def _padded_frame(headers: bytes) -> bytes:
    payload = _LENGTH - len(headers) - UDP_BYTES
    return headers + udp_header(5000, 5000, payload) + bytes(payload)


def _load_extra(switch: Switch) -> None:
    switch.table("hosts").insert({"hdr.shorternet.dst": 2}, "forward", {"port": 2})


def _load_standard(switch: Switch) -> None:
    switch.table("ipv4_lpm").insert(
        {"hdr.ipv4.dstAddr": "10.0.2.1/32"}, "ipv4_forward", {"dstAddr": "08:00:00:00:02:01", "port": 2}
    )


_LOAD_FUNCTIONS: Final[dict[str, Callable[[Switch], None]]] = {
    "extra": _load_extra,
    "standard": _load_standard,
}


def main() -> None:
    """Prints the times, each also as a multiple of the first time."""
    times = measure()
    print(f"{'parsed':<22} {'headers':>7} {'ns/packet':>10} {'ratio':>6}")
    for label, headers, ns in times:
        print(f"{label:<22} {headers:>7} {ns:>10.1f} {ns / times[0][2]:>6.2f}")
    each = (times[len(_COUNTS) - 1][2] - times[0][2]) / _COUNTS[-1]
    print(f"each extra header: {each:.1f} ns, {each / times[0][2]:.3f} of a packet with none")


if __name__ == "__main__":
    main()
