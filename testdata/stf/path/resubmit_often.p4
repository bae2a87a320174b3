// A packet can be resubmitted as often as the program wants; the list carries a count.
#include <v1model.p4>

header one_t {
    bit<8> wanted;
    bit<8> done;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    @field_list(0)
    bit<8> done;
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
        hdr.one.done = meta.done;
        if (meta.done < hdr.one.wanted) {
            meta.done = meta.done + 1;
            resubmit_preserving_field_list(0);
        }
    }
}

#include "../rest.p4"
