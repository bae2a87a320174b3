// packet_length is in bytes, of the packet as it came into the pass; headers that come and go do not change it, a recirculation does.
#include <v1model.p4>

header one_t {
    bit<8> passes;
    bit<8> ingress;
    bit<8> egress;
}

header more_t {
    bit<32> more;
}

struct headers_t {
    one_t one;
    more_t more;
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
        hdr.one.ingress = (bit<8>) standard.packet_length;
        hdr.more.setValid();
        hdr.more.more = 0xaaaaaaaa;
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.egress = (bit<8>) standard.packet_length;
        if (hdr.one.passes > 0) {
            hdr.one.passes = hdr.one.passes - 1;
            recirculate_preserving_field_list(0);
        }
    }
}

#include "../rest.p4"
