"""Controls bridge.p4 in the style of the public tutorials."""

from google.rpc import code_pb2
from p4.v1 import p4runtime_pb2
from steps import ADDRESS, FOLDER, step
from tutorial import Connection, Names, device_config

names = Names(FOLDER / "program.p4info.txtpb")


def cell(register: str, index: int, value: bytes | None = None) -> p4runtime_pb2.Entity:
    """A cell of a register, with what to write into it."""
    entry = p4runtime_pb2.RegisterEntry(register_id=names.find("registers", register).preamble.id)
    entry.index.index = index
    if value is not None:
        entry.data.bitstring = value
    return p4runtime_pb2.Entity(register_entry=entry)


def counter(index: int | None) -> p4runtime_pb2.Entity:
    """A cell of the counter, or all of them."""
    entry = p4runtime_pb2.CounterEntry(counter_id=names.find("counters", "received").preamble.id)
    if index is not None:
        entry.index.index = index
    return p4runtime_pb2.Entity(counter_entry=entry)


with Connection(ADDRESS) as s1:
    assert s1.arbitrate() == code_pb2.OK
    s1.set_program(names, device_config((FOLDER / "program.json").read_bytes()))
    ways = [
        names.entry("ways", {"std.ingress_port": here}, action=names.action("to_port", port=3 - here))
        for here in (1, 2)
    ]
    trap = names.entry(
        "types",
        {"hdr.ethernet.type": (0x88B5, 0xFFFF)},
        priority=5,
        action=names.action("to_controller", reason=7),
    )
    s1.write("INSERT", *ways, trap)
    s1.write("MODIFY", cell("closed", 1, b"\x01"))
    step()

    s1.write("MODIFY", cell("closed", 1, b"\x00"))
    (last,) = s1.read(cell("last_type", 1))
    step(last_type=int.from_bytes(last.register_entry.data.bitstring, "big"))

    (received,) = s1.read(counter(1))
    direct = p4runtime_pb2.DirectCounterEntry(
        table_entry=names.entry("ways", {"std.ingress_port": 1}).table_entry
    )
    (forwarded,) = s1.read(p4runtime_pb2.Entity(direct_counter_entry=direct))
    counts = received.counter_entry.data
    step(
        received=[counts.packet_count, counts.byte_count],
        cells=len(s1.read(counter(None))),
        forwarded=forwarded.direct_counter_entry.data.packet_count,
    )

    packet = s1.received["packet"].get(timeout=10).packet
    metadata = {field.metadata_id: int.from_bytes(field.value, "big") for field in packet.metadata}
    out = p4runtime_pb2.StreamMessageRequest()
    out.packet.payload = packet.payload
    out.packet.metadata.add(metadata_id=1, value=b"\x00\x02")
    out.packet.metadata.add(metadata_id=2, value=b"\x00")
    s1.send(out)
    step(metadata=[metadata[1], metadata[2]], payload=packet.payload.hex())
