// A recirculated packet begins anew as it would have left: changes to its headers stay, its metadata is 0 but for the fields of the list.
#include <v1model.p4>

header one_t {
    bit<8> ingress;
    bit<8> egress;
    bit<8> listed;
    bit<8> unlisted;
    bit<8> ingress_port;
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
        hdr.one.ingress = hdr.one.ingress + 1;
        hdr.one.listed = meta.listed;
        hdr.one.unlisted = meta.unlisted;
        hdr.one.ingress_port = (bit<8>) standard.ingress_port;
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (standard.instance_type == 0 && hdr.one.egress == 0) {
            meta = { 1, 1 };
            recirculate_preserving_field_list(1);
            meta.listed = 2;
        }
        hdr.one.egress = hdr.one.egress + 1;
    }
}

#include "../rest.p4"
