// crc16 is CRC-16/ARC: catalogues of CRCs give bb3d for "123456789".
#include <v1model.p4>

header text_t {
    bit<72> text;
    bit<16> sum;
}

struct headers_t {
    text_t t;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.t);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hash(hdr.t.sum, HashAlgorithm.crc16, 16w0, { hdr.t.text }, 17w0x10000);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
