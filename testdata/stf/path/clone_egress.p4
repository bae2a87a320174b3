// A clone of egress has the headers as egress leaves them and goes through egress once more; nothing is parsed or deparsed in between,
// so checksums are computed once.
#include <v1model.p4>

header one_t {
    bit<8>  egress;
    bit<16> sum;
    bit<8>  type;
}

header added_t {
    bit<8> added;
}

struct headers_t {
    one_t one;
    added_t added;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.type = (bit<8>) standard.instance_type;
        if (standard.instance_type == 0) {
            clone(CloneType.E2E, 1);
            hdr.added.setValid();
            hdr.added.added = 0xaa;
        }
        hdr.one.egress = hdr.one.egress + 1;
    }
}

#define OWN_UPDATE
control U(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(true, { hdr.one.egress, 8w0 }, hdr.one.sum, HashAlgorithm.xor16);
    }
}

#include "../rest.p4"
