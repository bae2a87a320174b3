"""A client in the style of the public P4 tutorials: calls of gRPC, and names looked up in a P4Info.

The tutorials wrap BMv2's JSON in PI's message `p4.tmp.P4DeviceConfig`, which no package has. This
file makes the descriptor of the message.
"""

import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, text_format
from google.protobuf.message import Message
from p4.config.v1 import p4info_pb2
from p4.v1 import p4runtime_pb2, p4runtime_pb2_grpc

_FIELD = descriptor_pb2.FieldDescriptorProto


def device_config(program: bytes) -> bytes:
    """A program as PI's P4DeviceConfig, with `reassign`."""
    file = descriptor_pb2.FileDescriptorProto(name="p4config.proto", package="p4.tmp", syntax="proto3")
    message = file.message_type.add(name="P4DeviceConfig")
    for number, name, kind in ((1, "reassign", _FIELD.TYPE_BOOL), (3, "device_data", _FIELD.TYPE_BYTES)):
        message.field.add(name=name, number=number, type=kind, label=_FIELD.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    made = message_factory.MessageFactory(pool).GetPrototype(
        pool.FindMessageTypeByName("p4.tmp.P4DeviceConfig")
    )
    return made(reassign=True, device_data=program).SerializeToString()


def number(value: int, bits: int) -> bytes:
    """A number with as many bytes as its field has, as in the tutorials' requests."""
    return value.to_bytes((bits + 7) // 8, "big")


class Names:
    """The objects of a P4Info by name."""

    def __init__(self, path: Path) -> None:
        self.info = text_format.Parse(path.read_text(), p4info_pb2.P4Info())

    def find(self, kind: str, name: str) -> Message:
        """An object of a kind, such as `tables`, by its name or alias."""
        for found in getattr(self.info, kind):
            if name in (found.preamble.name, found.preamble.alias):
                return found
        raise KeyError(f"{kind}: {name}")

    def action(self, name: str, **values: int) -> p4runtime_pb2.TableAction:
        """An action with its parameters."""
        found = self.find("actions", name)
        message = p4runtime_pb2.Action(action_id=found.preamble.id)
        for parameter in found.params:
            message.params.add(
                param_id=parameter.id, value=number(values[parameter.name], parameter.bitwidth)
            )
        return p4runtime_pb2.TableAction(action=message)

    def entry(self, table: str, match: dict[str, object], **rest: object) -> p4runtime_pb2.Entity:
        """An entry; exact values are given as numbers, others as pairs."""
        found = self.find("tables", table)
        message = p4runtime_pb2.TableEntry(table_id=found.preamble.id, **rest)
        for field in found.match_fields:
            if field.name not in match:
                continue
            value = match[field.name]
            into = message.match.add(field_id=field.id)
            if field.match_type == p4info_pb2.MatchField.LPM:
                into.lpm.value, into.lpm.prefix_len = number(value[0], field.bitwidth), value[1]
            elif field.match_type == p4info_pb2.MatchField.TERNARY:
                into.ternary.value, into.ternary.mask = (number(part, field.bitwidth) for part in value)
            elif field.match_type == p4info_pb2.MatchField.OPTIONAL:
                into.optional.value = number(value, field.bitwidth)
            else:
                into.exact.value = number(value, field.bitwidth)
        return p4runtime_pb2.Entity(table_entry=message)


class Connection:
    """A stream to a device, whose messages are sorted into queues by kind."""

    def __init__(self, address: str, device_id: int = 0) -> None:
        self.device_id = device_id
        self.election_id = p4runtime_pb2.Uint128(high=0, low=1)
        self.received: dict[str, queue.Queue] = {}
        self._out: queue.Queue = queue.Queue()
        self._channel = grpc.insecure_channel(address)
        self.stub = p4runtime_pb2_grpc.P4RuntimeStub(self._channel)
        for kind in ("arbitration", "packet", "digest", "idle_timeout_notification", "error"):
            self.received[kind] = queue.Queue()
        threading.Thread(target=self._receive, daemon=True).start()

    def arbitrate(self) -> int:
        """Asks to become primary; returns the code of the answer's status."""
        request = p4runtime_pb2.StreamMessageRequest()
        request.arbitration.device_id = self.device_id
        request.arbitration.election_id.CopyFrom(self.election_id)
        self.send(request)
        return self.received["arbitration"].get(timeout=10).arbitration.status.code

    def set_program(self, names: Names, program: bytes) -> None:
        """Gives the device a program."""
        request = p4runtime_pb2.SetForwardingPipelineConfigRequest(
            device_id=self.device_id, election_id=self.election_id
        )
        request.action = p4runtime_pb2.SetForwardingPipelineConfigRequest.VERIFY_AND_COMMIT
        request.config.p4info.CopyFrom(names.info)
        request.config.p4_device_config = program
        self.stub.SetForwardingPipelineConfig(request)

    def write(self, kind: str, *entities: p4runtime_pb2.Entity) -> None:
        """Sends updates of a kind, such as `INSERT`, in one request."""
        request = p4runtime_pb2.WriteRequest(device_id=self.device_id, election_id=self.election_id)
        for entity in entities:
            request.updates.add(type=p4runtime_pb2.Update.Type.Value(kind), entity=entity)
        self.stub.Write(request)

    def read(self, entity: p4runtime_pb2.Entity) -> list[p4runtime_pb2.Entity]:
        """All entities that match an entity with wildcards."""
        request = p4runtime_pb2.ReadRequest(device_id=self.device_id, entities=[entity])
        return [found for response in self.stub.Read(request) for found in response.entities]

    def send(self, request: p4runtime_pb2.StreamMessageRequest) -> None:
        """Sends a message through the stream."""
        self._out.put(request)

    def _requests(self) -> Iterator[p4runtime_pb2.StreamMessageRequest]:
        while (request := self._out.get()) is not None:
            yield request

    def _receive(self) -> None:
        try:
            for response in self.stub.StreamChannel(self._requests()):
                self.received[response.WhichOneof("update")].put(response)
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.CANCELLED:
                raise

    def __enter__(self) -> "Connection":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._out.put(None)
        self._channel.close()
