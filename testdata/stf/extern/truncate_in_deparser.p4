// The deparser, too, can cut what leaves; of its length and those of ingress and egress the least counts, also for what is recirculated.
#include <v1model.p4>

header cut_t {
    bit<8> egress;
    bit<8> deparser;
    bit<8> again;
}

struct headers_t {
    cut_t cut;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.cut);
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
        if (hdr.cut.egress != 0) {
            truncate((bit<32>) hdr.cut.egress);
        }
        if (hdr.cut.again == 1) {
            hdr.cut.again = 2;
            recirculate_preserving_field_list(0);
        } else if (hdr.cut.again == 2) {
            hdr.cut.deparser = 0;
        }
    }
}

#define OWN_DEPARSER
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
        if (hdr.cut.deparser != 0) {
            truncate((bit<32>) hdr.cut.deparser);
        }
    }
}

#include "../rest.p4"
