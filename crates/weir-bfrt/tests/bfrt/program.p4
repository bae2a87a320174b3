#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
header ipv4_t { bit<4> version; bit<4> ihl; bit<8> tos; bit<16> len; bit<16> id; bit<3> flags; bit<13> frag; bit<8> ttl; bit<8> proto; bit<16> csum; bit<32> src; bit<32> dst; }
struct headers { ethernet_t ethernet; ipv4_t ipv4; }
struct learn_t { bit<48> mac; bit<9> port; }
struct pair_t { bit<32> first; bit<32> second; }
struct meta_t { bit<16> hash; bit<9> port; }
parser P(packet_in p, out headers h, inout meta_t m, inout standard_metadata_t s) {
  value_set<bit<16>>(4) types;
  state start { p.extract(h.ethernet); transition select(h.ethernet.type) { 0x800: ip; types: ip; default: accept; } }
  state ip { p.extract(h.ipv4); transition accept; }
}
control V(inout headers h, inout meta_t m) { apply {} }
control I(inout headers h, inout meta_t m, inout standard_metadata_t s) {
  direct_counter(CounterType.packets_and_bytes) route_hits;
  direct_meter<bit<2>>(MeterType.bytes) route_rate;
  counter(16, CounterType.packets_and_bytes) ports;
  meter(16, MeterType.packets) rates;
  register<bit<32>>(16) values;
  register<pair_t>(8) pairs;
  action_selector(HashAlgorithm.crc16, 64, 16) hops;
  action_profile(32) plain;
  bit<2> colour = 0;
  action drop() { mark_to_drop(s); }
  action forward(bit<9> port, bit<48> mac) { s.egress_spec = port; h.ethernet.dst = mac; }
  action forward_counted(bit<9> port) { s.egress_spec = port; route_hits.count(); }
  action metered(bit<9> port) { s.egress_spec = port; route_rate.read(colour); }
  action learn() { digest<learn_t>(1, {h.ethernet.src, s.ingress_port}); }
  action multicast(bit<16> group) { s.mcast_grp = group; }
  table routes { key = { h.ipv4.dst: lpm; } actions = { forward_counted; drop; } size = 1024; default_action = drop(); counters = route_hits; }
  table acl { key = { h.ipv4.src: ternary; h.ipv4.proto: exact; h.ipv4.ttl: range; } actions = { drop; NoAction; metered; } default_action = NoAction(); meters = route_rate; size = 128; }
  table macs { key = { h.ethernet.src: exact; } actions = { NoAction; learn; } default_action = learn(); support_timeout = true; size = 256; }
  table groups { key = { h.ethernet.dst: exact; } actions = { multicast; forward; NoAction; } const default_action = NoAction(); }
  table ecmp { key = { h.ipv4.dst: exact; h.ipv4.src: selector; } actions = { forward; drop; } implementation = hops; }
  table indirect { key = { h.ipv4.dst: exact; } actions = { forward; drop; } implementation = plain; }
  table fixed { key = { h.ethernet.type: ternary; } actions = { drop; NoAction; } const entries = { 0x86dd: drop(); 0x0806 &&& 0xffff: NoAction(); } }
  apply {
    ports.count((bit<32>)s.ingress_port);
    rates.execute_meter<bit<2>>((bit<32>)s.ingress_port, colour);
    bit<32> v; values.read(v, 0); values.write(0, v + 1);
    pair_t q; pairs.read(q, 0); q.first = q.first + 1; pairs.write(0, q);
    macs.apply(); groups.apply(); fixed.apply();
    if (h.ipv4.isValid()) { routes.apply(); acl.apply(); ecmp.apply(); indirect.apply(); }
  }
}
control E(inout headers h, inout meta_t m, inout standard_metadata_t s) { apply {} }
control C(inout headers h, inout meta_t m) { apply {} }
control D(packet_out p, in headers h) { apply { p.emit(h.ethernet); p.emit(h.ipv4); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
