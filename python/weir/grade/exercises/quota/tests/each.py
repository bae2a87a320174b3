"""Frames of several hosts in random order: each host has a quota of its own."""

from random import Random


def stf(random: Random) -> str:
    """Returns four hosts with random numbers, and frames of these hosts."""
    numbers = random.sample(range(256), 4)
    sources = [f"{random.getrandbits(40) | 0x0A << 40:012x}" for _ in numbers]
    lines = [
        f"add hosts hdr.frame.from:0x{source} admit(number:{number}, port:{port})"
        for port, (source, number) in enumerate(zip(sources, numbers, strict=True), 1)
    ]
    sent = [0] * 4
    for host in random.choices(range(4), k=24):
        frame = f"0a0000000002 {sources[host]} 0800 {random.randbytes(4).hex()}"
        lines.append(f"packet 9 {frame}")
        if sent[host] < 3:
            lines.append(f"expect {host + 1} {frame} $")
        sent[host] += 1
    lines += [
        f"check_register sent({number}) == {min(count, 3)}"
        for number, count in zip(numbers, sent, strict=True)
    ]
    return "\n".join(lines)
