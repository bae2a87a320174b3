"""The message ``p4.tmp.P4DeviceConfig``, in which the tutorials' controllers wrap a program.

p4lang's PI contains the message as the module ``p4.tmp.p4config_pb2``, which no package on PyPI
has. ``weir shims install`` copies this file to a folder where Python finds it under that name, next
to the modules of ``p4runtime``. The file therefore imports only protobuf, in any version since
3.20.
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="p4/tmp/p4config.proto", package="p4.tmp", syntax="proto3")
    config = file.message_type.add(name="P4DeviceConfig")
    # map<string, string> kv = 1; protobuf encodes a map as a list of entries of this type.
    extras = config.nested_type.add(name="Extras")
    entry = extras.nested_type.add(name="KvEntry")
    entry.options.map_entry = True
    for number, name in enumerate(("key", "value"), 1):
        entry.field.add(name=name, number=number, type=_FIELD.TYPE_STRING, label=_FIELD.LABEL_OPTIONAL)
    outer = ".p4.tmp.P4DeviceConfig.Extras"
    extras.field.add(
        name="kv",
        number=1,
        type=_FIELD.TYPE_MESSAGE,
        type_name=f"{outer}.KvEntry",
        label=_FIELD.LABEL_REPEATED,
    )
    optional = _FIELD.LABEL_OPTIONAL
    config.field.add(name="reassign", number=1, type=_FIELD.TYPE_BOOL, label=optional)
    config.field.add(name="extras", number=2, type=_FIELD.TYPE_MESSAGE, type_name=outer, label=optional)
    config.field.add(name="device_data", number=3, type=_FIELD.TYPE_BYTES, label=optional)
    return file


# The file has its own pool, because another module may have added a message of this name to the
# default pool.
_pool = descriptor_pool.DescriptorPool()
_pool.Add(_file())
_descriptor = _pool.FindMessageTypeByName("p4.tmp.P4DeviceConfig")

if hasattr(message_factory, "GetMessageClass"):
    P4DeviceConfig = message_factory.GetMessageClass(_descriptor)
else:
    P4DeviceConfig = message_factory.MessageFactory(_pool).GetPrototype(_descriptor)
