"""BMv2's Thrift services, called by a client of the library that uses our description of them."""

import contextlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from weir.topology import shapes

thriftpy2 = pytest.importorskip("thriftpy2", reason="needs thriftpy2, which is not installed")

from thriftpy2.protocol import TBinaryProtocol, TMultiplexedProtocol  # noqa: E402
from thriftpy2.thrift import TApplicationException, TClient  # noqa: E402
from thriftpy2.transport import TBufferedTransport, TSocket  # noqa: E402

from weir.bmv2.idl import services  # noqa: E402
from weir.dropin.simple_switch import simple_switch_cli  # noqa: E402
from weir.dropin.thrift import Ports, serve  # noqa: E402

T = services()
DST, SRC = b"\x08\0\0\0\0\x01", b"\x08\0\0\0\0\x02"


class Clients:
    """A client of each service, on one connection."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.transport = TBufferedTransport(TSocket("127.0.0.1", port))
        self.transport.open()
        protocol = TBinaryProtocol(self.transport)

        def client(service, name):
            return TClient(service, TMultiplexedProtocol(protocol, name))

        self.standard = client(T.Standard, "standard")
        self.switch = client(T.SimpleSwitch, "simple_switch")
        self.multicast = client(T.Multicast, "simple_pre_lag")


@pytest.fixture(scope="module")
def compiled() -> weir.Program:
    return weir.compile(Path(__file__).parent / "everything.p4")


@pytest.fixture
def s1(compiled: weir.Program) -> Iterator[weir.Switch]:
    with weir.Network(shapes.star(2, routes=None), compiled) as net:
        net.link("h2", "s1").up = False
        yield net.switch("s1")


@pytest.fixture
def clients(s1: weir.Switch) -> Iterator[Clients]:
    server = serve(s1._core, Ports({1: "veth1", 2: "veth2", 9: "veth9"}, 7, 0), "127.0.0.1")
    clients = Clients(server.port)
    yield clients
    clients.transport.close()
    server.close()


def exact(key: bytes):
    return T.Match(type=T.MatchType.EXACT, exact=T.ExactMatch(key=key))


def valid(flag: bool):
    return T.Match(type=T.MatchType.VALID, valid=T.ValidMatch(key=flag))


def prefix(key: bytes, length: int):
    return T.Match(type=T.MatchType.LPM, lpm=T.PrefixMatch(key=key, prefix_length=length))


def ternary(key: bytes, mask: bytes):
    return T.Match(type=T.MatchType.TERNARY, ternary=T.TernaryMatch(key=key, mask=mask))


def interval(start: bytes, end: bytes):
    return T.Match(type=T.MatchType.RANGE, range=T.RangeMatch(start=start, end_=end))


def priority(number: int | None = None):
    return T.EntryOptions(priority=number)


TO = ("In.to", [b"\x01", DST])
NO_RATES = [T.Rate(float("nan"), 0)] * 2


def test_entries(s1: weir.Switch, clients: Clients):
    call = clients.standard
    # A client may say "exact" or "valid" about isValid().
    key = [exact(b"\x01"), exact(DST)]
    handle = call.bm_mt_add_entry(0, "In.exactly", key, *TO, priority())
    assert handle == 0
    assert call.bm_mt_add_entry(0, "exactly", [valid(True), exact(SRC)], "drop", [], priority(0)) == 1
    [first, second] = s1.table("exactly").entries()
    assert first.match == {"hdr.frame.isValid()": "1", "hdr.frame.dst": "08:00:00:00:00:01"}
    assert (first.action, dict(first.params)) == ("In.to", {"port": "1", "dst": "08:00:00:00:00:01"})
    assert second.action == "In.drop"
    call.bm_mt_modify_entry(0, "In.exactly", 1, "In.to", [b"\x00\x02", SRC])
    call.bm_mt_set_entry_ttl(0, "In.exactly", 1, 2500)
    entry = call.bm_mt_get_entry(0, "In.exactly", 1)
    assert (entry.entry_handle, entry.life.timeout_ms, entry.options.priority) == (1, 2500, -1)
    assert [match.exact.key for match in entry.match_key] == [b"\x01", SRC]
    assert entry.action_entry.action_data == [b"\x00\x02", SRC]
    assert call.bm_mt_get_num_entries(0, "In.exactly") == 2
    assert call.bm_mt_get_entry_from_key(0, "In.exactly", key, priority()).entry_handle == 0
    call.bm_mt_delete_entry(0, "In.exactly", 0)
    assert [entry.entry_handle for entry in call.bm_mt_get_entries(0, "In.exactly")] == [1]
    call.bm_mt_set_default_action(0, "In.exactly", *TO)
    assert call.bm_mt_get_default_entry(0, "In.exactly").action_name == "In.to"
    call.bm_mt_clear_entries(0, "In.exactly", True)
    assert call.bm_mt_get_num_entries(0, "In.exactly") == 0
    assert call.bm_mt_get_default_entry(0, "In.exactly").action_name == "In.drop"
    call.bm_mt_reset_default_entry(0, "In.exactly")


def test_every_kind_of_key_comes_back(s1: weir.Switch, clients: Clients):
    call = clients.standard
    call.bm_mt_add_entry(0, "In.prefixes", [prefix(b"\x08\0\0\0\0\xff", 40)], "In.drop", [], priority())
    [entry] = call.bm_mt_get_entries(0, "In.prefixes")
    assert (entry.match_key[0].lpm.key, entry.match_key[0].lpm.prefix_length) == (b"\x08\0\0\0\0\0", 40)
    full, some = b"\xff" * 6, ternary(b"\x08\xff", b"\xff\x00")
    rules = [[some, interval(b"\0\x01", b"\0\x05"), ternary(SRC, full)]]
    rules.append([ternary(b"\0\0", b"\0\0"), interval(b"\0\0", b"\x01\xff"), ternary(bytes(6), bytes(6))])
    for number, key in enumerate(rules):
        call.bm_mt_add_entry(0, "In.rules", key, *TO, priority(number + 1))
    # The smallest number is preferred.
    assert [entry.priority for entry in s1.table("rules").entries()] == [2**31 - 2, 2**31 - 3]
    one, other = call.bm_mt_get_entries(0, "In.rules")
    assert (one.options.priority, other.options.priority) == (1, 2)
    assert (one.match_key[0].ternary.key, one.match_key[0].ternary.mask) == (b"\x08\x00", b"\xff\x00")
    assert (one.match_key[1].range.start, one.match_key[1].range.end_) == (b"\0\x01", b"\0\x05")
    assert (one.match_key[2].ternary.key, one.match_key[2].ternary.mask) == (SRC, full)
    assert (other.match_key[1].range.start, other.match_key[1].range.end_) == (b"\0\0", b"\x01\xff")
    assert other.match_key[2].ternary.mask == bytes(6)
    assert call.bm_mt_get_entry_from_key(0, "In.rules", rules[1], priority(2)).entry_handle == 1


def test_members_and_groups(s1: weir.Switch, clients: Clients):
    call = clients.standard
    one = call.bm_mt_act_prof_add_member(0, "In.paths", *TO)
    two = call.bm_mt_act_prof_add_member(0, "paths", "drop", [])
    call.bm_mt_act_prof_modify_member(0, "In.paths", two, "In.to", [b"\x02", SRC])
    group = call.bm_mt_act_prof_create_group(0, "In.paths")
    for member in (one, two):
        call.bm_mt_act_prof_add_member_to_group(0, "In.paths", member, group)
    call.bm_mt_act_prof_remove_member_from_group(0, "In.paths", one, group)
    assert call.bm_mt_act_prof_get_group(0, "In.paths", group).mbr_handles == [two]
    assert [found.grp_handle for found in call.bm_mt_act_prof_get_groups(0, "In.paths")] == [group]
    members = call.bm_mt_act_prof_get_members(0, "In.paths")
    assert [(found.action_name, found.action_data) for found in members] == [
        ("In.to", [b"\0\x01", DST]),
        ("In.to", [b"\0\x02", SRC]),
    ]
    assert call.bm_mt_act_prof_get_member(0, "In.paths", two).mbr_handle == two
    handle = call.bm_mt_indirect_add_entry(0, "In.chosen", [exact(b"\x08\0")], one, priority())
    call.bm_mt_indirect_ws_modify_entry(0, "In.chosen", handle, group)
    assert call.bm_mt_get_entry(0, "In.chosen", handle).action_entry.grp_handle == group
    call.bm_mt_indirect_modify_entry(0, "In.chosen", handle, one)
    assert call.bm_mt_get_entry(0, "In.chosen", handle).action_entry.mbr_handle == one
    more = call.bm_mt_indirect_ws_add_entry(0, "In.chosen", [exact(b"\x08\1")], group, priority())
    for found in (handle, more):
        call.bm_mt_indirect_delete_entry(0, "In.chosen", found)
    call.bm_mt_indirect_set_default_member(0, "In.chosen", one)
    call.bm_mt_indirect_ws_set_default_group(0, "In.chosen", group)
    call.bm_mt_indirect_reset_default_entry(0, "In.chosen")
    call.bm_mt_act_prof_delete_group(0, "In.paths", group)
    call.bm_mt_act_prof_delete_member(0, "In.paths", one)
    assert [member.mbr_handle for member in call.bm_mt_act_prof_get_members(0, "In.paths")] == [two]


def test_counters_meters_and_registers(s1: weir.Switch, clients: Clients):
    call = clients.standard
    call.bm_counter_write(0, "In.frames", 3, T.Count(packets=5, bytes=-1))
    assert call.bm_counter_read(0, "In.frames", 3) == T.Count(packets=5, bytes=-1)
    call.bm_counter_reset_all(0, "In.frames")
    assert call.bm_counter_read(0, "In.frames", 3) == T.Count(packets=0, bytes=0)
    handle = call.bm_mt_add_entry(0, "In.exactly", [exact(b"\x01"), exact(DST)], *TO, priority())
    call.bm_mt_write_counter(0, "In.exactly", handle, T.Count(packets=1, bytes=64))
    assert call.bm_mt_read_counter(0, "In.exactly", handle) == T.Count(packets=1, bytes=64)
    call.bm_mt_reset_counters(0, "In.exactly")
    assert call.bm_mt_read_counter(0, "In.exactly", handle) == T.Count(packets=0, bytes=0)

    rates = [T.Rate(units_per_micros=0.1, burst_size=10), T.Rate(units_per_micros=1.5, burst_size=20)]
    call.bm_meter_set_rates(0, "In.rates", 2, rates)
    assert call.bm_meter_get_rates(0, "In.rates", 2) == rates
    # 0.1 bytes in a microsecond.
    assert s1.meter("rates").read(2).committed_rate == 100_000
    assert call.bm_meter_get_rates(0, "In.rates", 3) == []
    call.bm_meter_array_set_rates(0, "In.rates", rates)
    assert call.bm_meter_get_rates(0, "In.rates", 3) == rates
    rule = [ternary(b"\0\0", b"\0\0"), interval(b"\0\0", b"\0\1"), ternary(SRC, b"\xff" * 6)]
    handle = call.bm_mt_add_entry(0, "In.rules", rule, "In.coloured", [], priority(1))
    call.bm_mt_set_meter_rates(0, "In.rules", handle, rates)
    assert call.bm_mt_get_meter_rates(0, "In.rules", handle) == rates

    call.bm_register_write(0, "In.seen", 1, -1)
    assert call.bm_register_read(0, "In.seen", 1) == 2**48 - 1
    call.bm_register_write_range(0, "In.seen", 2, 4, 9)
    assert call.bm_register_read_all(0, "In.seen") == [0, 2**48 - 1, 9, 9, 0, 0, 0, 0]
    call.bm_register_reset(0, "In.seen")
    assert call.bm_register_read_all(0, "In.seen") == [0] * 8

    call.bm_parse_vset_add(0, "Parse.known", b"\x08\x00")
    call.bm_parse_vset_add(0, "Parse.known", b"\x08\x06")
    call.bm_parse_vset_remove(0, "Parse.known", b"\x08\x00")
    assert call.bm_parse_vset_get(0, "Parse.known") == [b"\x08\x06"]
    call.bm_parse_vset_clear(0, "Parse.known")
    assert call.bm_parse_vset_get(0, "Parse.known") == []


def test_calls_about_the_switch(s1: weir.Switch, clients: Clients):
    call = clients.standard
    config = json.loads(call.bm_get_config())
    assert [table["name"] for table in config["pipelines"][0]["tables"]] == list(s1.program.tables)
    assert [(one["name"], one["algo"]) for one in config["calculations"]] == [("calc", "crc16_custom")]
    assert len(call.bm_get_config_md5()) == 16
    assert call.bm_get_id_from_name(0, T.Resource.MATCH_TABLE, "In.rules") == 2
    info = call.bm_mgmt_get_info()
    assert (info.device_id, info.thrift_port) == (7, 0)
    ports = [(port.port_num, port.iface_name, port.is_up) for port in call.bm_dev_mgr_show_ports()]
    assert ports == [(1, "veth1", True), (2, "veth2", False), (9, "veth9", False)]
    crc = T.Crc16(
        polynomial=-0x7FFB,
        initial_remainder=-1,
        final_xor_value=0,
        data_reflected=True,
        remainder_reflected=False,
    )
    call.bm_set_crc16_custom_parameters(0, "calc", crc)
    assert s1.crc("calc") == weir.control.Crc(0x8005, 0xFFFF, 0, True, False)
    call.bm_mt_add_entry(0, "In.prefixes", [prefix(DST, 48)], "In.drop", [], priority())
    call.bm_reset_state()
    assert call.bm_mt_get_num_entries(0, "In.prefixes") == 0

    call = clients.switch
    call.mirroring_session_add(5, T.CloneSession(port=2))
    assert call.mirroring_session_get(5) == T.CloneSession(port=2)
    call.mirroring_session_delete(5)
    assert call.mirroring_mapping_add(6, 1) == 0 and call.mirroring_mapping_get_egress_port(6) == 1
    assert call.mirroring_mapping_delete(6) == 0 and call.mirroring_mapping_get_egress_port(6) == -1
    call.set_all_egress_queue_depths(9)
    call.set_egress_queue_depth(1, 8)
    call.set_egress_priority_queue_depth(2, 0, 7)
    call.set_all_egress_queue_rates(1000)
    call.set_egress_queue_rate(1, 0)
    call.set_egress_priority_queue_rate(2, 0, 50)
    assert [s1.queues(port)[0].depth for port in (1, 2)] == [8, 7]
    assert [s1.queues(port)[0].port_rate for port in (1, 2)] == [None, "1000pps"]
    assert call.get_time_elapsed_us() == 0 and call.get_time_since_epoch_us() > 10**15


def test_multicast(s1: weir.Switch, clients: Clients):
    call = clients.multicast
    group = call.bm_mc_mgrp_create(0, 3)
    node, other = call.bm_mc_node_create(0, 5, "110", ""), call.bm_mc_node_create(0, 6, "", "1")
    for one in (node, other):
        call.bm_mc_node_associate(0, group, one)
    call.bm_mc_set_lag_membership(0, 0, "10")
    assert [(copy.port, copy.instance) for copy in s1.multicast_groups()[3]] == [(1, 5), (2, 5), (1, 6)]
    call.bm_mc_node_update(0, node, "100", "")
    assert json.loads(call.bm_mc_get_entries(0)) == {
        "mgrps": [{"id": 3, "l1_handles": [0, 1]}],
        "l1_handles": [{"handle": 0, "rid": 5, "l2_handle": 0}, {"handle": 1, "rid": 6, "l2_handle": 1}],
        "l2_handles": [{"handle": 0, "ports": [2], "lags": []}, {"handle": 1, "ports": [], "lags": [0]}],
        "lags": [{"id": 0, "ports": [1]}],
    }
    call.bm_mc_node_dissociate(0, group, node)
    call.bm_mc_node_destroy(0, node)
    call.bm_mc_mgrp_destroy(0, group)
    assert s1.multicast_groups() == {}


KEY = [exact(b"\x01"), exact(DST)]


@pytest.mark.parametrize(
    ("name", "arguments", "code", "why"),
    [
        (
            "bm_mt_add_entry",
            ("In.exactli", KEY, *TO, priority()),
            "INVALID_TABLE_NAME",
            'did you mean "In.exactly"?',
        ),
        (
            "bm_mt_add_entry",
            ("In.exactly", KEY, "In.too", [], priority()),
            "INVALID_ACTION_NAME",
            "its actions: In.to",
        ),
        (
            "bm_mt_add_entry",
            ("In.exactly", KEY, "In.to", [b"\x01"], priority()),
            "BAD_ACTION_DATA",
            "takes 2",
        ),
        ("bm_mt_add_entry", ("In.exactly", KEY[:1], *TO, priority()), "BAD_MATCH_KEY", "has 2 keys, found 1"),
        (
            "bm_mt_add_entry",
            ("In.prefixes", [exact(DST)], *TO, priority()),
            "BAD_MATCH_KEY",
            "is matched lpm",
        ),
        (
            "bm_mt_add_entry",
            ("In.exactly", [*KEY[:1], exact(b"\1" * 7)], *TO, priority()),
            "BAD_MATCH_KEY",
            "48",
        ),
        ("bm_mt_delete_entry", ("In.exactly", 5), "INVALID_HANDLE", "no entry with handle 5"),
        ("bm_mt_delete_entry", ("In.exactly", -5), "INVALID_HANDLE", "there is no handle -5"),
        ("bm_mt_set_entry_ttl", ("In.prefixes", 0, 100), "AGEING_DISABLED", "support_timeout"),
        ("bm_mt_read_counter", ("In.prefixes", 0), "COUNTERS_DISABLED", "no direct counter"),
        ("bm_mt_get_meter_rates", ("In.prefixes", 0), "METERS_DISABLED", "no direct meter"),
        (
            "bm_mt_indirect_add_entry",
            ("In.exactly", KEY, 0, priority()),
            "WRONG_TABLE_TYPE",
            "no action profile",
        ),
        ("bm_mt_act_prof_delete_member", ("In.paths", 9), "INVALID_MBR_HANDLE", "no member 9"),
        ("bm_mt_act_prof_get_group", ("In.paths", 9), "INVALID_GRP_HANDLE", "no group 9"),
        ("bm_mt_act_prof_get_members", ("In.path",), "INVALID_ACTION_PROFILE_NAME", "In.paths"),
        ("bm_counter_read", ("In.frames", 8), "INVALID_INDEX", "out of range"),
        ("bm_counter_read", ("In.frame", 0), "INVALID_COUNTER_NAME", "In.frames"),
        ("bm_meter_set_rates", ("In.rates", 0, []), "BAD_RATES_LIST", "2 rates"),
        ("bm_meter_set_rates", ("In.rates", 0, NO_RATES), "INVALID_INFO_RATE_VALUE", "0 to 1e"),
        ("bm_register_read", ("In.seen", 8), "INVALID_INDEX", "8 cells"),
        ("bm_register_read", ("In.saw", 0), "INVALID_REGISTER_NAME", "In.seen"),
        ("bm_parse_vset_clear", ("Parse.unknown",), "INVALID_PARSE_VSET_NAME", "value set"),
        ("bm_learning_ack_buffer", (0, 0), "INVALID_LIST_ID", "P4Runtime"),
        ("bm_set_toeplitz_hash_key", ("calc", b""), "WRONG_TYPE_CALCULATION", "Toeplitz"),
        ("bm_get_id_from_name", (0, "In.none"), "INVALID_RESOURCE_NAME", "match table"),
    ],
)
def test_mistakes_have_a_code_and_a_reason(
    clients: Clients, name: str, arguments: tuple, code: str, why: str
):
    kinds = (T.TableError, T.CounterError, T.MeterError, T.RegisterError, T.ValueSetError, T.LearnError)
    with pytest.raises((*kinds, T.ToeplitzError, T.IdError)) as raised:
        getattr(clients.standard, name)(0, *arguments)
    error = raised.value
    codes = getattr(T, type(error).__name__.replace("Error", "Code"))
    assert codes._VALUES_TO_NAMES[error.code] == code, error.why
    assert why in error.why


def test_full_tables_existing_entries_and_used_members_are_refused(clients: Clients):
    call = clients.standard
    for number in range(4):
        call.bm_mt_add_entry(0, "In.exactly", [exact(b"\1"), exact(bytes([number]))], *TO, priority())
    member = call.bm_mt_act_prof_add_member(0, "In.paths", *TO)
    group = call.bm_mt_act_prof_create_group(0, "In.paths")
    call.bm_mt_act_prof_add_member_to_group(0, "In.paths", member, group)
    call.bm_mt_indirect_ws_add_entry(0, "In.chosen", [exact(b"\x08\0")], group, priority())
    for act, code in (
        (lambda: call.bm_mt_add_entry(0, "In.exactly", KEY, *TO, priority()), "TABLE_FULL"),
        (
            lambda: call.bm_mt_add_entry(0, "In.exactly", [exact(b"\1"), exact(b"\0")], *TO, priority()),
            "DUPLICATE_ENTRY",
        ),
        (lambda: call.bm_mt_act_prof_delete_member(0, "In.paths", member), "MBR_STILL_USED"),
        (lambda: call.bm_mt_act_prof_delete_group(0, "In.paths", group), "GRP_STILL_USED"),
        (
            lambda: call.bm_mt_act_prof_add_member_to_group(0, "In.paths", member, group),
            "MBR_ALREADY_IN_GRP",
        ),
    ):
        with pytest.raises(T.TableError) as raised:
            act()
        assert T.TableCode._VALUES_TO_NAMES[raised.value.code] == code, raised.value.why


def test_exceptions_of_services_and_ports(clients: Clients):
    call = clients.standard
    with pytest.raises(T.SwapError) as swap:
        call.bm_load_new_config("{}")
    assert "P4Runtime" in swap.value.why
    for act in (lambda: call.bm_dev_mgr_add_port("eth9", 9, ""), lambda: call.bm_dev_mgr_remove_port(1)):
        with pytest.raises(T.PortError):
            act()
    with pytest.raises(T.CloneError):
        clients.switch.mirroring_session_get(99)
    with pytest.raises(T.MulticastError) as multicast:
        clients.multicast.bm_mc_mgrp_destroy(0, 77)
    assert T.MulticastCode._VALUES_TO_NAMES[multicast.value.code] == "INVALID_MGRP_HANDLE"
    with pytest.raises(TApplicationException, match="a switch cannot store its state in a file"):
        call.bm_serialize_state()
    with pytest.raises(TApplicationException, match="no port 77"):
        clients.switch.set_egress_queue_depth(77, 1)
    # The connection still works.
    assert call.bm_mt_get_num_entries(0, "In.exactly") == 0


@pytest.mark.parametrize(
    "hostile",
    [
        b"GET / HTTP/1.0\r\n\r\n",
        bytes.fromhex("80010001ffffffff"),
        bytes.fromhex("800100017fffffff") + bytes(100),
        bytes.fromhex("8001000100000001780000000f0001") + b"\x0f" * 10_000,
        b"",
    ],
)
def test_other_bytes_end_their_own_connection_only(clients: Clients, hostile: bytes, capfd):
    with socket.create_connection(("127.0.0.1", clients.port), timeout=30) as connection:
        connection.sendall(hostile)
        with contextlib.suppress(OSError):  # The server may have ended the connection.
            connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            list(iter(lambda: connection.recv(1 << 12), b""))
    assert clients.standard.bm_mt_get_num_entries(0, "In.exactly") == 0
    assert capfd.readouterr() == ("", "")


def test_a_call_without_a_field_is_refused_by_name(clients: Clients, s1: weir.Switch):
    before = s1.crc("crc16_custom")
    crc = T.Crc16(polynomial=7, final_xor_value=0, data_reflected=False, remainder_reflected=False)
    with pytest.raises(T.CrcError, match="the call has no initial_remainder"):
        clients.standard.bm_set_crc16_custom_parameters(0, "crc16_custom", crc)
    assert s1.crc("crc16_custom") == before
    keyless = T.Match(type=T.MatchType.EXACT, exact=T.ExactMatch())
    with pytest.raises(T.TableError, match="the call has no key"):
        clients.standard.bm_mt_add_entry(0, "In.exactly", [keyless], "drop", [], T.EntryOptions())
    with pytest.raises(T.TableError, match="the call has no data"):
        clients.standard.bm_mt_add_entry(0, "In.exactly", [exact(DST)], "drop")
    assert clients.standard.bm_mt_add_entry(0, "In.exactly", [valid(True), exact(DST)], "drop", []) == 0


def test_commands_from_standard_input(clients: Clients, capsys, monkeypatch: pytest.MonkeyPatch):
    import io

    lines = "table_add prefixes drop 08:00:00:00:00:01/48 =>\n\ntable_add prefix\n"
    lines += "table_add \udcff\ntable_num_entries prefixes\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert simple_switch_cli(["--thrift-port", str(clients.port)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("RuntimeCmd: entry 0 added\n") and "Error: " in out
    assert "Error: word 2 is not UTF-8 text" in out
    assert out.endswith("RuntimeCmd: 1\nRuntimeCmd: \n")
    assert simple_switch_cli(["--thrift-port", "1"]) == 1
    assert "no switch answers at 127.0.0.1:1" in capsys.readouterr().err
