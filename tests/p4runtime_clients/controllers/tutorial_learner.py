"""Controls the learning switch of the examples in the style of the public tutorials."""

from google.rpc import code_pb2
from p4.v1 import p4runtime_pb2
from steps import ADDRESS, FOLDER, step
from tutorial import Connection, Names, device_config

names = Names(FOLDER / "program.p4info.txtpb")


def multicast_group(identifier: int, ports: tuple[int, ...] = ()) -> p4runtime_pb2.Entity:
    """A multicast group, or all of them."""
    entity = p4runtime_pb2.Entity()
    group = entity.packet_replication_engine_entry.multicast_group_entry
    group.multicast_group_id = identifier
    for port in ports:
        group.replicas.add(egress_port=port, instance=1)
    return entity


def groups(s1: Connection) -> list[p4runtime_pb2.MulticastGroupEntry]:
    """The multicast groups of the switch."""
    found = s1.read(multicast_group(0))
    return [entity.packet_replication_engine_entry.multicast_group_entry for entity in found]


with Connection(ADDRESS) as s1:
    assert s1.arbitrate() == code_pb2.OK
    s1.set_program(names, device_config((FOLDER / "program.json").read_bytes()))
    config = p4runtime_pb2.DigestEntry(digest_id=names.find("digests", "learn_t").preamble.id)
    config.config.max_list_size = 1
    s1.write("INSERT", multicast_group(1, (1, 2, 3)), p4runtime_pb2.Entity(digest_entry=config))
    step(groups=[[replica.egress_port for replica in group.replicas] for group in groups(s1)])

    learned: dict[int, int] = {}
    while len(learned) < 2:
        digest = s1.received["digest"].get(timeout=10).digest
        for data in digest.data:
            mac, port = (int.from_bytes(part.bitstring, "big") for part in data.struct.members)
            if mac not in learned:
                learned[mac] = port
                source = {"hdr.ethernet.srcAddr": mac, "standard_metadata.ingress_port": port}
                forward = names.action("forward", port=port)
                s1.write(
                    "INSERT",
                    names.entry("sources", source, action=names.action("NoAction")),
                    names.entry("destinations", {"hdr.ethernet.dstAddr": mac}, action=forward),
                )
        ack = p4runtime_pb2.StreamMessageRequest()
        ack.digest_ack.digest_id, ack.digest_ack.list_id = digest.digest_id, digest.list_id
        s1.send(ack)
    step(learned=sorted(learned.items()))

    s1.write("DELETE", multicast_group(1))
    step(groups=[group.multicast_group_id for group in groups(s1)])
