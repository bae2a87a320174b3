// Structs, tuples and headers among the data are their fields, in order.
#include <v1model.p4>

struct pair_t {
    bit<32> a;
    bit<40> b;
}

header text_t {
    bit<32> a;
    bit<40> b;
    bit<32> of_struct;
    bit<32> of_tuple;
}

header copy_t {
    bit<32> a;
    bit<40> b;
}

header sum_t {
    bit<32> of_header;
}

struct headers_t {
    text_t t;
    sum_t sum;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.t);
        packet.extract(hdr.sum);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        pair_t pair = { hdr.t.a, hdr.t.b };
        tuple<bit<32>, bit<40>> both = { hdr.t.a, hdr.t.b };
        copy_t copy = { hdr.t.a, hdr.t.b };
        hash(hdr.t.of_struct, HashAlgorithm.crc32, 32w0, pair, 33w0x1_0000_0000);
        hash(hdr.t.of_tuple, HashAlgorithm.crc32, 32w0, both, 33w0x1_0000_0000);
        hash(hdr.sum.of_header, HashAlgorithm.crc32, 32w0, { copy }, 33w0x1_0000_0000);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
