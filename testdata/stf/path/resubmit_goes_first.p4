// Resubmission goes before multicast and before the drop; of several in one pass the last one's list counts.
#include <v1model.p4>

header one_t {
    bit<8> wish;
    bit<8> first;
    bit<8> last;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    @field_list(1)
    bit<8> first;
    @field_list(2)
    bit<8> last;
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
        if (standard.instance_type == 0) {
            meta = { 1, 2 };
            resubmit_preserving_field_list(1);
            resubmit_preserving_field_list(2);
            if (hdr.one.wish == 1) {
                standard.mcast_grp = 1;
            } else {
                mark_to_drop(standard);
            }
        } else {
            hdr.one.first = meta.first;
            hdr.one.last = meta.last;
        }
    }
}

#include "../rest.p4"
