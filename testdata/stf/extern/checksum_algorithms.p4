// A checksum may be of any algorithm and any width: wider fields get zeroes above, narrower ones the lower bits.
#include <v1model.p4>

header sums_t {
    bit<72> text;
    bit<16> crc16;
    bit<32> crc32;
    bit<48> wide;
    bit<8>  narrow;
}

struct headers_t {
    sums_t s;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.s);
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
        update_checksum(true, { hdr.s.text }, hdr.s.crc16, HashAlgorithm.crc16);
        update_checksum(true, { hdr.s.text }, hdr.s.crc32, HashAlgorithm.crc32);
        update_checksum(true, { hdr.s.text }, hdr.s.wide, HashAlgorithm.crc32);
        update_checksum(true, { hdr.s.text }, hdr.s.narrow, HashAlgorithm.crc16);
    }
}

#include "../rest.p4"
