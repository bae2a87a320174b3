// identity is the data itself, its first eight bytes as a number.
#include <v1model.p4>

header data_t {
    bit<16> short;
    bit<72> long;
    bit<64> of_short;
    bit<64> of_long;
}

struct headers_t {
    data_t d;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.d);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hash(hdr.d.of_short, HashAlgorithm.identity, 64w0, { hdr.d.short }, 65w1 << 64);
        hash(hdr.d.of_long, HashAlgorithm.identity, 64w0, { hdr.d.long }, 65w1 << 64);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
