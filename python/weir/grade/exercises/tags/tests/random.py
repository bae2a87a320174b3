"""Frames with random VLANs, priorities and payloads."""

from random import Random


def stf(random: Random) -> str:
    """Returns entries for ten VLANs, and frames that come through the trunk."""
    ports = {vlan: port for port, vlan in enumerate(random.sample(range(1, 4095), 10), 10)}
    lines = [f"add vlans hdr.tag.vlan:{vlan} leave(port:{port})" for vlan, port in ports.items()]
    for vlan in random.choices(list(ports), k=20):
        tag = random.randrange(8) << 13 | random.randrange(2) << 12 | vlan
        payload = random.randbytes(random.randrange(1, 50)).hex()
        lines.append(f"packet 9 0a0000000001 0a0000000002 8100 {tag:04x} 0800 {payload}")
        lines.append(f"expect {ports[vlan]} 0a0000000001 0a0000000002 0800 {payload} $")
    return "\n".join(lines)
