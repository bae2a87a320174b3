"""Frames with four hops, which leave unchanged, and frames that claim more."""

from random import Random


def stf(random: Random) -> str:
    """Returns frames with three, four and more hops in random order."""
    lines = ["add outputs hdr.frame.to:0x0a0000000002 send(port:2)"]
    for length in random.sample([3, 3, 4, 4, 4, 5, 6, 255], 8):
        hops, payload = random.randbytes(4 * length).hex(), random.randbytes(20).hex()
        head = "0a0000000002 0a0000000001 88b5"
        lines.append(f"packet 1 {head} {length:02x} {hops} {payload}")
        if length < 4:
            lines.append(f"expect 2 {head} {length + 1:02x} 00070001 {hops} {payload} $")
        elif length == 4:
            lines.append(f"expect 2 {head} 04 {hops} {payload} $")
    return "\n".join(lines)
