// A resubmitted packet begins ingress again as it came: changes to its headers are lost, its metadata is 0 but for the fields of the list, which
// have their values at the end of ingress.
#include <v1model.p4>

header one_t {
    bit<8> mark;
    bit<8> listed;
    bit<8> unlisted;
    bit<8> ingress_port;
    bit<8> length;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    @field_list(1)
    bit<8> listed;
    bit<8> unlisted;
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
        if (standard.instance_type != 6) {
            meta = { 1, 1 };
            resubmit_preserving_field_list(1);
            hdr.one.mark = 0xee;
            meta.listed = 2;
            standard.egress_spec = 2;
        } else {
            hdr.one.listed = meta.listed;
            hdr.one.unlisted = meta.unlisted;
            hdr.one.ingress_port = (bit<8>) standard.ingress_port;
            hdr.one.length = (bit<8>) standard.packet_length;
        }
    }
}

#include "../rest.p4"
