"""Frames with tags from access ports, with which a host would enter the VLAN of others."""

from random import Random


def stf(random: Random) -> str:
    """Returns two access ports, and frames with and without tags in random order."""
    own, other = random.sample(range(1, 4095), 2)
    lines = [
        f"add access std.ingress_port:1 enter(vlan:{own})",
        f"add access std.ingress_port:2 enter(vlan:{other})",
        f"add vlans hdr.tag.vlan:{own} leave(port:1)",
        f"add vlans hdr.tag.vlan:{other} leave(port:2)",
    ]
    for is_tagged in random.sample([True, True, True, False, False, False], 6):
        payload = random.randbytes(8).hex()
        if is_tagged:
            lines.append(f"packet 1 0a0000000002 0a0000000001 8100 {other:04x} 0800 {payload}")
        else:
            lines.append(f"packet 1 0a0000000002 0a0000000001 0800 {payload}")
            lines.append(f"expect 9 0a0000000002 0a0000000001 8100 {own:04x} 0800 {payload} $")
    return "\n".join(lines)
