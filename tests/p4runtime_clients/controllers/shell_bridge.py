"""Controls bridge.p4 with p4runtime-shell, which has no registers: these go through its client."""

import p4runtime_sh.shell as sh
from p4.v1 import p4runtime_pb2
from steps import ADDRESS, FOLDER, step


def register(name: str, index: int) -> p4runtime_pb2.Entity:
    """The entity of a register's cell."""
    (known,) = [one for one in sh.client.get_p4info().registers if one.preamble.alias == name]
    place = p4runtime_pb2.Index(index=index)
    entry = p4runtime_pb2.RegisterEntry(register_id=known.preamble.id, index=place)
    return p4runtime_pb2.Entity(register_entry=entry)


def close(port: int, value: int) -> None:
    """Closes or opens a port."""
    update = p4runtime_pb2.Update(type=p4runtime_pb2.Update.MODIFY, entity=register("closed", port))
    update.entity.register_entry.data.bitstring = bytes([value])
    sh.client.write_update(update)


def last_type(port: int) -> int:
    """The type of the last frame from a port."""
    (response,) = sh.client.read_one(register("last_type", port))
    return int.from_bytes(response.entities[0].register_entry.data.bitstring, "big")


config = sh.FwdPipeConfig(str(FOLDER / "program.p4info.txtpb"), str(FOLDER / "program.p4"))
sh.setup(device_id=0, grpc_addr=ADDRESS, election_id=(0, 1), config=config, verbose=False)
packets = sh.PacketIn()
try:
    for here, there in (("1", "2"), ("2", "1")):
        way = sh.TableEntry("ways")(action="to_port")
        way.match["std.ingress_port"] = here
        way.action["port"] = there
        way.insert()
    trap = sh.TableEntry("types")(action="to_controller", priority=5)
    trap.match["hdr.ethernet.type"] = "0x88b5&&&0xffff"
    trap.action["reason"] = "7"
    trap.insert()
    close(1, 1)
    step()

    close(1, 0)
    step(last_type=last_type(1))

    cell = sh.CounterEntry("received")
    cell.index = 1
    (received,) = cell.read()
    direct = sh.DirectCounterEntry("forwarded")
    direct.table_entry.match["std.ingress_port"] = "1"
    (forwarded,) = direct.read()
    step(
        received=[received.packet_count, received.byte_count],
        cells=sum(1 for _ in sh.CounterEntry("received").read()),
        forwarded=forwarded.packet_count,
    )

    messages = []
    while not messages:
        messages = list(packets.sniff(timeout=0.1))
    (message,) = messages
    metadata = {field.metadata_id: int.from_bytes(field.value, "big") for field in message.packet.metadata}
    sh.PacketOut(message.packet.payload, egress_port="2").send()
    step(metadata=[metadata[1], metadata[2]], payload=message.packet.payload.hex())
finally:
    sh.teardown()
