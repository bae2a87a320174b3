// Parameters of actions: bound by the program (in, out, inout) and by the entry (without direction), of any width.
#include <v1model.p4>

header one_t {
    bit<8>   key;
    bit<8>   value;
    bit<3>   small;
    bit<5>   five;
    bit<128> wide;
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
    action set(in bit<8> left, inout bit<8> both, bit<3> small, bit<5> five, bit<128> wide) {
        both = both + left;
        hdr.one.small = small;
        hdr.one.five = five;
        hdr.one.wide = wide;
    }
    table t {
        key = { hdr.one.key: exact; }
        actions = { set(hdr.one.key, hdr.one.value); }
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
