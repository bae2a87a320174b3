// The forms with payload cover, behind the data, all that the parser left unread: UDP's checksum over its pseudo header.
#include <v1model.p4>

header udp_t {
    bit<32> source;         // of the pseudo header
    bit<32> destination;
    bit<16> source_port;
    bit<16> destination_port;
    bit<16> length;
    bit<16> checksum;
    bit<8>  wrong;
    bit<8>  other_port;
}

struct headers_t {
    udp_t udp;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.udp);
        transition accept;
    }
}

#define OWN_VERIFY
control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum_with_payload(true, { hdr.udp.source, hdr.udp.destination, 8w0, 8w17, hdr.udp.length, hdr.udp.source_port,
            hdr.udp.destination_port, hdr.udp.length }, hdr.udp.checksum, HashAlgorithm.csum16);
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.udp.wrong = (bit<8>) standard.checksum_error;
        hdr.udp.destination_port = hdr.udp.destination_port + (bit<16>) hdr.udp.other_port;
    }
}

#define OWN_UPDATE
control U(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum_with_payload(hdr.udp.other_port != 0, { hdr.udp.source, hdr.udp.destination, 8w0, 8w17, hdr.udp.length,
            hdr.udp.source_port, hdr.udp.destination_port, hdr.udp.length }, hdr.udp.checksum, HashAlgorithm.csum16);
    }
}

#include "../rest.p4"
