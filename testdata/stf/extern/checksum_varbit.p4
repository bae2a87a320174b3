// Options of any length are part of the checksum, as long as they are in this packet.
#include <v1model.p4>

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<72> before;
    bit<16> checksum;
    bit<64> addresses;
}

header options_t {
    varbit<320> options;
}

struct headers_t {
    ipv4_t ip;
    options_t options;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ip);
        packet.extract(hdr.options, (bit<32>) (hdr.ip.ihl - 5) * 32);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
    }
}

#define OWN_UPDATE
control U(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(true, { hdr.ip.version, hdr.ip.ihl, hdr.ip.before, hdr.ip.addresses, hdr.options.options }, hdr.ip.checksum,
            HashAlgorithm.csum16);
    }
}

#include "../rest.p4"
