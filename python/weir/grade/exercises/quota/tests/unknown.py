"""Frames of unknown hosts, which are dropped and count for nobody."""

from random import Random


def stf(random: Random) -> str:
    """Returns one host, whose number is 0, and frames of it and of others."""
    lines = ["add hosts hdr.frame.from:0x0a0000000001 admit(number:0, port:2)"]
    for is_known in [False, False, *random.sample([True, True, True, False, False], 5)]:
        source = "0a0000000001" if is_known else f"{random.getrandbits(40) | 0x0E << 40:012x}"
        lines.append(f"packet 1 0a0000000002 {source} 0800 cafe")
        if is_known:
            lines.append(f"expect 2 0a0000000002 {source} 0800 cafe $")
    lines.append("check_register sent(0) == 3")
    return "\n".join(lines)
