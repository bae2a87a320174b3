"""Classes of values in the core behave as frozen data classes of Python do."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import weir
from weir import _core
from weir.p4runtime import Client, ServerOptions

PROGRAM = """
#include <v1model.p4>
header h_t { bit<8> kind; bit<8> to; }
struct headers { h_t h; }
struct meta { }
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    value_set<bit<8>>(4) kinds;
    state start { p.extract(h.h); transition select(h.h.kind) { kinds: accept; default: reject; } }
}
control V(inout headers h, inout meta m) { apply { } }
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    direct_counter(CounterType.bytes) hits;
    counter(16, CounterType.packets) seen;
    register<bit<32>>(8) last;
    action_profile(4) targets;
    action forward(bit<9> port) { s.egress_spec = port; hits.count(); }
    action chosen(bit<9> port) { s.egress_spec = port; }
    @brief("where packets go") table to {
        key = { h.h.to: lpm; h.h.kind: exact; }
        actions = { forward; @defaultonly NoAction; }
        default_action = forward(3);
        counters = hits;
        size = 16;
    }
    table by_profile { key = { h.h.to: exact; } actions = { chosen; } implementation = targets; }
    apply {
        to.apply();
        by_profile.apply();
        seen.count((bit<32>)h.h.to);
        last.write(0, (bit<32>)h.h.to);
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) { apply { } }
control U(inout headers h, inout meta m) { apply { } }
control D(packet_out p, in headers h) { apply { p.emit(h.h); } }
V1Switch(P(), V(), I(), E(), U(), D()) main;
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> weir.Program:
    path: Path = tmp_path_factory.mktemp("records") / "records.p4"
    path.write_text(PROGRAM, encoding="utf-8")
    return weir.compile(path)


def records(program: weir.Program) -> list[object]:
    """An object of each class."""
    table = program.tables["I.to"]
    return [
        table,
        table.keys[0],
        table.actions[0],
        table.actions[0].params[0],
        table.default_action,
        *program.objects("counter").values(),
        program.objects("register")["I.last"],
        program.profiles["I.targets"],
        program.value_sets["P.kinds"],
        _core.runtime_commands()[0],
        weir.Replica(1, 9, (weir.Replica(2), 3)),
        weir.CloneSession(replicas=[2, 3]),
        weir.control.Crc(0x8005),
        weir.control.GroupMember(2, watch_port=3),
        weir.control.Member("I.forward", {"port": "3"}),
        weir.Digest(5, 1, 2, [_core.Value("h.kind", 8, 7), _core.Value("wide", 100, 1 << 99, "label")]),
        weir.LogLine(5, 1, "text"),
        weir.PingReply(1, 5, None, None, None, "error", "10.0.0.1"),
        weir.measure.Drop("s1 ingress", "drop port", 2),
        weir.measure.Exchange(1, 2, 3, 4, 5, 6, None, "h2"),
        weir.topology.Endpoint("s1", 2),
        weir.topology.HostAddress("10.0.0.1", 24),
        weir.topology.Route("0.0.0.0/0", None),
        _core.Difference("h.kind", 0, 8, "1", ""),
    ]


def test_values_of_the_program(program: weir.Program):
    table = program.tables["I.to"]
    assert [(key.name, key.width, key.match_kind) for key in table.keys] == [
        ("h.h.to", 8, "lpm"),
        ("h.h.kind", 8, "exact"),
    ]
    assert table.direct_counter == ("I.hits", "bytes")
    assert (table.size, table.annotations) == (16, ("brief",))
    assert [(action.name, action.default_only) for action in table.actions] == [
        ("I.forward", False),
        ("NoAction", True),
    ]
    default = table.default_action
    assert default is not None
    assert (default.action, default.params, str(default)) == (
        "I.forward",
        (("port", "3"),),
        "I.forward(port=3)",
    )
    assert str(program.tables["I.by_profile"].default_action) == "NoAction()"
    counters = program.objects("counter")
    assert [(one.name, one.size, one.counts, one.table) for one in counters.values()] == [
        ("I.seen", 16, "packets", None),
        ("I.hits", 0, "bytes", "I.to"),
    ]
    assert program.profiles["I.targets"].tables == ("I.by_profile",)
    # A set of plain values has one field, with the last part of the set's name.
    assert [field.name for field in program.value_sets["P.kinds"].fields] == ["kinds"]
    assert program.objects("meter") == {} == program.objects("queue")


def test_a_client_knows_the_default_actions(program: weir.Program):
    topo = weir.Topology()
    topo.add_host("h1", "10.0.1.1/24")
    topo.add_switch("s1")
    topo.add_link("h1", "s1-p1")
    with (
        weir.Network(topo, program, p4runtime=ServerOptions("127.0.0.1:0")) as net,
        Client(net.p4runtime.address("s1")) as client,
    ):
        elsewhere = {name: table.default_action for name, table in client.program.tables.items()}
    assert elsewhere == {name: table.default_action for name, table in program.tables.items()}


def test_texts_of_values(program: weir.Program):
    keys = program.tables["I.to"].keys
    assert repr(keys[0]) == "KeyInfo(name='h.h.to', width=8, match_kind='lpm')"
    assert repr(program.profiles["I.targets"]) == (
        "ProfileInfo(name='I.targets', size=4, is_selector=False, tables=('I.by_profile',))"
    )


def test_copies_are_equal(program: weir.Program):
    for record in records(program):
        for again in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record)):
            assert again == record
            assert again is not record
            assert (hash(again), repr(again)) == (hash(record), repr(record))
    keys = program.tables["I.to"].keys
    assert keys[0] != keys[1]
    assert len({*keys, *program.tables["I.to"].keys}) == 2


def test_the_functions_of_dataclasses_accept_values(program: weir.Program):
    for record in records(program):
        assert dataclasses.is_dataclass(record)
        names = [field.name for field in dataclasses.fields(record)]
        assert names == list(inspect.signature(type(record)).parameters)
        assert tuple(names) == type(record).__match_args__
        values = {name: getattr(record, name) for name in names}
        assert (
            dataclasses.replace(record) == type(record)(**values) == type(record)(*values.values()) == record
        )
    replica = weir.Replica(1, 9, (2,))
    assert dataclasses.replace(replica, instance=4) == weir.Replica(1, 4, (weir.Replica(2),))
    assert dataclasses.asdict(replica) == {
        "port": 1,
        "instance": 9,
        "backup_replicas": ({"port": 2, "instance": 0, "backup_replicas": ()},),
    }
    match weir.topology.Endpoint("s1", 2):
        case weir.topology.Endpoint(node, port):
            assert (node, port) == ("s1", 2)


def test_parameters_are_equal_in_any_order():
    first = weir.control.Member("a", {"x": "1", "y": "2"})
    assert first == weir.control.Member("a", {"y": "2", "x": "1"})
    assert first != weir.control.Member("a", {"x": "2", "y": "1"})
    assert list(first.params) == ["x", "y"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: weir.Replica(-1), "a port -1 is out of range: expected 0 to 4294967295"),
        (lambda: weir.Replica(True), "expected a port, a whole number, found True"),
        (lambda: weir.Replica(1, 1 << 16), "an instance 65536 is out of range: expected 0 to 65535"),
        (lambda: weir.Replica(1, 0, "23"), "expected several replicas, such as a list, found '23'"),
        (lambda: weir.Replica(1, 0, ["2"]), "expected a port, a whole number, found '2'"),
        (
            lambda: weir.CloneSession(group=0),
            "a multicast group's number 0 is out of range: expected 1 to 65535",
        ),
        (lambda: weir.control.Crc(10**5000), "a polynomial a number of 16610 bits is out of range"),
        (lambda: weir.control.GroupMember(1, 0), "a weight 0 is out of range: expected 1 to 4294967295"),
    ],
)
def test_wrong_numbers(make: Callable[[], object], message: str):
    with pytest.raises(weir.ControlError) as error:
        make()
    assert message in str(error.value)


def test_texts_of_numbers():
    def text(name: str, width: int, number: int, header: str = "") -> str:
        return _core.Value(name, width, number, header=header).text

    assert [text("x", 16, number) for number in (0, 255, 256, 65535)] == [
        "0",
        "255",
        "256 (0x100)",
        "65535 (0xffff)",
    ]
    assert (text("x", 32, 65536), text("", 16, 256), text("hdrChecksum", 16, 300)) == (
        "0x10000",
        "0x100",
        "0x12c",
    )
    assert (text("x", 200, 1 << 199), text("dstAddr", 32, 0x0A000001)) == (hex(1 << 199), "10.0.0.1")
    assert str(_core.Value("port", 9, 1)) == "port = 1"
    negative = _core.Value("x", 100, (1 << 100) - 2, "-2")
    assert (negative.signed_number, negative.plain, negative.text) == (-2, -2, "-2")
    assert _core.Value("x", 0, 0x61, "a").plain == "a"


def test_records_are_frozen(program: weir.Program):
    for record in records(program):
        with pytest.raises(AttributeError):
            setattr(record, dataclasses.fields(record)[0].name, "other")  # type: ignore[arg-type]


def test_every_attribute_is_documented(program: weir.Program):
    for cls in {type(record) for record in records(program)}:
        names = [name for name in dir(cls) if not name.startswith("_")]
        assert names
        assert inspect.getdoc(cls)
        undocumented = [name for name in names if not inspect.getdoc(getattr(cls, name))]
        assert not undocumented, f"{cls.__name__}: {undocumented}"


def test_findings_cross_processes(tmp_path: Path):
    path = tmp_path / "wrong.p4"
    path.write_text("control C() { apply { exitt; } }\n", encoding="utf-8")
    diagnostics = weir.check(path)
    assert pickle.loads(pickle.dumps(diagnostics)) == diagnostics
    assert diagnostics[0].labels[0].primary
