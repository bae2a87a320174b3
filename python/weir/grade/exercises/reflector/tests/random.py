"""Frames with random ports, addresses and payloads."""

from random import Random


def stf(random: Random) -> str:
    """Returns ten frames, each with the expected answer."""
    lines = []
    for _ in range(10):
        port, target, source = random.randrange(1, 256), random.randbytes(6).hex(), random.randbytes(6).hex()
        payload = random.randbytes(random.randrange(1, 100)).hex()
        lines.append(f"packet {port} {target} {source} 1234 {payload}")
        lines.append(f"expect {port} {source} {target} 1234 {payload} $")
    return "\n".join(lines)
