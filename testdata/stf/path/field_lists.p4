// A list of a whole struct, fields in several lists, numbers that are computed, and a list that nobody is in.
#include <v1model.p4>

const bit<8> PAIRS = 1;

struct pair_t {
    bit<8> a;
    bit<8> b;
}

header one_t {
    bit<8> list;
    bit<8> a;
    bit<8> b;
    bit<8> c;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    @field_list(PAIRS)
    pair_t pair;
    @field_list(2 - 1, PAIRS + 1)
    bit<8> c;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (standard.instance_type == 6) {
            hdr.one.a = meta.pair.a;
            hdr.one.b = meta.pair.b;
            hdr.one.c = meta.c;
        } else {
            meta = { { 1, 2 }, 3 };
            if (hdr.one.list == 1) {
                resubmit_preserving_field_list(1);
            } else if (hdr.one.list == 2) {
                resubmit_preserving_field_list(2);
            } else {
                resubmit_preserving_field_list(77);
            }
        }
    }
}

#include "../rest.p4"
