"""Frames with random hops, ports and payloads."""

from random import Random


def stf(random: Random) -> str:
    """Returns twenty frames with up to three hops."""
    lines = ["add outputs hdr.frame.to:0x0a0000000002 send(port:2)"]
    for _ in range(20):
        length, port = random.randrange(4), random.randrange(3, 511)
        hops, payload = random.randbytes(4 * length).hex(), random.randbytes(random.randrange(1, 40)).hex()
        head = "0a0000000002 0a0000000001 88b5"
        lines.append(f"packet {port} {head} {length:02x} {hops} {payload}")
        lines.append(f"expect 2 {head} {length + 1:02x} 0007{port:04x} {hops} {payload} $")
    return "\n".join(lines)
