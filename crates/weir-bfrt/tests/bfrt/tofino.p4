#include <core.p4>
#include <tna.p4>
header order_h { bit<16> group; bit<16> xid; bit<16> yid; bit<16> rid; bit<16> hash1; bit<16> hash2; }
struct headers_t { order_h order; }
struct md_t {}
struct empty_t {}
struct pair_t { bit<32> first; bit<32> second; }
parser Arrival(packet_in packet, out headers_t hdr, out md_t md, out ingress_intrinsic_metadata_t intrinsic) {
  value_set<bit<16>>(4) of_seven;
  state start { packet.extract(intrinsic); packet.advance(PORT_METADATA_SIZE); packet.extract(hdr.order); transition select(hdr.order.group) { of_seven: seven; default: accept; } }
  state seven { hdr.order.group = 7; transition accept; }
}
control Work(inout headers_t hdr, inout md_t md, in ingress_intrinsic_metadata_t intrinsic,
             in ingress_intrinsic_metadata_from_parser_t parsed,
             inout ingress_intrinsic_metadata_for_deparser_t deparser,
             inout ingress_intrinsic_metadata_for_tm_t tm) {
  Lpf<bit<16>, bit<8>>(4) average;
  Wred<bit<16>, bit<8>>(4, 1, 0) early;
  DirectLpf<bit<16>>() of_entries;
  DirectRegister<pair_t>({3, 4}) pairs;
  DirectRegisterAction<pair_t, bit<32>>(pairs) add = {
    void apply(inout pair_t value, out bit<32> result) { value.first = value.first + 1; result = value.second; }
  };
  action measure() { hdr.order.hash1 = of_entries.execute(hdr.order.hash1); }
  action count() { add.execute(); }
  table measured { key = { hdr.order.group: exact; } actions = { measure; NoAction; } default_action = NoAction; filters = of_entries; size = 8; }
  table counted { key = { hdr.order.group: exact; } actions = { count; NoAction; } default_action = NoAction; registers = pairs; size = 8; }
  Hash<bit<16>>(HashAlgorithm_t.CRC16) hash;
  Hash<bit<16>>(HashAlgorithm_t.CRC16) of_groups;
  ActionProfile(16) members;
  ActionSelector(members, of_groups, SelectorMode_t.FAIR, 4, 2) chosen;
  DirectCounter<bit<32>>(CounterType_t.PACKETS) hits;
  Meter<bit<4>>(4, MeterType_t.BYTES) rates;
  action set_rid(bit<16> rid) { hdr.order.rid = rid; }
  table choose { key = { hdr.order.group: exact; hdr.order.xid: selector; } actions = { set_rid; NoAction; } default_action = NoAction; implementation = chosen; size = 8; }
  action hit() { hits.count(); }
  @dynamic_table_key_masks(1)
  table masked { key = { hdr.order.group: exact; hdr.order.xid: exact; } actions = { hit; NoAction; } default_action = NoAction; counters = hits; size = 8; }
  apply {
    tm.mcast_grp_a = hdr.order.group;
    tm.level1_exclusion_id = hdr.order.xid;
    tm.level2_exclusion_id = (bit<9>)hdr.order.yid;
    tm.rid = hdr.order.rid;
    tm.level1_mcast_hash = (bit<13>)hdr.order.hash1;
    tm.level2_mcast_hash = (bit<13>)hdr.order.hash2;
    tm.copy_to_cpu = (bit<1>)(hdr.order.group >> 15);
    tm.bypass_egress = 1;
    hdr.order.hash1 = average.execute(hdr.order.hash1, 0);
    hdr.order.hash2 = (bit<16>)early.execute(hdr.order.hash2, 0);
    measured.apply();
    counted.apply();
    hdr.order.yid = hash.get({hdr.order.group, hdr.order.rid});
    choose.apply();
    masked.apply();
    hdr.order.xid = (bit<16>)rates.execute(1);
  }
}
control Leave(packet_out packet, inout headers_t hdr, in md_t md, in ingress_intrinsic_metadata_for_deparser_t deparser) {
  apply { packet.emit(hdr.order); }
}
parser NoParser(packet_in packet, out empty_t hdr, out empty_t md, out egress_intrinsic_metadata_t intrinsic) {
  state start { packet.extract(intrinsic); transition accept; }
}
control NoEgress(inout empty_t hdr, inout empty_t md, in egress_intrinsic_metadata_t intrinsic,
                 in egress_intrinsic_metadata_from_parser_t parsed,
                 inout egress_intrinsic_metadata_for_deparser_t deparser,
                 inout egress_intrinsic_metadata_for_output_port_t port) { apply {} }
control NoDeparser(packet_out packet, inout empty_t hdr, in empty_t md, in egress_intrinsic_metadata_for_deparser_t deparser) { apply {} }
Pipeline(Arrival(), Work(), Leave(), NoParser(), NoEgress(), NoDeparser()) pipe;
Switch(pipe) main;
