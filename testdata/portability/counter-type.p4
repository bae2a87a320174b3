// What counters count.
#include <core.p4>
#include <v1model.p4>

header probe_t {
    bit<8> kind;
    bit<16> count;
    int<16> level;
}
struct headers_t { probe_t probe; }
struct meta_t { bit<8> mark; }

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.probe);
        transition accept;
    }
}
control Verify(inout headers_t hdr, inout meta_t meta) { apply { } }
control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    counter(4, CounterType.packets) seen; //! counter-type
    counter(4, CounterType.bytes) sized; //! counter-type
    counter(4, CounterType.packets_and_bytes) both;
    counter(4, CounterType.packets) unused;
    direct_counter(CounterType.bytes) hits; //! counter-type
    direct_counter(CounterType.packets_and_bytes) all_hits;
    action keep() { meta.mark = 1; }
    table counted {
        key = { hdr.probe.kind: exact; }
        actions = { keep; NoAction; }
        counters = hits;
    }
    table more {
        key = { hdr.probe.count: exact; }
        actions = { keep; NoAction; }
        counters = all_hits;
    }
    apply {
        sm.egress_spec = 2;
        seen.count(0);
        sized.count(1);
        both.count(2);
        counted.apply();
        more.apply();
        hdr.probe.kind = meta.mark;
    }
}
control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) { apply { } }
control Update(inout headers_t hdr, inout meta_t meta) { apply { } }
control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
V1Switch(Parse(), Verify(), Enter(), Leave(), Update(), Deparse()) main;
