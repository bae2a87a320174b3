"""Packets with a TTL of 0 and 1, which a router drops, between packets that it forwards."""

from random import Random

from weir.packets import ipv4_header


def stf(random: Random) -> str:
    """Returns a route and packets with small TTLs, in random order."""
    lines = ["add routes hdr.ip.to:10.0.0.0/8 via(port:3, hop:0x0a0000000011)"]
    for ttl in random.sample([0, 0, 1, 1, 2, 3, 64, 255], 8):
        number = random.randrange(1 << 16)
        header = ipv4_header("192.0.2.1", "10.0.0.1", 0, ttl=ttl, number=number).hex()
        lines.append(f"packet 0 0a0000000001 0a0000000002 0800 {header}")
        if ttl > 1:
            lines.append(f"expect 3 ************ ************ 0800 45******{number:04x}")
    return "\n".join(lines)
