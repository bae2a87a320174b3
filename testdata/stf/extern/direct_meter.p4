// A direct meter colours each hit of its table, by the entry's own rates.
#include <v1model.p4>

header one_t {
    bit<8> key;
    bit<8> colour;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    bit<8> colour;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    direct_meter<bit<8>>(MeterType.packets) limiter;

    action out_of(bit<9> port) {
        limiter.read(meta.colour);
        standard.egress_spec = port;
    }
    table t {
        key = { hdr.one.key: exact; }
        actions = { out_of; }
        meters = limiter;
    }

    apply {
        meta.colour = 9;
        t.apply();
        hdr.one.colour = meta.colour;
    }
}

#include "../rest.p4"
