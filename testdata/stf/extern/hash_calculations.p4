// Each call of `hash` is a calculation of its own, with parameters of its own, though the calls be
// equal.
#include <v1model.p4>

header one_t {
    bit<72> data;
    bit<16> first;
    bit<16> second;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    bit<16> sum;
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
        hash(meta.sum, HashAlgorithm.crc16_custom, 16w0, { hdr.one.data }, 32w65536);
        hdr.one.first = meta.sum;
        hash(meta.sum, HashAlgorithm.crc16_custom, 16w0, { hdr.one.data }, 32w65536);
        hdr.one.second = meta.sum;
    }
}

#include "../rest.p4"
