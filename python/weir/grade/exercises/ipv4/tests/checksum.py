"""Packets with random headers, whose checksums must be right behind the switch."""

from random import Random

from weir.packets import ipv4_header


def stf(random: Random) -> str:
    """Returns a route and ten packets. The addresses of the frames are not checked."""
    lines = ["add routes hdr.ip.to:10.0.0.0/8 via(port:3, hop:0x0a0000000011)"]
    for _ in range(10):
        payload = random.randbytes(random.randrange(1, 60))
        target = f"10.{random.randrange(256)}.{random.randrange(256)}.1"
        ttl, number, protocol = random.randrange(2, 256), random.randrange(1 << 16), random.randrange(256)

        def packet(ttl: int) -> str:
            header = ipv4_header("192.0.2.1", target, len(payload), protocol, ttl, number=number)  # noqa: B023
            return f"0800 {header.hex()} {payload.hex()}"  # noqa: B023

        lines.append(f"packet 0 0a0000000001 0a0000000002 {packet(ttl)}")
        lines.append(f"expect 3 ************ ************ {packet(ttl - 1)} $")
    return "\n".join(lines)
