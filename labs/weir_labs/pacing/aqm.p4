/*
 * aqm.p4 - an IPv4 router whose queues are managed by CoDel.
 *
 * Egress is the first place where a P4 program sees how long a packet has waited. A drop there comes
 * too late for the packet's place on the link: v1model's queue has let the packet go, and lets the
 * next one go only after the time that this one would have taken.
 */

#include <core.p4>
#include <v1model.p4>
#include "headers.p4"
#include "parser.p4"
#include "checksums.p4"
#include "router.p4"
#include "codel.p4"

const bit<2> NOT_ECT = 0;       // RFC 3168
const bit<2> CE = 3;

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    Route() route;

    apply {
        if (hdr.ipv4.isValid() && can_be_routed(hdr, standard_metadata)) {
            route.apply(hdr, standard_metadata);
        } else {
            mark_to_drop(standard_metadata);
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    Codel() codel;

    apply {
        bool drops;
        bool marks;
        codel.apply(standard_metadata.egress_port, standard_metadata.egress_global_timestamp,
                    standard_metadata.deq_timedelta, standard_metadata.deq_qdepth,
                    hdr.ipv4.diffserv[1:0] != NOT_ECT, drops, marks);
        if (drops) {
            mark_to_drop(standard_metadata);
        } else if (marks) {
            hdr.ipv4.diffserv[1:0] = CE;
        }
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
