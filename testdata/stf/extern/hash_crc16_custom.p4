// crc16_custom begins as crc16; the control plane gives it another polynomial. Other algorithms keep theirs.
#include <v1model.p4>

header text_t {
    bit<72> text;
    bit<16> custom;
    bit<16> plain;
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
        hash(hdr.t.custom, HashAlgorithm.crc16_custom, 16w0, { hdr.t.text }, 17w0x10000);
        hash(hdr.t.plain, HashAlgorithm.crc16, 16w0, { hdr.t.text }, 17w0x10000);
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
