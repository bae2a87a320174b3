// What the queue tells is 0 before the queue, in a recirculated packet too.
#include <v1model.p4>

header all_t {
    bit<8>  passes;
    bit<32> enq_timestamp;
    bit<32> deq_timedelta;
    bit<16> enq_qdepth;
    bit<16> deq_qdepth;
    bit<48> egress_global_timestamp;
    bit<16> egress_rid;
    bit<16> egress_port;
}

struct headers_t {
    all_t all;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.all);
        transition accept;
    }
}

@noWarn("read-too-early") control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.all.enq_timestamp = standard.enq_timestamp;
        hdr.all.deq_timedelta = standard.deq_timedelta;
        hdr.all.enq_qdepth = (bit<16>) standard.enq_qdepth;
        hdr.all.deq_qdepth = (bit<16>) standard.deq_qdepth;
        hdr.all.egress_global_timestamp = standard.egress_global_timestamp;
        hdr.all.egress_rid = standard.egress_rid;
        hdr.all.egress_port = (bit<16>) standard.egress_port;
        if (hdr.all.passes == 1) {
            standard.mcast_grp = 1;
        } else {
            standard.egress_spec = 1;
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.all.passes > 0) {
            hdr.all.passes = hdr.all.passes - 1;
            recirculate_preserving_field_list(0);
        }
    }
}

#include "../rest.p4"
