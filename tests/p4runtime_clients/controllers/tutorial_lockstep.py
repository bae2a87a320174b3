"""Forwards frames of h1 and h2 in lock-step, in the style of the public tutorials."""

from google.rpc import code_pb2
from p4.v1 import p4runtime_pb2
from steps import ADDRESS, FOLDER, step
from tutorial import Connection, Names

FRAMES = 20

names = Names(FOLDER / "program.p4info.txtpb")
trap = names.entry(
    "types",
    {"hdr.ethernet.type": (0x800, 0xFFFF)},
    priority=5,
    action=names.action("to_controller", reason=1),
)
with Connection(ADDRESS) as s1:
    assert s1.arbitrate() == code_pb2.OK
    s1.write("INSERT", trap)
    step()
    for _ in range(FRAMES):
        packet = s1.received["packet"].get(timeout=30).packet
        port = int.from_bytes(packet.metadata[0].value, "big")
        out = p4runtime_pb2.StreamMessageRequest()
        out.packet.payload = packet.payload
        out.packet.metadata.add(metadata_id=1, value=bytes([3 - port]))
        out.packet.metadata.add(metadata_id=2, value=b"\x00")
        s1.send(out)
        s1.arbitrate()  # The end of the answer.
