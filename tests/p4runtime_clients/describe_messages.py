"""Prints P4Runtime's messages and services as PyPI's package and a FileDescriptorSet describe them.

Runs in the environment of `requirements/p4runtime.txt`, which has protobuf.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from google.protobuf import descriptor, descriptor_pb2, descriptor_pool
from google.rpc import status_pb2
from p4.config.v1 import p4info_pb2, p4types_pb2
from p4.v1 import p4data_pb2, p4runtime_pb2

PUBLIC = (p4runtime_pb2, p4data_pb2, p4info_pb2, p4types_pb2, status_pb2)

_Field = descriptor.FieldDescriptor
KINDS = {getattr(_Field, name): name[5:].lower() for name in dir(_Field) if name.startswith("TYPE_")}
LABELS = {_Field.LABEL_OPTIONAL: "", _Field.LABEL_REQUIRED: "required ", _Field.LABEL_REPEATED: "repeated "}


def field(one: _Field) -> str:
    """A field's number, label, type and oneof."""
    kind = one.message_type or one.enum_type
    oneof = f" in {one.containing_oneof.name}" if one.containing_oneof else ""
    return f"{one.number}: {LABELS[one.label]}{KINDS[one.type]} {kind.full_name if kind else ''}{oneof}"


def enum(one: descriptor.EnumDescriptor) -> Iterator[tuple[str, str]]:
    """The values of an enum."""
    yield one.full_name, "enum"
    for value in one.values:
        yield f"{one.full_name}.{value.name}", str(value.number)


def message(one: descriptor.Descriptor) -> Iterator[tuple[str, str]]:
    """A message with its fields and the types that it declares."""
    yield one.full_name, "map entry" if one.GetOptions().map_entry else "message"
    for part in one.fields:
        yield part.full_name, field(part)
    for inner in one.nested_types:
        yield from message(inner)
    for inner in one.enum_types:
        yield from enum(inner)


def file(one: descriptor.FileDescriptor) -> Iterator[tuple[str, str]]:
    """All types and services that a file declares."""
    for declared in one.message_types_by_name.values():
        yield from message(declared)
    for declared in one.enum_types_by_name.values():
        yield from enum(declared)
    proto = descriptor_pb2.FileDescriptorProto.FromString(one.serialized_pb)
    for service in proto.service:
        for method in service.method:
            streams = f"{method.client_streaming} {method.server_streaming}"
            signature = f"{method.input_type} {method.output_type} {streams}"
            yield f"{proto.package}.{service.name}.{method.name}", signature


def described(pool: descriptor_pool.DescriptorPool) -> dict[str, str]:
    """All types and services that the files of P4Runtime declare in a pool."""
    return {
        name: what for module in PUBLIC for name, what in file(pool.FindFileByName(module.DESCRIPTOR.name))
    }


ours = descriptor_pool.DescriptorPool()
for described_file in descriptor_pb2.FileDescriptorSet.FromString(Path(sys.argv[1]).read_bytes()).file:
    ours.Add(described_file)
print(json.dumps({"public": described(descriptor_pool.Default()), "ours": described(ours)}))
