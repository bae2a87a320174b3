// A direct counter has a cell for each entry and counts its hits, whether the entry's action says count() or not, and once.
#include <v1model.p4>

header one_t {
    bit<8> key;
}

struct headers_t {
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    direct_counter(CounterType.packets_and_bytes) hits;

    action counting() {
        hits.count();
        hits.count();
        standard.egress_spec = 1;
    }
    action silent() {
        standard.egress_spec = 1;
    }
    table t {
        key = { hdr.one.key: exact; }
        actions = { counting; silent; NoAction; }
        default_action = NoAction();
        counters = hits;
    }

    apply {
        standard.egress_spec = 2;
        t.apply();
    }
}

#include "../rest.p4"
