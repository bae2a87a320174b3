// A table that is applied twice: each reading has the colour of the lookup before it.
#include <v1model.p4>

header keys_t {
    bit<8> first;
    bit<8> second;
    bit<8> first_colour;
    bit<8> second_colour;
    bit<8> later_colour;
}

struct headers_t {
    keys_t k;
}

struct metadata_t {
    bit<8> key;
    bit<8> colour;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.k);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    direct_meter<bit<8>>(MeterType.packets) limiter;

    action measured() {
        limiter.read(meta.colour);
    }
    action unmeasured() {}
    table t {
        key = { meta.key: exact; }
        actions = { measured; unmeasured; }
        default_action = unmeasured;
        meters = limiter;
    }

    apply {
        standard.egress_spec = 1;
        meta.colour = 9;
        meta.key = hdr.k.first;
        t.apply();
        hdr.k.first_colour = meta.colour;
        meta.key = hdr.k.second;
        t.apply();
        hdr.k.second_colour = meta.colour;
        limiter.read(meta.colour);
        hdr.k.later_colour = meta.colour;
    }
}

#include "../rest.p4"
