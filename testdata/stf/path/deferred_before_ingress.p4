// What calls in the parser and in the checksum control defer happens at the end of ingress, or of egress, as if ingress had called.
#include <v1model.p4>

header wish_t {
    bit<8> in_parser;   // 1: clone, 2: recirculate, 3: resubmit, 4: truncate to 5 bytes
    bit<8> in_verify;   // the same; truncate to 4 bytes
    bit<8> instance;
    bit<8> passes;
}

struct headers_t {
    wish_t wish;
}

struct metadata_t {
    @field_list(1) bit<8> passes;
    bool is_first;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.wish);
        meta.is_first = standard.instance_type == 0;
        transition select(standard.instance_type, hdr.wish.in_parser) {
            (0, 1): cloning;
            (0, 2): recirculating;
            (0, 3): resubmitting;
            (0, 4): truncating;
            default: accept;
        }
    }
    state cloning {
        clone(CloneType.I2E, 1);
        transition accept;
    }
    state recirculating {
        recirculate_preserving_field_list(1);
        transition accept;
    }
    state resubmitting {
        resubmit_preserving_field_list(1);
        transition accept;
    }
    state truncating {
        truncate(5);
        transition accept;
    }
}

#define OWN_VERIFY
control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
        if (meta.is_first) {
            if (hdr.wish.in_verify == 1) {
                clone(CloneType.I2E, 2);
            } else if (hdr.wish.in_verify == 2) {
                recirculate_preserving_field_list(1);
            } else if (hdr.wish.in_verify == 3) {
                resubmit_preserving_field_list(1);
            } else if (hdr.wish.in_verify == 4) {
                truncate(4);
            }
        }
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        meta.passes = meta.passes + 1;
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.wish.passes = meta.passes;
        hdr.wish.instance = (bit<8>) standard.instance_type;
    }
}

#include "../rest.p4"
