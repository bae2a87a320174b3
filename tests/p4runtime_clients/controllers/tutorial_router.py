"""Controls the router of tests/net in the style of the public tutorials."""

import grpc
from google.rpc import code_pb2, status_pb2
from p4.v1 import p4runtime_pb2
from steps import ADDRESS, FOLDER, step
from tutorial import Connection, Names, device_config

names = Names(FOLDER / "program.p4info.txtpb")


def route(address: int, length: int, mac: int, port: int) -> p4runtime_pb2.Entity:
    """An entry of the routing table."""
    action = names.action("MyIngress.ipv4_forward", dstAddr=mac, port=port)
    return names.entry("MyIngress.ipv4_lpm", {"hdr.ipv4.dstAddr": (address, length)}, action=action)


def details(error: grpc.RpcError) -> str:
    """The code and message of each update that failed."""
    metadata = dict(error.trailing_metadata())
    status = status_pb2.Status.FromString(metadata["grpc-status-details-bin"])
    entries = []
    for detail in status.details:
        one = p4runtime_pb2.Error()
        assert detail.Unpack(one)
        if one.canonical_code != code_pb2.OK:
            entries.append(f"{code_pb2.Code.Name(one.canonical_code)}: {one.message}")
    return "; ".join(entries)


with Connection(ADDRESS) as s1:
    assert s1.arbitrate() == code_pb2.OK
    s1.set_program(names, device_config((FOLDER / "program.json").read_bytes()))
    second = route(0x0A000200, 24, 0x080000000222, 2)
    s1.write("INSERT", route(0x0A000101, 32, 0x080000000111, 1), second)
    try:
        s1.write("INSERT", second)
        refused = ""
    except grpc.RpcError as error:
        refused = details(error)
    version = s1.stub.Capabilities(p4runtime_pb2.CapabilitiesRequest()).p4runtime_api_version
    step(version=version, refused=refused)

    rule = names.entry(
        "acl",
        {"hdr.ipv4.srcAddr": (0x0A000100, 0xFFFFFF00), "hdr.ipv4.protocol": 1},
        priority=10,
        action=names.action("MyIngress.drop"),
    )
    s1.write("INSERT", rule)
    acl = [str(entity) for entity in s1.read(names.entry("acl", {}))]
    step(acl=acl, routes=len(s1.read(names.entry("ipv4_lpm", {}))))

    s1.write("DELETE", rule, second)
    default = names.action("ipv4_forward", dstAddr=0x080000000222, port=2)
    s1.write("MODIFY", names.entry("ipv4_lpm", {}, action=default, is_default_action=True))
    step(routes=len(s1.read(names.entry("ipv4_lpm", {}))))
