// enq_timestamp: when the packet came to its queue; deq_timedelta: how long it was there. Both in microseconds.
#include <v1model.p4>

header times_t {
    bit<32> enqueued;
    bit<32> waited;
    bit<48> egress;
}

struct headers_t {
    times_t t;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.t);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.mcast_grp = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.t.enqueued = standard.enq_timestamp;
        hdr.t.waited = standard.deq_timedelta;
        hdr.t.egress = standard.egress_global_timestamp;
    }
}

#include "../rest.p4"
