"""Imports the same modules as the public tutorials' library, and sends a program in PI's
message."""

import google.protobuf.text_format
import grpc
from google.rpc import code_pb2, status_pb2
from p4.config.v1 import p4info_pb2
from p4.tmp import p4config_pb2
from p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc
from steps import ADDRESS, FOLDER, step
from tutorial import Connection, Names

assert all((google.protobuf.text_format, grpc, status_pb2, p4info_pb2, p4runtime_pb2, p4runtime_pb2_grpc))

config = p4config_pb2.P4DeviceConfig()
config.reassign = True
config.device_data = (FOLDER / "program.json").read_bytes()
config.extras.kv["for"] = "all fields"
again = p4config_pb2.P4DeviceConfig.FromString(config.SerializeToString())
assert again == config

with Connection(ADDRESS) as s1:
    assert s1.arbitrate() == code_pb2.OK
    s1.set_program(Names(FOLDER / "program.p4info.txtpb"), config.SerializeToString())
    step(fields=[field.name for field in config.DESCRIPTOR.fields], module=p4config_pb2.__file__)
