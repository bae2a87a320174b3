// The header checksum of IPv4, verified, changed with the TTL, and updated.
#include <v1model.p4>

header ipv4_t {
    bit<4>  version;
    bit<4>  ihl;
    bit<8>  tos;
    bit<16> total_length;
    bit<16> identification;
    bit<16> fragment;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
}

struct headers_t {
    ipv4_t ip;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ip);
        transition accept;
    }
}

#define OWN_VERIFY
control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ip.isValid(), { hdr.ip.version, hdr.ip.ihl, hdr.ip.tos, hdr.ip.total_length, hdr.ip.identification,
            hdr.ip.fragment, hdr.ip.ttl, hdr.ip.protocol, hdr.ip.source, hdr.ip.destination }, hdr.ip.checksum, HashAlgorithm.csum16);
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (standard.checksum_error == 1) {
            mark_to_drop(standard);
        }
        hdr.ip.ttl = hdr.ip.ttl - 1;
    }
}

#define OWN_UPDATE
control U(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ip.isValid(), { hdr.ip.version, hdr.ip.ihl, hdr.ip.tos, hdr.ip.total_length, hdr.ip.identification,
            hdr.ip.fragment, hdr.ip.ttl, hdr.ip.protocol, hdr.ip.source, hdr.ip.destination }, hdr.ip.checksum, HashAlgorithm.csum16);
    }
}

#include "../rest.p4"
